/**
 * A check of the suite: a small web of a few hosts, and a verdict from their requests.
 *
 * Keys name a URL of a check: `/a` on the host of the check, `b/a` on its second host, `www./a` on a subdomain, `:25/a`
 * on another port, and `//127.0.0.1/a` on a host outside the suite (the URL then names the check). Texts may hold `{host}`, `{b}`, `{c}` (origins), `{name}`, `{port}` and `{slug}`.
 */

export const families = {
  politeness: 'Politeness',
  robots: 'robots.txt',
  http: 'HTTP as sent in the wild',
  redirects: 'Redirects and cookies',
  urls: 'URLs',
  links: 'Links in HTML',
  charsets: 'Charsets',
  sitemaps: 'Sitemaps and feeds',
  again: 'Conditional requests',
  waste: 'Duplicates and waste',
  traps: 'Traps',
  hostile: 'Hostile pages and servers',
  security: 'Security',
  identity: 'Identity',
  preferences: 'Preferences of the site',
} as const;
export type Family = keyof typeof families;

export type Level = 'MUST' | 'SHOULD' | 'practice';

/** Times of a run. They are scaled: a run with real delays gives larger ones. */
export interface Pace {
  /** Least delay that a polite crawler keeps between requests to a host, ms. */
  readonly delayMs: number;
  /** Crawl-delay that some hosts ask for, seconds. */
  readonly crawlDelaySeconds: number;
  /** Retry-After of answers, seconds. */
  readonly retryAfterSeconds: number;
  /** Longest time that an answer may keep a crawler, seconds. */
  readonly patienceSeconds: number;
}

/** One request, as the server saw it. */
export interface SuiteRequest {
  readonly key: string;
  readonly method: string;
  /** Names and values in turn, as sent. */
  readonly headers: readonly string[];
  /** Milliseconds since the run began: the headers were read; the last byte was written, or the client closed. */
  readonly startMs: number;
  readonly endMs: number;
  readonly status: number;
  /** Bytes written to the connection. */
  readonly bytes: number;
  /** Number of the connection. */
  readonly connection: number;
}

export interface Visit {
  readonly requests: readonly SuiteRequest[];
  readonly pace: Pace;
  /** The requests for a key. */
  asked(key: string): readonly SuiteRequest[];
}

export type Verdict =
  | { readonly result: 'pass' }
  | { readonly result: 'fail'; readonly why: string; readonly requests: readonly SuiteRequest[] }
  | { readonly result: 'not reached'; readonly why: string };

/** Facts about the request, for a page's function. */
export interface Ask {
  /** 1 for the first request for this key. */
  readonly nth: number;
  readonly path: string;
  readonly header: (name: string) => string;
  readonly pace: Pace;
}

export interface Reply {
  readonly status?: number;
  /** Default: text/html; charset=utf-8. An empty string sends no Content-Type. */
  readonly type?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
  /** The whole answer as sent; the connection then closes. A string holds one byte a character. */
  readonly raw?: string | Buffer;
  readonly waitMs?: number;
  /** Pieces sent one after the other until they end or the client leaves, `everyMs` apart. */
  readonly pieces?: { readonly head: string; readonly piece: Buffer; readonly count: number; readonly everyMs: number };
  /** Send nothing: break the connection at once, or keep it open for this time. */
  readonly reset?: true;
  readonly silentMs?: number;
}

export type Page = string | Reply | ((ask: Ask) => string | Reply);

/** A step of the planted visitor (planted-visitor.ts). */
export interface Step {
  readonly key: string;
  /** Wait before it. Default: the delay of the pace. */
  readonly waitMs?: number;
  readonly method?: string;
  /** An empty value leaves a header out. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Leave after this many bytes, or this time. */
  readonly bytesMax?: number;
  readonly holdMs?: number;
  /** Take all bytes that come, even if they are not HTTP. */
  readonly anyBytes?: true;
  /** Do not wait for the end of the answer. */
  readonly beside?: true;
}

export interface CheckSpec {
  /** By key; a key that ends with `*` is a prefix. Keys of `want`, `never` and `control` are served without being here. */
  readonly pages?: Readonly<Record<string, Page>>;
  /** Each must be requested. A list within means: any of these. */
  readonly want?: readonly (string | readonly string[])[];
  /** None may be requested. */
  readonly never?: readonly string[];
  /** Must be requested, or the check was not reached. Default: `/`. */
  readonly control?: string;
  /** Fault found beyond `want` and `never`; called once the control was reached. */
  readonly fault?: (visit: Visit) => Fault | undefined;
  /** Steps of a visitor that keeps the rule, and of one that breaks it; required if there is a `fault`. */
  readonly honest?: (pace: Pace) => readonly Step[];
  readonly planted?: (pace: Pace) => readonly Step[];
  /** Harm of a failure: 1 to 5. Default by level: 3, 2, 1. */
  readonly weight?: number;
}

export interface Fault {
  readonly why: string;
  readonly requests: readonly SuiteRequest[];
}

export interface Check extends CheckSpec {
  readonly id: string;
  /** Host label: the host of the check is `slug.test`. */
  readonly slug: string;
  readonly family: Family;
  readonly title: string;
  readonly level: Level;
  /** Link to the clause or the practice. */
  readonly source: string;
  readonly pages: Readonly<Record<string, Page>>;
  readonly want: readonly (string | readonly string[])[];
  readonly never: readonly string[];
  readonly control: string;
  readonly weight: number;
}

const weights: Readonly<Record<Level, number>> = { MUST: 3, SHOULD: 2, practice: 1 };

/** `id`: FAMILY/NAME, stable from release to release. */
export function check(
  id: `${Family}/${string}`,
  level: Level,
  source: string,
  title: string,
  { pages = {}, want = [], never = [], control = '/', weight = weights[level], ...rest }: CheckSpec,
): Check {
  const family = id.slice(0, id.indexOf('/')) as Family;
  const slug = id.replace('/', '-');
  return { id, slug, family, title, level, source, pages, want, never, control, weight, ...rest };
}

export const rfc = (number: number, section: string) =>
  `https://www.rfc-editor.org/rfc/rfc${number}.html#section-${section}`;

/** A page of links to these hrefs. */
export function linksTo(...hrefs: readonly string[]): string {
  return `<!doctype html><title>links</title>\n${hrefs.map((href) => `<p><a href="${href.replace(/&/g, '&amp;')}">x</a></p>`).join('\n')}\n`;
}

/** Absolute URL of a key. */
export function hrefOf(key: string): string {
  const [, start = '', host = '', port = ':{port}', path = ''] =
    /^(\/\/)?([^/:]*|\[[^\]]*\])(:\d+)?(\/.*)$/s.exec(key) ?? [];
  if (start !== '') return `http://${host}${port}/{slug}${path}`;
  const name = host === '' || host.endsWith('.') ? `${host}{name}` : `${host}-{name}`;
  return `http://${name}${port}${path}`;
}
