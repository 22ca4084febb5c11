/**
 * Turns a response into the report of its URL: outcome, page, links.
 *
 * Redirects are not followed: the target becomes a link of the same depth, with the redirect count one higher, at the
 * front of its queue. A meta refresh is published the same way. A page with nofollow publishes no links. A feed's
 * entries are its links.
 */
import { hash } from 'node:crypto';
import type { Outcome, Task } from '../../../schemas/types.ts';
import { pageSignature } from '../../../topology/content/text-signature.ts';
import { withoutNul } from '../../../topology/content/without-nul.ts';
import { headerDirectives } from '../../../topology/parse/directives.ts';
import { looksLikeFeed } from '../../../topology/parse/looks-like-feed.ts';
import { isSoft404 } from '../../../topology/parse/soft-404.ts';
import { leftOutText } from '../../runtime/crawl/left-out.ts';
import { notPublishedText } from '../../runtime/crawl/not-published.ts';
import { HookFailed } from '../hooks/run-hooks.ts';
import type { HttpResponse } from '../http/client.ts';
import { gatherLinks, type LinkOrigin } from '../publish/page-links.ts';
import { type Answer, answerOf, unreadable, validatorsOf } from './answer.ts';
import { linksOf } from './answer-links.ts';
import { canonicalTarget } from './canonical-target.ts';
import { readFeed } from './feed-report.ts';
import { bare, type PageReader, type PageReport } from './page-reader.ts';
import { pageRecord } from './page-record.ts';
import { parseAnswer, type ReadAs, readAs, withHead } from './parse-answer.ts';
import type { WholePage } from './parse-page.ts';
import { isRequisite, requisiteReport, withRequisites } from './requisites.ts';
import { type SiteUsage, usageRecord } from './usage-record.ts';

/**
 * Plugins' hooks for the response run first, those for the page last. If a plugin fails, the page counts as one that
 * could not be read, and the outcome names the plugin.
 */
export async function readPage(...args: Parameters<typeof readAnswer>): Promise<PageReport> {
  const [reader, task, index, received, ...rest] = args;
  const { hooks } = reader;
  if (hooks === undefined || received.status === 0) return clean(await readAnswer(...args));
  const item = task.urls[index]!;
  try {
    const response = await hooks.response(item.url, received);
    const read = await readAnswer(reader, task, index, response, ...rest);
    if (read.page === null) return clean(read);
    const { page, droppedBy } = await hooks.page(read.page, response);
    if (droppedBy === '') return clean({ ...read, page, response });
    const detail = notPublishedText(`plugin ${droppedBy} drops it`, read.outcome.detail);
    return clean({ ...read, page, outcome: { ...read.outcome, detail }, response });
  } catch (error) {
    // Any other error is a bug of ours, and ends the fetcher.
    if (!(error instanceof HookFailed)) throw error;
    return bare(unreadable(item, index, received, error.message));
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
  source: Pick<LinkOrigin, 'source' | 'sourceKey'>,
  traceparent = '',
  site: readonly SiteUsage[] = [],
): Promise<PageReport> {
  const answer = answerOf(task.urls[index]!, index, response);
  const { item, outcome } = answer;
  const from = { url: item.normal || item.url, atMs: response.endMs, traceparent, tags: item.tags, ...source };
  if (outcome.kind === 'redirect') return leadingTo(reader, from, answer, answer.target!, outcome.detail);
  if (outcome.kind === 'notModified') return unchanged(reader, answer, site);
  if (outcome.kind !== 'fetched') return bare(outcome);
  const as = readAs(reader, answer);
  const unread = notRead(reader, from, answer, as);
  if (unread !== null) return unread;
  const beforeMs = performance.now();
  const parsing = parseAnswer(reader, answer, as);
  const whole = parsing instanceof Promise ? await parsing : parsing;
  if (whole === null) return bare({ ...outcome, kind: 'parseFailed', detail: 'the parser was stopped' });
  const report = pageReport(reader, task, from, answer, as, whole, site);
  // A worker has its own core.
  const readMs = parsing instanceof Promise ? 0 : performance.now() - beforeMs;
  return { ...report, readMs };
}

/** A redirect to `url`: as the server says, or by the page's canonical. */
function leadingTo(reader: PageReader, from: LinkOrigin, answer: Answer, url: string, detail: string): PageReport {
  const { item, outcome } = answer;
  // The target redirected when it was fetched before. With the cookies set since then it may answer otherwise, so it
  // is fetched again.
  const intent = reader.redirected?.(item.url, reader.links.normalize(url) ?? url) === true ? 'force' : 'discover';
  const hop = { depth: item.depth, hop: item.hop + 1, front: true, share: item.cash, intent } as const;
  const { groups, pending } = gatherLinks(reader.links, from, [url], hop);
  return { ...bare({ ...outcome, kind: 'redirect', redirectUrl: url, detail }), groups, pending };
}

/** RFC 9111 §3.2: the fields of a 304 replace the earlier ones. */
function unchanged({ productToken }: PageReader, answer: Answer, site: readonly SiteUsage[]): PageReport {
  const { noindex } = headerDirectives(answer.head.robotsTags, productToken);
  const usage = usageRecord(site, answer.response.headers, productToken);
  return { ...bare({ ...answer.outcome, ...validatorsOf(answer), noindex }), usage };
}

/** The report of a body that is not read as a page; null: it is read. */
function notRead(reader: PageReader, from: LinkOrigin, answer: Answer, { type, byPlugin }: ReadAs): PageReport | null {
  const { mediaType } = answer.head;
  if (byPlugin) return null;
  if (reader.requisites?.() === true && isRequisite(mediaType)) return requisiteReport(reader.links, from, answer);
  if (type !== 'other') return null;
  return bare({ ...answer.outcome, kind: 'refused', detail: `type ${mediaType || 'unknown'} is not read` });
}

function pageReport(
  reader: PageReader,
  task: Task,
  from: LinkOrigin,
  answer: Answer,
  { type, byPlugin }: ReadAs,
  whole: WholePage,
  site: readonly SiteUsage[],
): PageReport {
  const { item, response } = answer;
  const { body, headers } = response;
  const shown = withHead(reader, answer, whole);
  const { parsed, hereMs: richMs } = shown;
  const canonical =
    reader.canonicals?.() === true ? canonicalTarget(from.url, parsed.canonical, reader.links.normalize) : null;
  if (canonical !== null) return leadingTo(reader, from, answer, canonical, 'its rel=canonical');
  const mayBeFeed = !byPlugin && (type === 'html' || type === 'text');
  const feed = mayBeFeed && looksLikeFeed(body) ? readFeed(reader.links, from, answer, parsed.robots.nofollow) : null;
  const found = feed?.links ?? linksOf(reader, from, item, parsed);
  const links = withRequisites(reader, type, from, answer, found);
  const contentHash = hash('sha256', body, 'hex');
  const usage = usageRecord(site, headers, reader.productToken, parsed.usageMetas, contentHash);
  const page = pageRecord(reader, task, answer, shown, {
    contentHash,
    links: links.count,
    usage,
    isFeed: feed !== null,
  });
  const outcome: Outcome = {
    ...answer.outcome,
    ...validatorsOf(answer),
    contentHash,
    links: links.count,
    linksDropped: parsed.linksDropped,
    noindex: parsed.robots.noindex,
    soft404: isSoft404(parsed.title),
    detail: leftOutText([...links.leftOut].map(([plugin, one]) => ({ plugin, ...one }))),
    textSignature: task.signatures && !item.unsigned ? (feed?.signature ?? signatureOf(whole)) : '',
  };
  const { groups, pending } = links;
  return { outcome, page, groups, pending, readMs: 0, ...(richMs !== undefined && { richMs }) };
}

/**
 * The text that shows whether a page has changed: its main text, if a rule asks for it. Navigation and dates around it
 * change anyway.
 */
function signatureOf({ parsed, rich }: WholePage): string {
  const { title, description, canonical } = parsed;
  return pageSignature(rich?.mainText || parsed.text, [title, description, canonical]);
}
