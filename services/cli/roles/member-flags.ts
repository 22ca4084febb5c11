/** Options of a frontier as a member of its group: its name, and how many warm copies each partition has. */
import type { Command } from 'commander';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { instanceId } from '../../hosting/options/member.ts';
import { wholeNumber } from '../flags/arguments.ts';
import { setting } from '../flags/setting.ts';

export function addMemberOptions(command: Command): Command {
  return command
    .addOption(
      setting(
        '--instance-id <name>',
        'stable member name (default: CRAWLSTREAM_INSTANCE_ID; in a pod the host name)',
        'a pod keeps its host name over restarts; elsewhere processes may share one',
        instanceId('--instance-id'),
      ),
    )
    .addOption(
      setting(
        '--standbys <n>',
        'warm copies of each partition; each needs the memory and disk of its owner (default: 0)',
        'each copy costs as much memory as its owner; without one a take-over reads the changelog',
        wholeNumber('--standbys', 0, crawlLimits.standbysMax),
      ),
    );
}
