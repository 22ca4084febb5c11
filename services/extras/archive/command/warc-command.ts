/**
 * `crawlstream warc replay`: sends the responses of WARC files through parsing and discovery again, without a
 * network.
 *
 * Each page becomes the record that the fetcher would have made. Without a destination, pages are printed like those
 * of `crawlstream pages`; with one, `pages` and `discovered` records are appended to that crawl, for its frontier and
 * consumers.
 */
import { once } from 'node:events';
import type { Command } from 'commander';
import { addKafkaOptions } from '../../../cli/flags/kafka-flags.ts';
import { createContactRecords } from '../../../fetcher/unleased/contact-records.ts';
import { pageRecords } from '../../../fetcher/unleased/page-records.ts';
import { withFolderLog } from '../../../hosting/connect/folder-log.ts';
import { withKafka } from '../../../hosting/connect/kafka-connection.ts';
import { newCrawl } from '../../../hosting/connect/new-crawl.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import type { RecordCodec } from '../../../runtime/avro/record-codec.ts';
import { SystemClock } from '../../../runtime/clock.ts';
import { plainPage } from '../../../runtime/crawl/plain-page.ts';
import { openDataFolder } from '../../../runtime/data-folder/data-folder.ts';
import type { Manifest } from '../../../runtime/data-folder/manifest.ts';
import type { Log } from '../../../runtime/log/log.ts';
import { toStderr, toStdout } from '../../../runtime/logging/door.ts';
import { productVersion } from '../../../runtime/version.ts';
import { type Counts, replayFiles, type Sink } from '../replay-files.ts';
import { addColumnarCommand } from './columnar-command.ts';
import { addDeriveCommands } from './derive-command.ts';
import { addWaczCommand } from './wacz-command.ts';

interface ReplayFlags extends KafkaFlags {
  readonly json?: boolean;
}

export function addWarcCommand(program: Command): void {
  const warc = program
    .command('warc')
    .description('WARC files: parse again, pack as WACZ, make WAT, WET or a Parquet index');
  addKafkaOptions(
    warc
      .command('replay')
      .description('parse the responses of WARC files again, into a crawl or as JSON lines')
      .argument('<file...>', 'WARC files, in the order they were written'),
    'data folder of a new or finished crawl (without it and --brokers, pages are printed)',
  )
    .option('--json', 'print the counts as one JSON object; on stderr where pages go to stdout')
    .action((files: string[], flags: ReplayFlags) => replay(files, flags));
  addWaczCommand(warc);
  addColumnarCommand(warc);
  addDeriveCommands(warc);
}

async function replay(files: readonly string[], flags: ReplayFlags): Promise<void> {
  const clock = new SystemClock();
  const isPrinting = flags.brokers === undefined && flags.data === undefined;
  const say = (counts: Counts) => {
    const { pages, links, redirects, sitemaps, robots, other, lost } = counts;
    if (flags.json) return (isPrinting ? process.stderr : process.stdout).write(`${JSON.stringify(counts)}\n`);
    return toStderr(
      `${pages} pages, ${links} links; ${redirects} redirects, ${sitemaps} sitemaps, ${robots} robots.txt, ${other} other responses${lost > 0 ? `, ${lost} whose payload is in none of these files` : ''}\n`,
    );
  };
  if (flags.brokers !== undefined) {
    await withKafka(flags, clock, false, async ({ log, codec, manifest }) =>
      say(await replayFiles(files, manifest.keyMode, appendTo(log, codec, manifest))),
    );
  } else if (flags.data !== undefined) {
    const defaults = newCrawl(flags.crawl, flags.partitions ?? 1);
    const folder = await openDataFolder(flags.data, {}, { defaults, createdBy: productVersion, clock });
    await withFolderLog(folder, clock, async ({ log, codec }) =>
      say(await replayFiles(files, folder.manifest.keyMode, appendTo(log, codec, folder.manifest))),
    );
  } else {
    say(await replayFiles(files, 'host', print));
  }
}

const print: Sink = async (replayed) => {
  if (replayed.as !== 'page') return;
  const { page } = replayed.report;
  if (!toStdout(`${JSON.stringify(page && plainPage(page))}\n`)) await once(process.stdout, 'drain');
};

function appendTo(log: Log, codec: RecordCodec, manifest: Manifest): Sink {
  const contacts = createContactRecords(codec, manifest, 'warc-replay');
  return async (replayed) => {
    if (replayed.as === 'robots') contacts.readRobots(replayed.copy);
    const made =
      replayed.as === 'robots' || replayed.as === 'other' ? [] : pageRecords(replayed.report, codec, manifest);
    const records = [...contacts.take(), ...made];
    if (records.length > 0) await log.append(records);
  };
}
