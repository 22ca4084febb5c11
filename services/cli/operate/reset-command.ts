/**
 * `crawlstream reset`: makes a crawl's frontier start over, on the same topics. Without `--yes` it only prints the
 * plan.
 *
 * It deletes positions, stores and internal topics (the changelog, tasks). Discovered links, policies, operators'
 * events and fetched pages stay; pages are fetched again.
 */
import { rm, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { resetPartition } from '../../frontier/restore/reset-partition.ts';
import { changelogTopic } from '../../frontier/restore/restore.ts';
import { stateFolder } from '../../hosting/connect/crawl-folder.ts';
import { needData, withFolderLog } from '../../hosting/connect/folder-log.ts';
import { withKafka } from '../../hosting/connect/kafka-connection.ts';
import { namedFolder } from '../../hosting/connect/own-folder.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { counted } from '../../runtime/counted.ts';
import { type DataFolder, readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { GroupStatus, Log } from '../../runtime/log/log.ts';
import { oneOf } from '../flags/arguments.ts';
import { addCrawlOptions } from '../flags/kafka-flags.ts';
import { print } from '../terminal/print.ts';

interface ResetFlags extends KafkaFlags {
  readonly yes?: boolean;
  readonly discovered: 'earliest' | 'latest';
  readonly json?: boolean;
}

interface Resettable {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly manifest: Manifest;
  /** null: on Kafka, without one named. */
  readonly folder: DataFolder | null;
}

interface Plan {
  readonly partitions: readonly { readonly partition: number; readonly changelog: number; readonly tasks: number }[];
  readonly groups: readonly string[];
  readonly stores: readonly string[];
}

export function addResetCommand(program: Command): void {
  addCrawlOptions(
    program
      .command('reset')
      .description('start a stopped frontier over: with --yes, delete its state and logs; pages are refetched'),
  )
    .option('--yes', 'do it; without this option, only print what would be done')
    .option(
      '--discovered <where>',
      'read discovered links from the start (earliest), or only new ones (latest)',
      oneOf('--discovered', ['earliest', 'latest']),
      'earliest',
    )
    .option('--json', 'print one line of JSON')
    .action((flags: ResetFlags) => withResettable(flags, (crawl) => reset(crawl, flags)));
}

async function withResettable(flags: ResetFlags, act: (crawl: Resettable) => Promise<void>): Promise<void> {
  const clock = new SystemClock();
  if (flags.brokers !== undefined) {
    return withKafka(flags, clock, false, async ({ log, codec, manifest }) =>
      act({ log, codec, manifest, folder: await namedFolder(flags, manifest) }),
    );
  }
  const folder = await readDataFolder(await needData(flags));
  await withFolderLog(folder, clock, ({ log, codec }) => act({ log, codec, manifest: folder.manifest, folder }));
}

async function reset(crawl: Resettable, flags: ResetFlags): Promise<void> {
  const { log, codec, manifest } = crawl;
  const groups = await log.groups(`${manifest.crawl}.`);
  needStopped(manifest.crawl, groups);
  const plan = await planOf(crawl, groups);
  if (flags.yes === true) {
    for (const { partition } of plan.partitions) {
      const identity = { crawl: manifest.crawl, partition, partitions: manifest.partitions };
      await resetPartition({ log, codec, identity, clock: new SystemClock(), discovered: flags.discovered });
    }
    for (const group of plan.groups) await log.forgetGroup(group);
    // A store that is not removed is void, because of the changelog.
    for (const path of plan.stores) await rm(path, { recursive: true, force: true });
  }
  print({ json: { dryRun: flags.yes !== true, ...plan }, text: textOf(plan, manifest.crawl, flags) }, flags.json);
}

function needStopped(crawl: string, groups: readonly GroupStatus[]): void {
  const running = groups.filter(({ members }) => members > 0);
  if (running.length === 0) return;
  const who = running.map(({ group, members }) => `${group} (${members})`).join(', ');
  const message = `${crawl} still has running members (${who}): stop them first`;
  throw new CrawlstreamError('GROUP_ACTIVE', message);
}

async function planOf({ log, manifest, folder }: Resettable, groups: readonly GroupStatus[]): Promise<Plan> {
  const { crawl } = manifest;
  const partitions = [];
  const stores: string[] = [];
  for (let partition = 0; partition < manifest.partitions; partition++) {
    const records = async (topic: string) => {
      const { start, end } = await log.offsets(topic, partition);
      return end - start;
    };
    const changelog = await records(changelogTopic(crawl));
    partitions.push({ partition, changelog, tasks: await records(`${crawl}.tasks`) });
    const path = folder && stateFolder(folder, partition);
    if (path !== null && (await stat(path).catch(() => undefined)) !== undefined) stores.push(path);
  }
  const own = groups.map(({ group }) => group).filter((group) => /\.(fetcher|frontier.*)$/.test(group));
  return { partitions, groups: own, stores };
}

function textOf({ partitions, groups, stores }: Plan, crawl: string, { yes, discovered }: ResetFlags): string {
  const lines = [`${yes ? 'Reset' : 'This would reset'} the frontier of ${crawl}:`];
  for (const { partition, changelog, tasks } of partitions) {
    lines.push(
      `  partition ${partition}: changelog of ${counted(changelog, 'record')} and ${counted(tasks, 'task')} removed`,
    );
  }
  for (const group of groups) lines.push(`  positions of ${group} deleted`);
  for (const path of stores) lines.push(`  ${path} removed`);
  lines.push(`  topic discovered is read from ${discovered === 'earliest' ? 'its beginning' : 'its end'}`);
  if (!yes) lines.push('Nothing was done: add --yes to reset.');
  return lines.join('\n');
}
