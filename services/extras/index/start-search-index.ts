/** The index processor, declared in search-index.ts. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { ProcessorContext, RunningProcessor } from '../../application/processor/processor.ts';
import { pageReader } from '../../application/processor/read-page.ts';
import { runConsumer } from '../../application/processor/run-consumer.ts';
import { groupPositions, ownPositions } from '../../runtime/consumer/positions.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import { changesOf, indexTopics } from './index-change.ts';
import { indexLimits } from './index-limits.ts';
import { openOpenSearch } from './opensearch-index.ts';
import { openSqliteIndex } from './sqlite-index.ts';

export function startSearchIndex(
  context: ProcessorContext,
  {
    opensearch,
    opensearchIndex,
  }: { readonly opensearch?: string | undefined; readonly opensearchIndex?: string | undefined },
): Promise<RunningProcessor> {
  return opensearch === undefined ? startSqlite(context) : startOpenSearch(context, opensearch, opensearchIndex);
}

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
    // One file has one writer: on Kafka, other processes stand by.
    alone: true,
    close: async () => index.close(),
  });
}

/**
 * The index's name: the given one, or the crawl's in lower case, without leading characters that OpenSearch forbids;
 * empty: no character is left.
 */
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
  if (name === '')
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `--opensearch-index is missing: the crawl name ${manifest.crawl} has no letter or digit; give a name that begins with one`,
    );
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
