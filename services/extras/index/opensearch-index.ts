/**
 * A search index in OpenSearch, with its own client.
 *
 * Idempotent by URL: the id of a document is a hash of its URL, and its version is ours (`external_gte`), so
 * OpenSearch itself refuses older changes. It remembers deletions for `index.gc_deletes`, set to a day, because a
 * replay may bring a page long after its verdict as a duplicate. Only one bulk request is active at a time. Changes
 * without room in OpenSearch (429) are sent again after a growing pause; meanwhile nothing more is read: that is the
 * back-pressure.
 */
import { createHash } from 'node:crypto';
import type { Client } from '@opensearch-project/opensearch';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Purged } from '../../runtime/crawl/purges.ts';
import { neededPackage } from '../../runtime/needed-package.ts';
import type { IndexChange, SearchIndex } from './index-change.ts';
import { indexLimits } from './index-limits.ts';

export interface OpenSearchOptions {
  /** URL of a node, with user and password if required. */
  readonly node: string;
  /** Name of the index; created if it does not exist. */
  readonly index: string;
  readonly clock: Clock;
  /** Aborted: give up waiting for room. */
  readonly signal: AbortSignal;
}

const mappings = {
  properties: {
    url: { type: 'keyword' },
    host: { type: 'keyword' },
    language: { type: 'keyword' },
    title: { type: 'text' },
    description: { type: 'text' },
    text: { type: 'text' },
    fetchedAtMs: { type: 'date', format: 'epoch_millis' },
    untilMs: { type: 'date', format: 'epoch_millis' },
    snippet: { type: 'boolean' },
    tags: { type: 'keyword' },
  },
} as const;

export interface OpenSearchIndex extends SearchIndex {
  /** Every URL in the index at the time of the call. */
  urls(): AsyncGenerator<string>;
  close(): Promise<void>;
}

/** Throws DESTINATION_UNREACHABLE, or DESTINATION_REFUSED with its words. */
export async function openOpenSearch(options: OpenSearchOptions): Promise<OpenSearchIndex> {
  const { Client: ClientClass } = await neededPackage(
    '@opensearch-project/opensearch',
    `an index at ${options.node}`,
    () => import('@opensearch-project/opensearch'),
  );
  const client = new ClientClass({ node: options.node, requestTimeout: indexLimits.requestTimeoutMs, maxRetries: 0 });
  const { index } = options;
  try {
    const there = await client.indices.exists({ index });
    if (!there.body) {
      const settings = { index: { gc_deletes: '24h' } };
      await client.indices.create({ index, body: { settings, mappings } }).catch((error: unknown) => {
        // Another process made it first.
        if (!/resource_already_exists/.test(String(error))) throw error;
      });
    }
  } catch (error) {
    await client.close();
    throw named(error, options.node);
  }
  return {
    apply: async (changes) => {
      for (const some of inBulks(changes)) {
        const [first] = some;
        if (first?.kind === 'purge') await purge(client, options, first);
        else await send(client, options, some as readonly PageChange[]);
      }
    },
    urls: () => urlsOf(client, options),
    close: async () => client.close(),
  };
}

type PageChange = IndexChange & { readonly kind: 'put' | 'delete' };

/** Groups changes: a purge goes alone, other changes many at a time. */
function* inBulks(changes: readonly IndexChange[]): Generator<readonly IndexChange[]> {
  let bulk: IndexChange[] = [];
  let bytes = 0;
  for (const change of changes) {
    const size = change.kind === 'put' ? change.page.text.length + 1_000 : 200;
    const isApart = change.kind === 'purge' || bulk[0]?.kind === 'purge';
    if (bulk.length > 0 && (isApart || bytes + size > indexLimits.bulkBytes)) {
      yield bulk;
      bulk = [];
      bytes = 0;
    }
    bulk.push(change);
    bytes += size;
  }
  if (bulk.length > 0) yield bulk;
}

/** Makes all documents searchable first: others would not be found, and would stay. */
async function purge(client: Client, { index, node }: OpenSearchOptions, { hostKey, url }: Purged): Promise<void> {
  const query = { term: url === null ? { host: { value: hostKey } } : { url: { value: url } } };
  try {
    await client.indices.refresh({ index });
    await client.deleteByQuery({ index, conflicts: 'proceed', refresh: true, body: { query } });
  } catch (error) {
    throw named(error, node);
  }
}

async function* urlsOf(client: Client, { index, node }: OpenSearchOptions): AsyncGenerator<string> {
  try {
    await client.indices.refresh({ index });
    for (let after: readonly unknown[] | undefined; ; ) {
      const { body } = await client.search({
        index,
        body: {
          size: indexLimits.urlsPerSearch,
          _source: ['url'],
          sort: [{ url: 'asc' }],
          ...(after !== undefined && { search_after: after as never }),
        },
      });
      const hits = body.hits.hits as readonly {
        readonly _source?: { readonly url: string };
        readonly sort?: unknown[];
      }[];
      for (const { _source } of hits) if (_source !== undefined) yield _source.url;
      if (hits.length < indexLimits.urlsPerSearch) return;
      after = hits.at(-1)!.sort;
    }
  } catch (error) {
    throw named(error, node);
  }
}

interface ItemAnswer {
  readonly status: number;
  readonly error?: { readonly type: string; readonly reason?: string | null };
}

async function send(client: Client, options: OpenSearchOptions, changes: readonly PageChange[]): Promise<void> {
  const { clock, signal, node, index } = options;
  let left = changes;
  for (let waitMs: number = indexLimits.roomMs; ; waitMs = Math.min(2 * waitMs, indexLimits.roomMsMax)) {
    const again: PageChange[] = [];
    try {
      const { body } = await client.bulk({ index, body: left.flatMap(linesOf) as never });
      for (const [i, item] of body.items.entries()) {
        const answer = Object.values(item)[0] as ItemAnswer;
        if (answer.status === 429 || answer.status === 503) again.push(left[i]!);
        else if (!isSettled(answer)) throw refusal(node, left[i]!.url, answer);
      }
    } catch (error) {
      const problem = named(error, node);
      if (!(problem instanceof CrawlstreamError && problem.retriable) || signal.aborted) throw problem;
      again.push(...left);
    }
    if (again.length === 0) return;
    if (signal.aborted)
      throw new CrawlstreamError('DESTINATION_UNREACHABLE', `${node} has no free capacity now; retrying`);
    await clock.sleepUntil(clock.nowMs() + waitMs, signal);
    left = again;
  }
}

function linesOf(change: PageChange): object[] {
  const target = { _id: idOf(change.url), version: change.version, version_type: 'external_gte' };
  if (change.kind === 'delete') return [{ delete: target }];
  const { hostKey, ...page } = change.page;
  return [{ index: target }, { ...page, host: hostKey }];
}

/** Ids may have 512 bytes, URLs more. */
export function idOf(url: string): string {
  return createHash('sha256').update(url).digest('base64url');
}

/** 404: deleted before it existed. 409: the index has a newer version. */
function isSettled({ status }: ItemAnswer): boolean {
  return (status >= 200 && status < 300) || status === 404 || status === 409;
}

function refusal(node: string, url: string, { status, error }: ItemAnswer): CrawlstreamError {
  const said = `${error?.type ?? status}: ${error?.reason ?? 'no reason given'}`;
  return new CrawlstreamError('DESTINATION_REFUSED', `OpenSearch at ${nodeName(node)} refused ${url}: ${said}`);
}

/** Converts the client's errors to ours; any other error is a bug, and stays unchanged. */
function named(error: unknown, node: string): unknown {
  const { name, statusCode, message } = error as {
    readonly name: string;
    readonly statusCode?: number;
    readonly message: string;
  };
  const answered = name === 'ResponseError' && statusCode !== undefined;
  if (!answered && !awayNames.has(name)) return error;
  const away = !answered || statusCode === 429 || statusCode >= 500;
  const code = away ? 'DESTINATION_UNREACHABLE' : 'DESTINATION_REFUSED';
  return new CrawlstreamError(code, `OpenSearch at ${nodeName(node)}: ${message}`, error);
}

const awayNames = new Set(['ConnectionError', 'TimeoutError', 'NoLivingConnectionsError']);

/** Without user and password. */
function nodeName(node: string): string {
  return new URL(node).host;
}
