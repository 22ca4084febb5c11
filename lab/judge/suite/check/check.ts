/**
 * A check of the suite: a small web of a few hosts, and a verdict from their requests.
 *
 * Keys name a URL of a check: `/a` on the host of the check, `b/a` on its second host, `www./a` on a subdomain, `:25/a`
 * on another port, `https:b/a` over TLS, and `//127.0.0.1/a` on a host outside the suite (the URL then names the check).
 * `private:b/a` is a request for `b/a` that arrived at an address which the name must not lead to, and `b?A` a query for
 * its address. Texts may hold `{host}`, `{b}`, `{c}` (origins), `{name}`, `{port}` and `{slug}`.
 */
import type { CertificateKind } from './certificate-kinds.ts';

export const families = {
  politeness: 'Politeness',
  robots: 'robots.txt',
  http: 'HTTP as sent in the wild',
  tls: 'TLS',
  http2: 'HTTP/2',
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
  names: 'Names and addresses',
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
  /** Absent: it came without TLS. */
  readonly tls?: SecureLine;
}

/** Facts about a connection over TLS; they change while it is open. */
export interface SecureLine {
  /** Named by the client in its handshake. */
  readonly serverName?: string;
  readonly isHttp2: boolean;
  /** Answers to the PINGs of the server. */
  readonly pongs: number;
}

/** Method of a query for the address of a name. */
export const queryMethod = 'A';

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
  readonly isHttp2: boolean;
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
  /** HTTP/2 alone: frames in place of the answer, by the number of the stream. */
  readonly frames?: (stream: number) => Buffer;
  /** HTTP/2 alone: further frames, sent until the client leaves or the count is reached. */
  readonly flood?: { readonly frame: (stream: number) => Buffer; readonly count: number };
  /** HTTP/2 alone: the server sends a PING before it answers. */
  readonly pings?: true;
  /** The connection ends after the answer. */
  readonly closes?: true;
  /** Send nothing: break the connection at once, or keep it open for this time. */
  readonly reset?: true;
  readonly silentMs?: number;
}

export type Page = string | Reply | ((ask: Ask) => string | Reply);

/** An answer of the name server for a host. */
export interface NameReply {
  /** The address of the host, or a private one. */
  readonly leadsTo?: readonly ('host' | 'private')[];
  readonly addresses?: readonly string[];
  /** Addresses of IPv6. */
  readonly sixth?: readonly string[];
  readonly alias?: string;
  readonly code?: number;
  readonly ttlSeconds?: number;
}

/** `nth`: 1 for the first query for an address of IPv4. */
export type NamePage = NameReply | ((ask: { readonly nth: number }) => NameReply);

/** The TLS of a host. */
export interface Secure {
  /** Default: good. */
  readonly certificate?: CertificateKind;
  /** Protocols that the server accepts (ALPN). Default: HTTP/1.1. Empty: it ignores the offer of the client. */
  readonly protocols?: readonly ('h2' | 'http/1.1')[];
  /** The only version of TLS. Default: 1.2 and 1.3. */
  readonly version?: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
  /** The server answers a handshake with this text. */
  readonly text?: string;
}

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
  /** Over TLS: accept any certificate and any version; name no host; answer no PING of HTTP/2. */
  readonly acceptsAll?: true;
  readonly namesNoHost?: true;
  readonly isDeaf?: true;
  /** HTTP/2: further keys, asked for on the same connection whatever the server sends, a delay apart. */
  readonly further?: readonly string[];
}

export interface CheckSpec {
  /** By key; a key that ends with `*` is a prefix. Keys of `want`, `never` and `control` are served without being here. */
  readonly pages?: Readonly<Record<string, Page>>;
  /** The TLS of hosts that differ from the default, by the host part of a key: `b`, `www.`. */
  readonly secure?: Readonly<Record<string, Secure>>;
  /** Answers of the name server for hosts, by the same part. Default: the address of the host. */
  readonly names?: Readonly<Record<string, NamePage>>;
  /** It cannot be taken with addresses in place of names, although no key says so. */
  readonly needsNames?: true;
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

/** Keys of TLS, of a query, of another port, of a host outside the suite, and of a subdomain. */
const keyWithName = /^(?:https:|\/\/|private:|[^/]*\?|[^/]*:|[^/]*\.\/)/;

/** True if the check cannot be taken with addresses in place of names. */
export function needsNames(check: Check): boolean {
  const keys = [check.control, ...check.want.flat(), ...check.never, ...Object.keys(check.pages)];
  return check.needsNames === true || keys.some((key) => keyWithName.test(key));
}

/** Absolute URL of a key. */
export function hrefOf(key: string): string {
  const [, secure = '', start = '', host = '', port = ':{port}', path = ''] =
    /^(?:private:)?(https:)?(\/\/)?([^/:]*|\[[^\]]*\])(:\d+)?(\/.*)$/s.exec(key) ?? [];
  const scheme = secure === '' ? 'http:' : secure;
  if (start !== '') return `${scheme}//${host}${port}/{slug}${path}`;
  const name = host === '' || host.endsWith('.') ? `${host}{name}` : `${host}-{name}`;
  return `${scheme}//${name}${port}${path}`;
}
