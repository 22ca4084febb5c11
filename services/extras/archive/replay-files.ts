/** Reads the responses of WARC files again, without a network: each becomes what the fetcher would have made of it. */
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { hostKeyOf, type KeyMode, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { fetcherLimits } from '../../fetcher/fetcher-limits.ts';
import { decodeBody } from '../../fetcher/http/content-coding.ts';
import { listOf } from '../../fetcher/http/headers.ts';
import { productToken } from '../../fetcher/http/identity.ts';
import { requestLimits } from '../../fetcher/http/request-limits.ts';
import { createExtractor } from '../../fetcher/pages/extract.ts';
import type { PageReader } from '../../fetcher/pages/page-reader.ts';
import { wantsBody } from '../../fetcher/pages/wanted-bodies.ts';
import { createLinkCache } from '../../fetcher/publish/link-cache.ts';
import { archiveLimits } from './archive-limits.ts';
import { readExchanges } from './exchanges.ts';
import { httpMessageOf } from './http-message.ts';
import { type Replayed, replayAnswer } from './replay-answer.ts';
import { createPayloads, type Payloads } from './warc-payloads.ts';

/** Takes what one answer gave. */
export type Sink = (replayed: Replayed) => Promise<void>;

export interface Counts {
  readonly pages: number;
  readonly links: number;
  readonly redirects: number;
  readonly sitemaps: number;
  readonly robots: number;
  /** Other answers. */
  readonly other: number;
  /** Revisits of payloads that are not available. */
  readonly lost: number;
}

export async function replayFiles(files: readonly string[], keyMode: KeyMode, sink: Sink): Promise<Counts> {
  const counts = { pages: 0, links: 0, redirects: 0, sitemaps: 0, robots: 0, other: 0, lost: 0 };
  const cache = createLinkCache(fetcherLimits.linkCacheEntries);
  const extractor = createExtractor();
  const links = { normalize: compileNormalizer(), cache };
  const linksMax = crawlLimits.linksPerPage;
  const reader: PageReader = { extractor, links, productToken, linksMax, outlinks: false, documents: [] };
  const payloads = createPayloads(archiveLimits.payloadsBytesMax);
  try {
    for (const file of files) {
      for await (const { answer, kind, depth = 0 } of readExchanges(file)) {
        const { type, fields, block } = answer;
        const url = fields.get('warc-target-uri')?.replace(/^<|>$/g, '') ?? '';
        if (!/^https?:/i.test(url)) continue;
        const response = await responseOf(type, fields, block, payloads);
        if (response === null) {
          counts.lost += 1;
          continue;
        }
        const hostKey = hostKeyOf(links.normalize(url) ?? url);
        const sourceKey = partitionKeyOf(hostKey, keyMode);
        const source = { sourceKey, source: cache.source(sourceKey) };
        const replayed = await replayAnswer(reader, { url, hostKey, depth, kind, response }, source);
        if ('report' in replayed) cache.remember(replayed.report.pending);
        await sink(replayed);
        counts[countOf[replayed.as]] += 1;
        if (replayed.as === 'page') counts.links += replayed.report.page?.links ?? 0;
      }
    }
  } finally {
    await extractor.close();
  }
  return counts;
}

const countOf = {
  page: 'pages',
  redirect: 'redirects',
  sitemap: 'sitemaps',
  robots: 'robots',
  other: 'other',
} as const;

/** Null: a revisit of a payload that is not available. */
async function responseOf(type: string, fields: ReadonlyMap<string, string>, block: Buffer, payloads: Payloads) {
  const message = httpMessageOf(block);
  const digest = fields.get('warc-payload-digest') ?? '';
  const rawBody = type === 'revisit' ? payloads.get(digest) : (message?.body ?? Buffer.alloc(0));
  if (rawBody === undefined) return null;
  if (type === 'response' && digest !== '') payloads.keep(digest, rawBody);
  const { status = 0, headers = [] } = message ?? {};
  const wanted = wantsBody(status, headers);
  const decoded = wanted
    ? await decodeBody(rawBody, listOf(headers, 'content-encoding'), requestLimits.bodyBytesMax)
    : undefined;
  const failed = decoded !== undefined && 'error' in decoded;
  const body = decoded === undefined || failed ? Buffer.alloc(0) : decoded.body;
  const atMs = Date.parse(fields.get('warc-date') ?? '') || 0;
  return {
    status,
    headers,
    body,
    rawBody,
    truncated: fields.has('warc-truncated') || (decoded !== undefined && !failed && decoded.truncated),
    address: fields.get('warc-ip-address') ?? '',
    startMs: atMs,
    endMs: atMs,
    connectMs: 0,
    firstByteMs: 0,
    failure: failed ? ({ kind: 'badResponse', detail: decoded.error } as const) : null,
    staleConnection: false,
    unreached: false,
  };
}
