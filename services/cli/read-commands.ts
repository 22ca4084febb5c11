/** `crawlstream pages` and `crawlstream stats`: reading a data folder, during a crawl and after it. */
import { once } from 'node:events';
import type { Command } from 'commander';
import type { Page } from '../../schemas/types.ts';
import { sumCounters } from '../../topology/frontier/counters.ts';
import type { CrawlEnd } from '../../topology/frontier/crawl-end.ts';
import { crawlEnd } from '../../topology/frontier/crawl-end.ts';
import { openCodec } from '../runtime/avro/record-codec.ts';
import { SystemClock } from '../runtime/clock.ts';
import { lookAt } from '../runtime/crawl/look.ts';
import type { DataFolder } from '../runtime/data-folder/data-folder.ts';
import { readDataFolder } from '../runtime/data-folder/data-folder.ts';
import type { ReadOnlyLog } from '../runtime/log/read-only.ts';
import { openReadOnlyLog } from '../runtime/log/read-only.ts';
import { recordsOf } from '../runtime/log/records-of.ts';
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
      const topic = `${crawl}.pages`;
      // What is there when the reading begins, and no more: a crawl may be appending.
      const { start, end } = await log.offsets(topic, partition);
      for await (const { value } of recordsOf(log, topic, partition, start, end)) {
        await codec.prepare('pages', value);
        const page: Page = codec.decode('pages', value);
        if (!flags.all && printed.has(page.url)) continue;
        if (!flags.all) printed.add(page.url);
        if (!process.stdout.write(`${JSON.stringify(page)}\n`)) await once(process.stdout, 'drain');
      }
    }
  });
}

function printStats(flags: ReadFlags): Promise<void> {
  return withLog(flags, async (log, folder) => {
    const { policy } = await readRequest(folder);
    const { crawl, partitions } = folder.manifest;
    const look = await lookAt(log, crawl, partitions, policy?.pageQuota ?? null);
    // One look is enough for a report: the log is a snapshot.
    const end = crawlEnd(look, look);
    const counts = countsOf(sumCounters(look.partitions.map(({ counters }) => counters)));
    if (flags.json) process.stdout.write(`${JSON.stringify({ ...counts, end })}\n`);
    else process.stdout.write(`${countsText(counts)}\n  ${endText(end)}\n`);
  });
}

function endText(end: CrawlEnd): string {
  if (end === 'done') return 'the crawl is done';
  return end === 'quotaSpent' ? 'the page quota is spent' : 'the crawl is not at its end';
}
