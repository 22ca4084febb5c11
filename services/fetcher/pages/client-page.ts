/** Turns a client's report of a URL that it fetched into our report. */
import { blankPage } from '../../../schemas/blank.ts';
import type { Outcome, Page, Request, Task } from '../../../schemas/types.ts';
import { isRetriable } from '../../../topology/fetch/outcome.ts';
import { headerDirectives } from '../../../topology/parse/directives.ts';
import type { Report } from '../../runtime/leases/outside.ts';
import { fetcherLimits } from '../fetcher-limits.ts';
import type { HttpResponse } from '../http/client.ts';
import { headersOf } from '../http/headers.ts';
import { outcomeOf } from '../http/outcomes.ts';
import type { LinkOrigin } from '../publish/page-links.ts';
import { bare, type PageReader, type PageReport } from './page-reader.ts';
import { mediaTypeOf } from './page-type.ts';
import { readPage } from './report.ts';
import { validator } from './response-head.ts';
import { type SiteUsage, usageRecord } from './usage-record.ts';

/** A body that came along is parsed like ours. A page that the client parsed has the client's content. */
export async function readClientResult(
  reader: PageReader,
  task: Task,
  index: number,
  result: Report,
  response: HttpResponse,
  origin: Pick<LinkOrigin, 'source' | 'sourceKey'>,
  traceparent: string | undefined,
  site: readonly SiteUsage[],
): Promise<PageReport> {
  const item = task.urls[index]!;
  const { kind, detail, links, body } = result;
  if (kind !== null)
    return bare(outcomeOf(index, item.url, kind, { detail, status: result.status, bytes: result.bytes }));
  const isPage = response.failure === null && response.status >= 200 && response.status < 300;
  if (!isPage || body !== null) {
    const read = await readPage(reader, task, index, response, origin, traceparent, site);
    const isOver = result.final && result.status > 0 && isRetriable(read.outcome.kind);
    const outcome: Outcome = {
      ...read.outcome,
      ...(isOver && { kind: 'clientError' as const }),
      detail: detail || read.outcome.detail,
      links: read.outcome.links + links,
    };
    // The target of a redirect is published whatever the client wants: the chain would end here.
    if (!isPage || result.follow) return { ...read, outcome };
    return { ...read, outcome: { ...outcome, links }, groups: [], pending: [] };
  }
  const { headers, status } = response;
  const { noindex, nofollow } = headerDirectives(headersOf(headers, 'x-robots-tag'), reader.productToken);
  const common = {
    status,
    bytes: result.bytes,
    contentHash: result.contentHash,
    etag: validator(headers, 'etag'),
    lastModified: validator(headers, 'last-modified'),
    links,
    noindex,
  };
  const outcome: Outcome = outcomeOf(index, item.url, 'fetched', { ...common, detail });
  const page: Page = {
    ...blankPage,
    ...common,
    url: item.normal || (reader.links.normalize(item.url) ?? item.url),
    hostKey: task.hostKey,
    tags: item.tags,
    fetchedAtMs: response.endMs,
    depth: item.depth,
    contentType: mediaTypeOf(headers),
    title: result.title,
    text: result.text.slice(0, fetcherLimits.textCharsMax),
    nofollow,
    usage: usageRecord(site, headers, reader.productToken),
  };
  return { outcome, page, groups: [], pending: [], readMs: 0 };
}

/** The requests that were made: none, if the client says so. */
export function madeBy({ kind, bytes, body }: Report, request: Request): Request[] {
  if (kind === 'returned' || kind === 'robotsDenied') return [];
  return [body === null ? { ...request, bytes } : request];
}
