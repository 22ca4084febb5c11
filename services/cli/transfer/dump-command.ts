/**
 * `crawlstream dump`: writes a crawl's frontier to a file, for another cluster, another partition count, or as a
 * backup.
 */

import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { DumpTotals } from '../../../topology/frontier/transfer/dump-line.ts';
import { storedPolicy } from '../../../topology/policy/validate.ts';
import { type DumpOptions, dumpCrawl } from '../../frontier/transfer/dump-crawl.ts';
import { logFolder, readRequest } from '../../hosting/connect/crawl-folder.ts';
import { refuseServed } from '../../hosting/connect/refuse-served.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import { printRestore } from '../../hosting/progress/restore-text.ts';
import { createWorkBar } from '../../hosting/progress/work-bar.ts';
import { withSnapshots } from '../../hosting/state/open-snapshot-repository.ts';
import { type StateSource, withCheckpoint, withScratch, withStates } from '../../hosting/state/state-source.ts';
import { refuseMembers } from '../../operation/transfer/refuse-members.ts';
import { counted } from '../../runtime/counted.ts';
import { readControl } from '../../runtime/crawl/control-log.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import { isStandardOutput } from '../../runtime/disk/named-file.ts';
import { type LineWriter, openLineWriter } from '../../runtime/lines/line-writer.ts';
import { createListFiles } from '../../runtime/policy/list-files.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import { createOverlayStore } from '../../runtime/store/overlay-store.ts';
import { productVersion } from '../../runtime/version.ts';
import { addCrawlOptions } from '../flags/kafka-flags.ts';

export interface DumpFlags extends KafkaFlags {
  /** The place of snapshots. Absent: the data folder. */
  readonly snapshots?: string;
  readonly json?: boolean;
}

export function addDumpCommand(program: Command): void {
  const command = program
    .command('dump')
    .description('write the frontier of a stopped crawl to a file: queues, hosts, known URLs, policy')
    .argument('<file>', 'JSON lines, gzip where its name ends in .gz; - for standard output');
  addCrawlOptions(command, 'data folder of the crawl; stop the crawl first')
    .option(
      '--snapshots <place>',
      'place of the crawl’s snapshots, if not the data folder: a folder, or s3://bucket/prefix',
    )
    .option('--json', 'print the totals as one JSON object')
    .action((file: string, flags: DumpFlags) => dump(file, flags));
}

async function dump(file: string, flags: DumpFlags): Promise<void> {
  const totals = await dumpTo(file, flags);
  // The dump itself may go to standard output.
  const isOutput = file === '-' || (await isStandardOutput(file));
  const say = flags.json && !isOutput ? process.stdout : process.stderr;
  say.write(flags.json ? `${JSON.stringify({ file, ...totals })}\n` : `${totalsText(totals)} in ${file}\n`);
}

export async function dumpTo(file: string, flags: DumpFlags): Promise<DumpTotals> {
  let totals: DumpTotals | undefined;
  await withStates(flags, async (source) => {
    refuseServed(source.manifest, 'dump', 'list its URLs with ListURLs of the URLFrontier API instead');
    if (source.brokersLog !== null) await refuseMembers(source.brokersLog, source.manifest.crawl, 'dump');
    const head = await headOf(source);
    const lines = counting(await openLineWriter(file));
    try {
      const lists = createListFiles(source.folder?.part('lists'));
      const fetchersGone = source.folder !== null && flags.brokers === undefined && !(await isHeld(source.folder));
      const withStart: DumpOptions['withStart'] = (partition, act) =>
        withSnapshots(source, partition, flags.snapshots, (found) =>
          withCheckpoint(source, partition, (checkpoint) =>
            checkpoint === undefined
              ? withScratch((store) => act({ ...found, store }))
              : act({ ...found, store: createOverlayStore(checkpoint) }),
          ),
        );
      totals = await dumpCrawl({ ...source, head, lines, lists, fetchersGone, withStart, onProgress: printRestore });
    } catch (error) {
      await lines.abandon();
      throw error;
    }
  });
  return totals!;
}

/** Shows on a terminal how many lines there are. */
function counting(lines: LineWriter): LineWriter {
  const bar = createWorkBar('lines written', 0);
  return {
    write(line) {
      bar.add(1);
      lines.write(line);
    },
    flush: () => lines.flush(),
    finish() {
      bar.end();
      return lines.finish();
    },
    abandon() {
      bar.end();
      return lines.abandon();
    },
  };
}

/** Does a crawl hold the folder? Its fetchers are in the same process. */
async function isHeld(folder: DataFolder): Promise<boolean> {
  try {
    await (await openStateStore(logFolder(folder))).close();
    return false;
  } catch (error) {
    if (error instanceof CrawlstreamError && error.code === 'DATA_FOLDER_LOCKED') return true;
    throw error;
  }
}

/** The options' request: in the crawl.json of a data folder, or on Kafka in `control`. */
async function headOf({ log, codec, manifest, folder }: StateSource) {
  const { policy, asked } = await readControl(log, codec, manifest.crawl);
  const request = folder === null ? { seeds: [], policy: null } : await readRequest(folder);
  const parsed = (one: typeof policy) => (one === null ? null : storedPolicy(JSON.parse(one.json)));
  return {
    id: randomBytes(8).toString('hex'),
    madeBy: productVersion,
    policy: parsed(policy),
    asked: request.policy ?? parsed(asked),
    seeds: request.seeds,
  };
}

export function totalsText({ admitted, places, hosts, imported, links }: DumpTotals): string {
  const count = (number: number) => number.toLocaleString('en-US');
  const waiting = places.queued + places.retrying + places.deferred;
  const more = [
    imported > 0 ? `, ${count(imported)} known from elsewhere` : '',
    links > 0 ? `, ${counted(links, 'link', count(links))} not decided yet` : '',
  ];
  return `${counted(admitted, 'URL', count(admitted))} of ${counted(hosts, 'host', count(hosts))}, ${count(waiting)} of them waiting${more.join('')}`;
}
