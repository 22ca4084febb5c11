/** Options of the commands that run a fleet. */
import type { Command } from 'commander';
import { fleetLimits } from '../../../../topology/fleet/fleet-limits.ts';
import { crawlLimits } from '../../../../topology/policy/crawl-limits.ts';
import { duration, wholeNumber } from '../../../cli/flags/arguments.ts';
import { addFetcherOptions } from '../../../cli/flags/fetcher-flags.ts';
import { addHttpOption } from '../../../cli/flags/http-flags.ts';
import { addSeenOptions } from '../../../cli/flags/seen-flags.ts';
import { setting } from '../../../cli/flags/setting.ts';
import { addSnapshotOptions } from '../../../cli/flags/snapshot-flags.ts';
import { fetcherLimits } from '../../../fetcher/fetcher-limits.ts';
import type { FetcherFlags } from '../../../hosting/options/fetching.ts';
import type { HttpFlags } from '../../../hosting/options/http-side.ts';
import type { SeenFlags } from '../../../hosting/options/seen.ts';
import type { SnapshotRoleFlags } from '../../../hosting/options/snapshots.ts';

export interface FleetFlags extends FetcherFlags, SeenFlags, SnapshotRoleFlags, HttpFlags {
  readonly data: string;
  readonly inFlight: number;
  readonly hostDelay: number;
  readonly keep?: number;
}

export function addFleetOptions(command: Command): Command {
  command.requiredOption('--data <dir>', 'folder of the fleet; each crawl is a data folder in crawls/ there');
  addSnapshotOptions(addSeenOptions(addFetcherOptions(command)));
  return addHttpOption(command)
    .addOption(
      setting(
        '--in-flight <n>',
        'requests under way, of all crawls together; owners share them equally',
        'one core can parse as many, with room for slow hosts',
        wholeNumber('--in-flight', 1, crawlLimits.concurrencyMax),
      ).default(fetcherLimits.requestsMax),
    )
    .addOption(
      setting(
        '--host-delay <duration>',
        'least delay between requests of the fleet to a host, as in 500ms',
        'as in a crawl’s policy, since a fleet is one visitor to a host',
        duration('--host-delay', { mostMs: crawlLimits.delayMsMax }),
      ).default(fleetLimits.hostDelayMs),
    )
    .addOption(
      setting(
        '--keep <duration>',
        'drop records that are older than this and that no consumer needs, as in 36h',
        'records are kept: disk is cheaper than another crawl',
        duration('--keep'),
      ),
    );
}
