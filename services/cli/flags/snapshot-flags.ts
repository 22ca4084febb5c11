/** Options of snapshots, shared by `crawl` and `frontier`: place, interval, and number to keep. */

import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { snapshotLimits } from '../../frontier/snapshots/snapshot-limits.ts';
import { bad, duration, wholeNumber } from './arguments.ts';
import { setting } from './setting.ts';

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
    .addOption(
      setting(
        '--snapshot-every <duration>',
        'time between snapshots of each partition’s state, as in 15m (default: none taken)',
        'a state is rebuilt from its changelog; snapshots help once that takes minutes',
        (value) => {
          const ms = every(value);
          if (ms < snapshotLimits.everyMsMin) throw bad('--snapshot-every', value, 'give a second or more');
          return ms;
        },
      ),
    )
    .addOption(
      setting(
        '--snapshot-to <place>',
        'place of snapshots: a folder that all frontiers share, or s3://bucket/prefix',
        'depends on your storage: all frontiers must reach it',
      ),
    )
    .addOption(
      setting(
        '--snapshots-kept <n>',
        'snapshots kept of each partition; on Kafka, changelog and inputs before them are trimmed',
        'the newest snapshot may be damaged, and the previous one too',
        wholeNumber('--snapshots-kept', 1),
      ).default(snapshotLimits.kept),
    );
}

/** On Kafka, a partition's next owner may be on another machine, so the place must be given. */
export function needSnapshotPlace({ snapshotEvery, snapshotTo }: SnapshotRoleFlags): void {
  if (snapshotEvery === undefined || snapshotTo !== undefined) return;
  const message = '--snapshot-every needs --snapshot-to: a folder that every frontier sees, or s3://bucket/prefix';
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}
