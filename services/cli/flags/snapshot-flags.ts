/** Options of snapshots, shared by `crawl` and `frontier`: where they are kept, how often they are taken, how many stay. */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { snapshotLimits } from '../../frontier/snapshots/snapshot-limits.ts';
import { bad, duration, wholeNumber } from './arguments.ts';

export interface SnapshotRoleFlags {
  /** Absent: none are taken. ms */
  readonly snapshotEvery?: number;
  /** A folder, or `s3://bucket/prefix`. */
  readonly snapshotTo?: string;
  readonly snapshotsKept: number;
}

export function addSnapshotOptions(command: Command): Command {
  const every = duration('--snapshot-every');
  return command
    .option('--snapshot-every <duration>', 'take snapshots of the state, as in 15m', (value) => {
      const ms = every(value);
      if (ms < snapshotLimits.everyMsMin) throw bad('--snapshot-every', value, 'give a second or more');
      return ms;
    })
    .option('--snapshot-to <place>', 'where they are kept: a folder all frontiers see, or s3://bucket/prefix')
    .option(
      '--snapshots-kept <n>',
      'of each partition; the topics are trimmed below the oldest, from the second on (1: from the first)',
      wholeNumber('--snapshots-kept', 1),
      snapshotLimits.kept,
    );
}

/** On Kafka a partition's next owner may be on another machine: the place is to be said. */
export function needSnapshotPlace({ snapshotEvery, snapshotTo }: SnapshotRoleFlags): void {
  if (snapshotEvery === undefined || snapshotTo !== undefined) return;
  const message = '--snapshot-every needs --snapshot-to: a folder that every frontier sees, or s3://bucket/prefix';
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}
