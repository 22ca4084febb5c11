/** `crawlstream pages` and `crawlstream stats`: reading a data folder, during a crawl and after it. */
import { once } from 'node:events';
import type { Command } from 'commander';
import type { Page } from '../../schemas/types.ts';
import type { Commit, InputPosition, InputTopic } from '../../topology/frontier/changelog.ts';
import { decodeChangelog, inputTopics } from '../../topology/frontier/changelog.ts';
import { sumCounters, zeroCounters } from '../../topology/frontier/counters.ts';
import type { CrawlEnd, PartitionStatus } from '../../topology/frontier/crawl-end.ts';
import { crawlEnd } from '../../topology/frontier/crawl-end.ts';
import { openCodec } from '../runtime/avro/record-codec.ts';
import { SystemClock } from '../runtime/clock.ts';
import type { DataFolder } from '../runtime/data-folder/data-folder.ts';
import { readDataFolder } from '../runtime/data-folder/data-folder.ts';
import type { ReadOnlyLog } from '../runtime/log/read-only.ts';
import { openReadOnlyLog } from '../runtime/log/read-only.ts';
import { countsOf, countsText } from './counters-text.ts';
import { logFolder, readRequest } from './crawl-folder.ts';

interface ReadFlags {
  readonly data: string;
  readonly json?: boolean;
  readonly all?: boolean;
}

export function addReadCommands(program: Command): void {
  program
    .command('pages')
    .description('print the pages of a crawl as JSON lines, each URL once')
    .requiredOption('--data <dir>', 'data folder of the crawl')
    .option('--all', 'every record, also of a page that a crash made us fetch again')
    .action(printPages);
  program
    .command('stats')
    .description('print the counters of a crawl')
    .requiredOption('--data <dir>', 'data folder of the crawl')
    .option('--json', 'as one JSON object')
    .action(printStats);
}

async function withLog<T>({ data }: ReadFlags, act: (log: ReadOnlyLog, folder: DataFolder) => Promise<T>): Promise<T> {
  const folder = await readDataFolder(data);
  const log = await openReadOnlyLog(logFolder(folder), new SystemClock());
  try {
    return await act(log, folder);
  } finally {
    await log.close();
  }
}

function printPages(flags: ReadFlags): Promise<void> {
  return withLog(flags, async (log, folder) => {
    const { crawl, partitions } = folder.manifest;
    const codec = await openCodec(log.registry, crawl);
    const printed = new Set<string>();
    for (let partition = 0; partition < partitions; partition++) {
      for await (const value of valuesOf(log, `${crawl}.pages`, partition)) {
        await codec.prepare('pages', value);
        const page: Page = codec.decode('pages', value);
        if (!flags.all && printed.has(page.url)) continue;
        if (!flags.all) printed.add(page.url);
        if (!process.stdout.write(`${JSON.stringify(page)}\n`)) await once(process.stdout, 'drain');
      }
    }
  });
}

/** What is there when the reading begins, and no more: a crawl may be appending. */
async function* valuesOf(log: ReadOnlyLog, topic: string, partition: number): AsyncGenerator<Buffer> {
  const { start, end } = await log.offsets(topic, partition);
  const reader = log.reader();
  reader.seek(topic, partition, start);
  try {
    for (let next = start; next < end; ) {
      for (const { offset, value } of await reader.poll({ maxBytes: 1 << 20, waitMs: 0 })) {
        if (offset < end) yield value;
        next = offset + 1;
      }
    }
  } finally {
    await reader.close();
  }
}

function printStats(flags: ReadFlags): Promise<void> {
  return withLog(flags, async (log, folder) => {
    const { policy } = await readRequest(folder);
    const partitions: PartitionStatus[] = [];
    for (let partition = 0; partition < folder.manifest.partitions; partition++) {
      partitions.push(await statusOf(log, folder.manifest.crawl, partition));
    }
    const look = { partitions, pageQuota: policy?.pageQuota ?? null };
    // One look is enough for a report: the log is a snapshot.
    const end = crawlEnd(look, look);
    const counts = countsOf(sumCounters(partitions.map(({ counters }) => counters)));
    if (flags.json) process.stdout.write(`${JSON.stringify({ ...counts, end })}\n`);
    else process.stdout.write(`${countsText(counts)}\n  ${endText(end)}\n`);
  });
}

/** From the newest commit, which carries positions and counters. */
async function statusOf(log: ReadOnlyLog, crawl: string, partition: number): Promise<PartitionStatus> {
  const ends = { control: 0, results: 0, discovered: 0 };
  for (const topic of inputTopics) ends[topic] = (await log.offsets(`${crawl}.${topic}`, partition)).end;
  const positions: Record<InputTopic, InputPosition> = { control: origin, results: origin, discovered: origin };
  const { commit, leasesEnded } = await newestCommit(log, `${crawl}.frontier-changelog`, partition);
  if (commit === undefined) return { ends, positions, counters: zeroCounters() };
  for (const { topic, to } of commit.inputs) positions[topic] = to;
  const { leased, queued } = commit.counters;
  const ended = { leases: 0, leased: 0, queued: queued + leased };
  return { ends, positions, counters: leasesEnded ? { ...commit.counters, ...ended } : commit.counters };
}

const origin: InputPosition = { offset: 0, slice: 0 };

/** Claims may follow it: an owner that has not decided anything yet. */
async function newestCommit(
  log: ReadOnlyLog,
  topic: string,
  partition: number,
): Promise<{ readonly commit: Commit | undefined; readonly leasesEnded: boolean }> {
  const { start, end } = await log.offsets(topic, partition);
  const reader = log.reader();
  let leasesEnded = false;
  try {
    for (let offset = end - 1; offset >= start; offset--) {
      reader.seek(topic, partition, offset);
      const [first] = await reader.poll({ maxBytes: 1, waitMs: 0 });
      const record = first === undefined ? undefined : decodeChangelog(first.value);
      if (record?.kind === 'commit') return { commit: record, leasesEnded };
      leasesEnded ||= record?.endsLeases === true;
    }
    return { commit: undefined, leasesEnded };
  } finally {
    await reader.close();
  }
}

function endText(end: CrawlEnd): string {
  if (end === 'done') return 'the crawl is done';
  return end === 'quotaSpent' ? 'the page quota is spent' : 'the crawl is not at its end';
}
