/** Options of snapshots, shared by `crawl` and `frontier`: place, interval, and number to keep. */
import type { Command } from 'commander';
import { snapshotLimits } from '../../frontier/snapshots/snapshot-limits.ts';
import { duration, place, wholeNumber } from './arguments.ts';
import { setting } from './setting.ts';

export function addSnapshotOptions(command: Command): Command {
  return command
    .addOption(
      setting(
        '--snapshot-every <duration>',
        'time between snapshots of each partition’s state, as in 15m (default: none taken)',
        'a state is rebuilt from its changelog; snapshots help once that takes minutes',
        duration('--snapshot-every', { leastMs: snapshotLimits.everyMsMin }),
      ),
    )
    .addOption(
      setting(
        '--snapshot-to <place>',
        'place of snapshots: a folder that all frontiers share, or s3://bucket/prefix',
        'depends on your storage: all frontiers must reach it',
        place('--snapshot-to'),
      ),
    )
    .addOption(
      setting(
        '--snapshots-kept <n>',
        'snapshots to keep of each partition; on Kafka, trim changelog and inputs before them',
        'the newest snapshot may be damaged, and the previous one too',
        wholeNumber('--snapshots-kept', 1),
      ).default(snapshotLimits.kept),
    );
}
