/**
 * `crawlstream state`: digests of partitions, comparison of checkpoints with the changelog, states rebuilt from it,
 * snapshots.
 */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { rebuild } from '../../frontier/open/rebuild.ts';
import { firstDifference } from '../../frontier/restore/compare-states.ts';
import { settledCheckpoint } from '../../frontier/restore/settled-checkpoint.ts';
import { printRestore } from '../../hosting/progress/restore-text.ts';
import { withSnapshots } from '../../hosting/state/open-snapshot-repository.ts';
import {
  identityOf,
  partitionsOf,
  type StateFlags,
  type StateSource,
  statusOf,
  withCheckpoint,
  withScratch,
  withStates,
} from '../../hosting/state/state-source.ts';
import { counted } from '../../runtime/counted.ts';
import { toStdout } from '../../runtime/logging/door.ts';
import { place, wholeNumber } from '../flags/arguments.ts';
import { addKafkaOptions } from '../flags/kafka-flags.ts';
import { addMoveCommand } from './move.ts';
import { runRebuild } from './rebuild.ts';
import type { SnapshotFlags, SnapshotsFlags } from './snapshot.ts';
import { runSnapshot, runSnapshots } from './snapshot.ts';
import { type AtFlags, addAtOptions, runAt } from './state-at.ts';

export function addStateCommand(program: Command): void {
  const state = program
    .command('state')
    .description('the state of a crawl’s partitions: digest, verify, rebuild, at an earlier time, snapshot, move');
  addStateOptions(
    state.command('digest').description('print a digest of the state of each partition, with its position'),
  ).action((flags: StateFlags) => withStates(flags, (source) => printDigests(source, flags)));
  addSnapshotsOption(
    addStateOptions(
      state.command('verify').description('rebuild the state in a scratch folder and compare it with the stored state'),
    ),
  ).action((flags: VerifyFlags) => withStates(flags, (source) => verify(source, flags)));
  addSnapshotsOption(
    addStateOptions(
      state
        .command('rebuild')
        .description('rebuild states into the new folder --into, from the changelog or the inputs'),
    ),
  )
    .requiredOption('--into <dir>', 'folder for the rebuilt states: new, or without a state of these partitions')
    .option('--all', 'rebuild every partition')
    .option('--from-inputs', 'rebuild from the input topics: fetched URLs keep their statuses, others are queued again')
    .action((flags: Parameters<typeof runRebuild>[1]) => withStates(flags, (source) => runRebuild(source, flags)));
  addSnapshotsOption(addAtOptions(addStateOptions(state.command('at')))).action((flags: AtFlags) =>
    withStates(flags, (source) => runAt(source, flags)),
  );
  addSnapshotCommands(state);
  addMoveCommand(state);
}

function addSnapshotCommands(state: Command): void {
  const keep = [
    '--keep <n>',
    'snapshots to keep of each partition; older ones are removed (default: all)',
    wholeNumber('--keep', 1),
  ] as const;
  const to = [
    '--to <place>',
    'a folder, or s3://bucket/prefix (default: snapshots/ in the data folder)',
    place('--to'),
  ] as const;
  const data = 'data folder of the crawl, or of a frontier process on Kafka';
  addKafkaOptions(
    state.command('snapshot').description('take snapshots of partitions, during a crawl or after it'),
    data,
  )
    .option('--partition <list>', 'only these partitions, as in 0,3', partitionList)
    .option(...to)
    .option(...keep)
    .option('--trim', 'on Kafka, trim topics below the kept snapshots, from two snapshots on (or --keep 1)')
    .option('--json', 'print one JSON object')
    .action((flags: SnapshotFlags) => withStates(flags, (source) => runSnapshot(source, flags)));
  addStateOptions(state.command('snapshots').description('list snapshots, and check that they are complete'))
    .option(...to)
    .option(...keep)
    .option('--verify', 'read all data back and check it')
    .action((flags: SnapshotsFlags) => withStates(flags, (source) => runSnapshots(source, flags)));
}

function partitionList(value: string): number[] {
  return value.split(',').map(wholeNumber('--partition', 0, crawlLimits.partitionsMax - 1));
}

interface VerifyFlags extends StateFlags {
  readonly snapshots?: string;
}

function addSnapshotsOption(command: Command): Command {
  return command.option(
    '--snapshots <place>',
    'start from the newest snapshot in this place, not from the start of the changelog',
    place('--snapshots'),
  );
}

function addStateOptions(command: Command): Command {
  return addKafkaOptions(command, 'data folder of the crawl, or of a frontier process on Kafka')
    .option('--partition <n>', 'only this partition', wholeNumber('--partition', 0, crawlLimits.partitionsMax - 1))
    .option('--json', 'print one JSON object');
}

/** The digest of the checkpoint, if there is one, else of the state that follows from the changelog. */
async function printDigests(source: StateSource, flags: StateFlags): Promise<void> {
  const partitions = [];
  for (const partition of partitionsOf(source, flags)) {
    const kept = await withCheckpoint(source, partition, async (store) => {
      const state = store && (await settledCheckpoint({ ...source, identity: identityOf(source, partition), store }));
      return state && statusOf(partition, state);
    });
    const one = kept ?? (await fromChangelog(source, partition, (state) => statusOf(partition, state)));
    partitions.push({ ...one, from: kept === undefined ? 'changelog' : 'folder' });
    if (!flags.json)
      toStdout(`partition ${partition}: ${one.digest} at ${one.position}, ${counted(one.urls, 'URL')}\n`);
  }
  if (flags.json) toStdout(`${JSON.stringify({ partitions })}\n`);
}

async function verify(source: StateSource, flags: VerifyFlags): Promise<void> {
  if (source.folder === null) {
    const message = '--data is missing: give the folder with the states to verify against the changelog on Kafka';
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  const partitions = [];
  for (const partition of partitionsOf(source, flags)) {
    const one = await withCheckpoint(source, partition, async (store) => {
      const kept = store && (await settledCheckpoint({ ...source, identity: identityOf(source, partition), store }));
      if (kept === undefined) return undefined;
      const { position, digest: own } = statusOf(partition, kept);
      const found = await fromChangelog(
        source,
        partition,
        (state) => {
          const rebuilt = digest(state);
          return {
            rebuilt,
            difference: rebuilt === own ? null : (firstDifference(kept, state) ?? 'in the digest only'),
          };
        },
        { to: position, snapshots: flags.snapshots },
      );
      return { partition, position, digest: own, ...found };
    });
    if (one !== undefined) partitions.push(one);
    if (flags.json) continue;
    const verdict = one === undefined ? 'no state is stored here' : (one.difference ?? `equal, ${one.digest}`);
    toStdout(`partition ${partition}${one === undefined ? '' : ` at ${one.position}`}: ${verdict}\n`);
  }
  const equal = partitions.every(({ difference }) => difference === null);
  if (flags.json) toStdout(`${JSON.stringify({ equal, partitions })}\n`);
  if (!equal) process.exitCode = 1;
}

function fromChangelog<T>(
  source: StateSource,
  partition: number,
  look: (state: FrontierState) => T,
  { to, snapshots }: { readonly to?: number; readonly snapshots?: string | undefined } = {},
): Promise<T> {
  const identity = identityOf(source, partition);
  const options = { ...source, identity, onProgress: printRestore, ...(to === undefined ? {} : { to }) };
  return withSnapshots(source, partition, snapshots, (found) =>
    withScratch(async (store) => look(await rebuild({ ...options, ...found, store }))),
  );
}
