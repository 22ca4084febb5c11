/** `crawlstream pages` and `crawlstream stats`: reading a crawl, in a data folder or on Kafka, during it and after. */
import { once } from 'node:events';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../topology/errors.ts';
import { sumCounters } from '../../topology/frontier/counters.ts';
import type { CrawlEnd } from '../../topology/frontier/crawl-end.ts';
import { crawlEnd } from '../../topology/frontier/crawl-end.ts';
import { parsePolicy } from '../../topology/policy/validate.ts';
import type { RecordCodec } from '../runtime/avro/record-codec.ts';
import { openCodec } from '../runtime/avro/record-codec.ts';
import { SystemClock } from '../runtime/clock.ts';
import { readControl } from '../runtime/crawl/control-log.ts';
import { lookAt } from '../runtime/crawl/look.ts';
import type { CrawlTopics } from '../runtime/crawl/requests.ts';
import { readDataFolder } from '../runtime/data-folder/data-folder.ts';
import type { Log } from '../runtime/log/log.ts';
import { openReadOnlyLog } from '../runtime/log/read-only.ts';
import { recordsOf } from '../runtime/log/records-of.ts';
import { countsOf, countsText } from './counters-text.ts';
import { logFolder } from './crawl-folder.ts';
import { withKafka } from './kafka-connection.ts';
import type { KafkaFlags } from './kafka-flags.ts';
import { addKafkaOptions } from './kafka-flags.ts';

interface ReadFlags extends KafkaFlags {
  readonly json?: boolean;
  readonly all?: boolean;
}

interface ReadableCrawl {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly topics: CrawlTopics;
}

export function addReadCommands(program: Command): void {
  addKafkaOptions(
    program.command('pages').description('print the pages of a crawl as JSON lines, each URL once'),
    'data folder of the crawl',
  )
    .option('--all', 'every record, also of a page that a crash made us fetch again')
    .action((flags: ReadFlags) => withCrawl(flags, (crawl) => printPages(crawl, flags)));
  addKafkaOptions(program.command('stats').description('print the counters of a crawl'), 'data folder of the crawl')
    .option('--json', 'as one JSON object')
    .action((flags: ReadFlags) => withCrawl(flags, (crawl) => printStats(crawl, flags)));
}

async function withCrawl(flags: ReadFlags, act: (crawl: ReadableCrawl) => Promise<void>): Promise<void> {
  const clock = new SystemClock();
  if (flags.brokers !== undefined) {
    return withKafka(flags, clock, false, ({ log, codec, manifest }) => act({ log, codec, topics: manifest }));
  }
  if (flags.data === undefined) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      '--data is missing: name the data folder of the crawl, or its --brokers',
    );
  }
  const folder = await readDataFolder(flags.data);
  const log = await openReadOnlyLog(logFolder(folder), clock);
  try {
    await act({ log, codec: await openCodec(log.registry, folder.manifest.crawl), topics: folder.manifest });
  } finally {
    await log.close();
  }
}

async function printPages({ log, codec, topics }: ReadableCrawl, { all }: ReadFlags): Promise<void> {
  const printed = new Set<string>();
  const topic = `${topics.crawl}.pages`;
  for (let partition = 0; partition < topics.partitions; partition++) {
    // What is there when the reading begins, and no more: a crawl may be appending.
    const { start, end } = await log.offsets(topic, partition);
    for await (const { value } of recordsOf(log, topic, partition, start, end)) {
      await codec.prepare('pages', value);
      const page = codec.decode('pages', value);
      if (!all && printed.has(page.url)) continue;
      if (!all) printed.add(page.url);
      if (!process.stdout.write(`${JSON.stringify(page)}\n`)) await once(process.stdout, 'drain');
    }
  }
}

async function printStats({ log, codec, topics }: ReadableCrawl, flags: ReadFlags): Promise<void> {
  const { crawl, partitions } = topics;
  const { policy } = await readControl(log, codec, crawl);
  const pageQuota = policy === null ? null : parsePolicy(policy.json).pageQuota;
  // Two looks, as the end needs; in a data folder they are of one snapshot.
  const before = await lookAt(log, crawl, partitions, pageQuota);
  const look = await lookAt(log, crawl, partitions, pageQuota);
  const end = crawlEnd(before, look);
  const counts = countsOf(sumCounters(look.partitions.map(({ counters }) => counters)));
  if (flags.json) process.stdout.write(`${JSON.stringify({ ...counts, end })}\n`);
  else process.stdout.write(`${countsText(counts)}\n  ${endText(end)}\n`);
}

function endText(end: CrawlEnd): string {
  if (end === 'done') return 'the crawl is done';
  return end === 'quotaSpent' ? 'the page quota is spent' : 'the crawl is not at its end';
}
