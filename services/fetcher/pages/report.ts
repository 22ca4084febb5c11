/**
 * Turns a response into the report of its URL: outcome, page, links.
 *
 * Redirects are not followed: the target becomes a link of the same depth, with the redirect count one higher, at the
 * front of its queue. A meta refresh is published the same way. A page with nofollow publishes no links. A feed's
 * entries are its links.
 */

import { hash } from 'node:crypto';
import type { Outcome, OutcomeKind, Page, PageUsage, Task, TaskUrl } from '../../../schemas/types.ts';
import { isForMachines } from '../../../topology/content/for-machines.ts';
import { pageSignature } from '../../../topology/content/text-signature.ts';
import { withoutNul } from '../../../topology/content/without-nul.ts';
import { freshForMs } from '../../../topology/fetch/cache-control.ts';
import { conditionOf } from '../../../topology/fetch/conditional.ts';
import { classify, isWholeRange } from '../../../topology/fetch/outcome.ts';
import { redirectTarget } from '../../../topology/fetch/redirect.ts';
import { decodePage } from '../../../topology/parse/charset.ts';
import { headerDirectives } from '../../../topology/parse/directives.ts';
import { withHeaderLinks } from '../../../topology/parse/header-links.ts';
import { looksLikeFeed } from '../../../topology/parse/looks-like-feed.ts';
import type { ParsedPage } from '../../../topology/parse/page.ts';
import { metadataJson } from '../../../topology/parse/rich/metadata.ts';
import { richLimits } from '../../../topology/parse/rich/rich-limits.ts';
import { isSoft404 } from '../../../topology/parse/soft-404.ts';
import { priceText, quoteOf, quoteText } from '../../../topology/pay/quote.ts';
import type { ProductTokens } from '../../../topology/robots/product-token.ts';
import { leftOutText } from '../../runtime/crawl/left-out.ts';
import { fetcherLimits } from '../fetcher-limits.ts';
import { HookFailed, type Hooks } from '../hooks/run-hooks.ts';
import type { HttpResponse } from '../http/client.ts';
import { contentTypeOf, type Headers, headerOf, headersOf } from '../http/headers.ts';
import { outcomeOf, retryAfterMsOf } from '../http/outcomes.ts';
import { isOurs } from '../http/request-failure.ts';
import { gatherLinks, type LinkMaker, type LinkOrigin, type PageLinks } from '../publish/page-links.ts';
import type { UrlReport } from '../publish/publisher.ts';
import { canonicalTarget } from './canonical-target.ts';
import type { Extractor } from './extract.ts';
import type { PageWishes } from './extract-rules.ts';
import { readFeed } from './feed-report.ts';
import { pageOutlinks } from './page-outlinks.ts';
import { isXhtml, mediaTypeOf, type PageType, pageTypeOf, sniffedType } from './page-type.ts';
import { parseByHook } from './parse-by-hook.ts';
import type { WholePage } from './parse-page.ts';
import { isRequisite, requisiteReport, withRequisites } from './requisites.ts';
import { type SiteUsage, usageRecord } from './usage-record.ts';

export interface PageReader {
  readonly extractor: Extractor;
  readonly links: LinkMaker;
  readonly productToken: ProductTokens;
  readonly linksMax: number;
  /** Extraction from a host's pages beyond links and text. Absent: nothing. */
  readonly wishesOf?: (hostname: string) => PageWishes | undefined;
  /** Keep a page's links in its record too. */
  readonly outlinks: boolean;
  /** Read PDFs. */
  readonly pdf: boolean;
  /** Read office files and books. */
  readonly office: boolean;
  /** Are links to what pages are built of wanted, too? Absent: they are not. */
  readonly requisites?: () => boolean;
  /** Is a page that names another URL as its canonical a redirect to it? Absent: it is not. */
  readonly canonicals?: () => boolean;
  /** Notes a redirect. True: its target answers otherwise by now, since cookies came. Absent: no host sets any. */
  readonly redirected?: ((from: string, to: string) => boolean) | undefined;
  /** Hooks of plugins. Absent: there are none. */
  readonly hooks?: Hooks | undefined;
}

/** Without the requests, which the lease knows. */
export type PageReport = Omit<UrlReport, 'requests'> & {
  /** Time that reading it took on the main thread, ms by the clock. */
  readonly readMs: number;
  /** The part for more than links and text: it depends on the page, not on its size. Absent: none. */
  readonly richMs?: number;
  /** Usage statements on an unchanged page. */
  readonly usage?: readonly PageUsage[];
  /** The response after plugins changed it. Absent: unchanged. */
  readonly response?: HttpResponse;
};

/** Longer validators are not sent back: servers refuse requests with header fields beyond 8 KiB. */
const validatorCharsMax = 1_000;

/** Bodies worth reading: of a success, and of a type that can contain text. */
export function wantsBody(status: number, headers: Headers): boolean {
  return wantsType(status, headers, false, false);
}

/** Returns a test for responses that can be read. */
export function wantsOf({ pdf, office, hooks }: PageReader): (status: number, headers: Headers) => boolean {
  const read = (status: number, headers: Headers) => wantsType(status, headers, pdf, office);
  // x402 states its price in the body.
  const wants: typeof read = (status, headers) =>
    read(status, headers) || (status === 402 && mediaTypeOf(headers) === 'application/json');
  if (hooks === undefined) return wants;
  return (status, headers) =>
    wants(status, headers) || (status >= 200 && status < 300 && hooks.parses(mediaTypeOf(headers)));
}

function wantsType(status: number, headers: Headers, pdf: boolean, office: boolean): boolean {
  if (status < 200 || status >= 300) return false;
  const type = pageTypeOf(mediaTypeOf(headers));
  return type !== 'other' && (pdf || type !== 'pdf') && (office || type !== 'office');
}

/**
 * Plugins' hooks for the response run first, those for the page last. If a plugin fails, the page counts as one that
 * could not be read, and the outcome names the plugin.
 */
export async function readPage(...args: Parameters<typeof readAnswer>): Promise<PageReport> {
  const [reader, task, index, received, ...rest] = args;
  const { hooks } = reader;
  if (hooks === undefined || received.status === 0) return clean(await readAnswer(...args));
  const { url } = task.urls[index]!;
  try {
    const response = await hooks.response(url, received);
    const read = await readAnswer(reader, task, index, response, ...rest);
    return clean(read.page === null ? read : { ...read, page: await hooks.page(read.page, response), response });
  } catch (error) {
    // Any other error is a bug of ours, and ends the fetcher.
    if (!(error instanceof HookFailed)) throw error;
    return bare(outcomeOf(index, url, 'parseFailed', { ...commonFields(received), detail: error.message }));
  }
}

/** Removes U+0000, so that consumers of pages need not handle it. */
function clean(report: PageReport): PageReport {
  const page = report.page && withoutNul(report.page);
  return page === report.page ? report : { ...report, page };
}

async function readAnswer(
  reader: PageReader,
  task: Task,
  index: number,
  response: HttpResponse,
  origin: Pick<LinkOrigin, 'source' | 'sourceKey'>,
  traceparent = '',
  site: readonly SiteUsage[] = [],
): Promise<PageReport> {
  const item = task.urls[index]!;
  const from: LinkOrigin = {
    url: item.normal || item.url,
    atMs: response.endMs,
    traceparent,
    tags: item.tags,
    ...origin,
  };
  const target = redirectTarget(item.url, response.status, headerOf(response.headers, 'location') || null);
  const kind = kindOf(item, response, target);
  const answered = outcomeOf(index, item.url, kind, commonFields(response));
  const leadingTo = (url: string, detail: string): PageReport => {
    // The target redirected when it was fetched before. With the cookies set since then it may answer otherwise, so it
    // is fetched again.
    const intent = reader.redirected?.(item.url, reader.links.normalize(url) ?? url) === true ? 'force' : 'discover';
    const hop = { depth: item.depth, hop: item.hop + 1, front: true, share: item.cash, intent } as const;
    const { groups, pending } = gatherLinks(reader.links, from, [url], hop);
    const outcome: Outcome = { ...answered, kind: 'redirect', redirectUrl: url, detail };
    return { outcome, page: null, groups, pending, readMs: 0 };
  };
  if (kind === 'redirect') return leadingTo(target!, answered.detail);
  if (kind === 'notModified') {
    // RFC 9111 §3.2: the fields of a 304 replace the earlier ones.
    const { noindex } = headerDirectives(headersOf(response.headers, 'x-robots-tag'), reader.productToken);
    return {
      ...bare({ ...answered, ...validatorsOf(response), noindex }),
      usage: usageRecord(site, response.headers, reader.productToken),
    };
  }
  if (kind !== 'fetched') return bare(answered);
  const mediaType = mediaTypeOf(response.headers);
  const isPlugins = reader.hooks?.parses(mediaType) === true;
  const named = pageTypeOf(mediaType);
  const sniffed = named === 'unnamed' ? sniffedType(response.body) : named;
  const type = sniffed === 'text' && isXhtml(mediaType, response.body) ? 'html' : sniffed;
  if (!isPlugins && reader.requisites?.() === true && isRequisite(mediaType)) {
    return requisiteReport(reader.links, from, item, response, mediaType, answered);
  }
  if (!isPlugins && (type === 'other' || (type === 'pdf' && !reader.pdf) || (type === 'office' && !reader.office))) {
    return bare({ ...answered, kind: 'refused', detail: `type ${mediaType || 'unknown'} is not read` });
  }
  const beforeMs = performance.now();
  const parsing = isPlugins
    ? parseByHook(reader, item.url, mediaType, response)
    : parse(reader, item.url, response, type);
  const whole = parsing instanceof Promise ? await parsing : parsing;
  if (whole === null) {
    return bare({ ...answered, kind: 'parseFailed', detail: 'the parser was stopped' });
  }
  const parsed = withHeaderLinks(whole.parsed, item.url, {
    link: headersOf(response.headers, 'link'),
    refresh: headerOf(response.headers, 'refresh'),
    linksMax: reader.linksMax,
  });
  const canonical =
    reader.canonicals?.() === true ? canonicalTarget(from.url, parsed.canonical, reader.links.normalize) : null;
  if (canonical !== null) return leadingTo(canonical, 'its rel=canonical');
  const isFeed = !isPlugins && type !== 'pdf' && type !== 'office' && looksLikeFeed(response.body);
  const feed = isFeed ? readFeed(reader.links, from, response, { ...item, nofollow: parsed.robots.nofollow }) : null;
  const links = withRequisites(reader, type, from, item, response, feed?.links ?? linksOf(reader, from, item, parsed));
  const contentHash = hash('sha256', response.body, 'hex');
  // Its entries are links; its markup is not read as a page.
  const shown = { ...whole, parsed: feed === null ? parsed : { ...parsed, text: '' } };
  const usage = usageRecord(site, response.headers, reader.productToken, parsed.usageMetas, contentHash);
  const page = pageRecord(reader, task, item, response, mediaType, shown, contentHash, links.count, usage);
  const outcome: Outcome = {
    ...answered,
    ...validatorsOf(response),
    contentHash,
    links: links.count,
    linksDropped: parsed.linksDropped,
    noindex: parsed.robots.noindex,
    soft404: isSoft404(parsed.title),
    detail: leftOutText([...links.leftOut].map(([plugin, one]) => ({ plugin, ...one }))),
    textSignature: task.signatures ? (feed?.signature ?? signatureOf(whole)) : '',
  };
  // A worker has its own core.
  const readMs = parsing instanceof Promise ? 0 : performance.now() - beforeMs;
  const { hereMs: richMs } = whole;
  return {
    outcome,
    page,
    groups: links.groups,
    pending: links.pending,
    readMs,
    ...(richMs !== undefined && { richMs }),
  };
}

/**
 * The text that shows whether a page has changed: its main text, if a rule asks for it. Navigation and dates around it
 * change anyway.
 */
function signatureOf({ parsed, rich }: WholePage): string {
  const { title, description, canonical } = parsed;
  return pageSignature(rich?.mainText || parsed.text, [title, description, canonical]);
}

function bare(outcome: Outcome): PageReport {
  return { outcome, page: null, groups: [], pending: [], readMs: 0 };
}

function kindOf(item: TaskUrl, { status, headers, failure }: HttpResponse, redirectUrl: string | null): OutcomeKind {
  // It costs no attempt.
  if (isOurs(failure)) return 'returned';
  // RFC 9110 §15.4.5: 304 answers a condition, and we sent none.
  if (status === 304 && failure === null && conditionOf(item).length === 0) return 'badResponse';
  const isAll = status === 206 && isWholeRange(headerOf(headers, 'content-range'));
  return classify({
    status: isAll ? 200 : status,
    redirectUrl,
    ...(failure === null ? {} : { failure: failure.kind as never }),
  });
}

function commonFields(response: HttpResponse): Partial<Outcome> {
  const { headers, status } = response;
  return {
    status,
    bytes: response.body.length,
    truncated: response.truncated,
    retryAfterMs: status < 300 ? 0 : retryAfterMsOf(response),
    freshForMs: freshForMs(headerOf(headers, 'cache-control'), headerOf(headers, 'age')),
    detail: response.failure?.detail ?? '',
    ...(status === 402 && response.failure === null && quotedIn(response)),
  };
}

function quotedIn({ headers, body }: HttpResponse): Pick<Outcome, 'price' | 'licence' | 'detail'> {
  const quote = quoteOf(headers, body);
  return { price: priceText(quote), licence: quote.licence, detail: quoteText(quote) };
}

/**
 * Validators of a page that was read whole, so that a 304 confirms it. For a partial page, a 304 would confirm the
 * wrong content (RFC 9111 §3.3, §4.3.4).
 */
function validatorsOf({ headers, truncated }: HttpResponse): Pick<Outcome, 'etag' | 'lastModified'> {
  if (truncated) return { etag: '', lastModified: '' };
  return { etag: validator(headers, 'etag'), lastModified: validator(headers, 'last-modified') };
}

/** Returns the validator. Empty: there is none, or it is too long to send back. */
export function validator(headers: Headers, name: string): string {
  const value = headerOf(headers, name);
  return value.length > validatorCharsMax ? '' : value;
}

function parse(
  reader: PageReader,
  url: string,
  { body, headers }: HttpResponse,
  type: PageType,
): WholePage | null | Promise<WholePage | null> {
  const contentType = contentTypeOf(headers) || null;
  const robotsTags = headersOf(headers, 'x-robots-tag');
  const { productToken, linksMax } = reader;
  if (type === 'text')
    return { parsed: plainPage(body, contentType, headerDirectives(robotsTags, productToken)), rich: null };
  const textCharsMax = fetcherLimits.textCharsMax;
  const options = { url, contentType, robotsTags, productToken, linksMax, textCharsMax, byteBudget: body.length };
  if (type === 'pdf') return reader.extractor.parsePdf(body, options);
  if (type === 'office') return reader.extractor.parseOffice(body, options);
  return reader.extractor.parse(body, options, reader.wishesOf?.(new URL(url).hostname));
}

function plainPage(body: Uint8Array, contentType: string | null, robots: ParsedPage['robots']): ParsedPage {
  // No character has more than four bytes.
  const { text, charset } = decodePage(body.subarray(0, fetcherLimits.textCharsMax * 4), contentType);
  return {
    links: [],
    linksDropped: 0,
    nofollowed: [],
    title: '',
    description: '',
    text: text.slice(0, fetcherLimits.textCharsMax),
    canonical: '',
    base: '',
    metaRefresh: null,
    robots,
    declaredLanguage: '',
    charset,
    complete: true,
  };
}

function linksOf(reader: PageReader, from: LinkOrigin, item: TaskUrl, parsed: ParsedPage): PageLinks {
  const refreshes = parsed.metaRefresh !== null && !parsed.robots.nofollow;
  const share = item.cash / Math.max(1, parsed.links.length + (refreshes ? 1 : 0));
  const plain = { depth: item.depth + 1, hop: 0, front: false, share };
  const found = gatherLinks(reader.links, from, parsed.links, plain, parsed.places);
  if (parsed.metaRefresh === null || !refreshes) return found;
  const hop = { depth: item.depth, hop: item.hop + 1, front: true, share };
  const refresh = gatherLinks(reader.links, from, [parsed.metaRefresh.url], hop);
  return {
    ...found,
    groups: [...found.groups, ...refresh.groups],
    count: found.count + refresh.count,
  };
}

function pageRecord(
  reader: PageReader,
  task: Task,
  item: TaskUrl,
  response: HttpResponse,
  mediaType: string,
  { parsed, rich }: WholePage,
  contentHash: string,
  links: number,
  usage: PageUsage[],
): Page {
  return {
    // A redirect may have led to another spelling of it.
    url: item.normal || (reader.links.normalize(item.url) ?? item.url),
    hostKey: task.hostKey,
    status: response.status,
    fetchedAtMs: response.endMs,
    depth: item.depth,
    contentType: mediaType,
    charset: parsed.charset,
    title: parsed.title,
    description: parsed.description,
    text: isForMachines(mediaType) ? '' : parsed.text,
    canonical: parsed.canonical,
    contentHash,
    etag: validator(response.headers, 'etag'),
    lastModified: validator(response.headers, 'last-modified'),
    bytes: response.body.length,
    truncated: response.truncated || !parsed.complete,
    noindex: parsed.robots.noindex,
    nofollow: parsed.robots.nofollow,
    links,
    linksDropped: parsed.linksDropped,
    declaredLanguage: parsed.declaredLanguage,
    mainText: rich?.mainText ?? '',
    markdown: rich?.markdown ?? '',
    language: rich?.language ?? '',
    metadata: rich === null ? '' : metadataJson(rich.metadata),
    fields: rich === null ? [] : [...rich.fields],
    nofollowed: pageOutlinks(parsed.nofollowed, reader.links.normalize, richLimits.nofollowedCharsMax),
    outlinks: reader.outlinks ? pageOutlinks(parsed.links, reader.links.normalize) : [],
    rendered: false,
    tags: item.tags,
    usage,
  };
}
