/** The search index as a consumer: SQLite in `DATA/index/`, or OpenSearch. */
import { z } from 'zod';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { changesOf, indexTopics } from '../../indexer/index-change.ts';
import { indexLimits } from '../../indexer/index-limits.ts';
import { openOpenSearch } from '../../indexer/opensearch-index.ts';
import { openSqliteIndex } from '../../indexer/sqlite-index.ts';
import { groupPositions, ownPositions } from '../../runtime/consumer/positions.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import { text } from '../processor/option.ts';
import {
  declareProcessor,
  type OptionMeta,
  type ProcessorContext,
  type RunningProcessor,
} from '../processor/processor.ts';
import { pageReader } from '../processor/read-page.ts';
import { runConsumer } from '../processor/run-consumer.ts';

const options = z.object({
  opensearch: text(
    (value) => URL.canParse(value) && /^https?:/.test(value),
    'give the URL of a node, as in http://localhost:9200',
  )
    .optional()
    .meta({
      value: '<url>',
      about: 'index into OpenSearch instead of a file in the data folder',
      reason: 'SQLite in the data folder needs no server',
    } satisfies OptionMeta),
  // OpenSearch's own rule, and none of its hidden ones.
  opensearchIndex: text(
    (value) => /^[a-z0-9][a-z0-9_.-]{0,200}$/.test(value),
    'use lower-case letters, digits, _, . and -',
  )
    .optional()
    .meta({
      value: '<name>',
      about: 'name of its index (default: the name of the crawl)',
      reason: 'the name of the crawl: one index a crawl',
    } satisfies OptionMeta),
});

export const searchIndex = declareProcessor({
  name: 'index',
  does: 'makes pages searchable, and takes out what is gone, unwanted there, or a duplicate',
  reads: ['pages', 'results', 'duplicates', 'control'],
  writes: ['dead-letters'],
  stores: ['search index'],
  options,
  storeMb: 128,
  start: (context, { opensearch, opensearchIndex }) =>
    opensearch === undefined ? startSqlite(context) : startOpenSearch(context, opensearch, opensearchIndex),
});

async function startSqlite(context: ProcessorContext): Promise<RunningProcessor> {
  const { log, manifest } = context;
  const purges = await readPurges(log, context.codec, manifest);
  const index = await openSqliteIndex(context.part('index'));
  const readPage = pageReader(context);
  return runConsumer(context, {
    name: 'index',
    topics: indexTopics,
    batchRecords: indexLimits.embeddedBatch,
    handle: async (batch, { positions, forgotten }) =>
      index.applyAt(await changesOf(batch, readPage, purges, forgotten), positions),
    positions: ownPositions(index.positions, groupPositions(log, `${manifest.crawl}.index`)),
    // One file, one writer: on Kafka others stand by.
    alone: true,
    close: async () => index.close(),
  });
}

/** The index's name: as given, or that of the crawl as OpenSearch allows it; empty: nothing is left of that. */
export function openSearchName(crawl: string, given: string | undefined): string {
  return given ?? crawl.toLowerCase().replace(/^[^a-z0-9]+/, '');
}

async function startOpenSearch(
  context: ProcessorContext,
  node: string,
  indexName: string | undefined,
): Promise<RunningProcessor> {
  const { log, manifest, clock } = context;
  const stopping = new AbortController();
  const name = openSearchName(manifest.crawl, indexName);
  if (name === '') throw new CrawlstreamError('INVALID_ARGUMENT', '--opensearch-index is missing: name the index');
  const purges = await readPurges(log, context.codec, manifest);
  const index = await openOpenSearch({ node, index: name, clock, signal: stopping.signal });
  const readPage = pageReader(context);
  return runConsumer(context, {
    name: 'index',
    topics: indexTopics,
    handle: async (batch, { signal, forgotten }) => {
      signal.addEventListener('abort', () => stopping.abort(), { once: true });
      await index.apply(await changesOf(batch, readPage, purges, forgotten));
    },
    positions: groupPositions(log, `${manifest.crawl}.index`),
    close: () => index.close(),
  });
}
