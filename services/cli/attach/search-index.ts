/** The search index as a consumer: SQLite in `DATA/index/`, or OpenSearch. */
import type { Command } from 'commander';
import { indexLimits } from '../../../topology/consumer-limits.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { changesOf, indexTopics } from '../../indexer/index-change.ts';
import { openOpenSearch } from '../../indexer/opensearch-index.ts';
import { openSqliteIndex } from '../../indexer/sqlite-index.ts';
import { groupPositions, ownPositions } from '../../runtime/consumer/positions.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import { bad } from '../flags/arguments.ts';
import type { AttachContext, Attached } from './attach.ts';
import { attach } from './attach.ts';
import { pageReader } from './read-page.ts';

export interface IndexFlags {
  /** URL of a node. Absent: SQLite in the data folder. */
  readonly opensearch?: string;
  readonly opensearchIndex?: string;
}

export function addIndexOptions(command: Command): Command {
  return command
    .option('--opensearch <url>', 'index into OpenSearch instead of a file in the data folder', nodeUrl)
    .option('--opensearch-index <name>', 'name of its index (default: the name of the crawl)', indexName);
}

function nodeUrl(value: string): string {
  if (URL.canParse(value) && /^https?:/.test(value)) return value;
  throw bad('--opensearch', value, 'give the URL of a node, as in http://localhost:9200');
}

/** OpenSearch's own rule, and none of its hidden ones. */
function indexName(value: string): string {
  if (/^[a-z0-9][a-z0-9_.-]{0,200}$/.test(value)) return value;
  throw bad('--opensearch-index', value, 'use lower-case letters, digits, _, . and -');
}

export function attachIndex(context: AttachContext, flags: IndexFlags): Promise<Attached> {
  return flags.opensearch === undefined ? attachSqlite(context) : attachOpenSearch(context, flags, flags.opensearch);
}

async function attachSqlite(context: AttachContext): Promise<Attached> {
  const { log, manifest } = context;
  const purges = await readPurges(log, context.codec, manifest);
  const index = await openSqliteIndex(context.part('index'));
  const readPage = pageReader(context);
  return attach(context, {
    name: 'index',
    topics: indexTopics,
    batchRecords: indexLimits.embeddedBatch,
    handle: async (batch, { positions }) => index.applyAt(await changesOf(batch, readPage, purges), positions),
    positions: ownPositions(index.positions, groupPositions(log, `${manifest.crawl}.index`)),
    // One file, one writer: on Kafka others stand by.
    alone: true,
    close: async () => index.close(),
  });
}

async function attachOpenSearch(context: AttachContext, flags: IndexFlags, node: string): Promise<Attached> {
  const { log, manifest, clock } = context;
  const stopping = new AbortController();
  const name = flags.opensearchIndex ?? manifest.crawl.toLowerCase().replace(/^[^a-z0-9]+/, '');
  if (name === '') throw new CrawlstreamError('INVALID_ARGUMENT', '--opensearch-index is missing: name the index');
  const purges = await readPurges(log, context.codec, manifest);
  const index = await openOpenSearch({ node, index: name, clock, signal: stopping.signal });
  const readPage = pageReader(context);
  return attach(context, {
    name: 'index',
    topics: indexTopics,
    handle: async (batch, { signal }) => {
      signal.addEventListener('abort', () => stopping.abort(), { once: true });
      await index.apply(await changesOf(batch, readPage, purges));
    },
    positions: groupPositions(log, `${manifest.crawl}.index`),
    close: () => index.close(),
  });
}
