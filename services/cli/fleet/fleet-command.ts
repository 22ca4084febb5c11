/** `crawlstream fleet`: many crawls in one process, made and ended by HTTP, polite together. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { fleetLimits } from '../../../topology/fleet/fleet-limits.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { fetcherLimits } from '../../fetcher/fetcher-limits.ts';
import { createAddressPacer } from '../../fetcher/pace/address-pacer.ts';
import { createFleetPace } from '../../fetcher/pace/fleet-pace.ts';
import { createSharedRobots } from '../../fetcher/robots/shared-robots.ts';
import { CrawlFiles } from '../../fleet/crawl-file.ts';
import { Fleet, type ReadLog } from '../../fleet/fleet.ts';
import { type FleetDesk, fleetRoutes } from '../../fleet/fleet-routes.ts';
import { openHostFacts } from '../../fleet/host-facts.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { openDataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import { productVersion } from '../../runtime/version.ts';
import { newCrawl } from '../connect/new-crawl.ts';
import { withCrawl } from '../connect/open-crawl.ts';
import { withStores } from '../connect/stores.ts';
import { duration, wholeNumber } from '../flags/arguments.ts';
import { addFetcherOptions, type FetcherFlags, fetcherConfig, needContact } from '../flags/fetcher-flags.ts';
import { addHttpOption, type HttpFlags, withHttp } from '../flags/http-flags.ts';
import { addSeenOptions, type SeenFlags } from '../flags/seen-flags.ts';
import { setting } from '../flags/setting.ts';
import { addSnapshotOptions, type SnapshotRoleFlags } from '../flags/snapshot-flags.ts';
import { say } from '../terminal/say.ts';
import { stopOnSignals } from '../terminal/stop-signals.ts';
import { fleetPolicy } from './fleet-policy.ts';
import { startFleetCrawl } from './start-fleet-crawl.ts';

interface FleetFlags extends FetcherFlags, SeenFlags, SnapshotRoleFlags, HttpFlags {
  readonly data: string;
  readonly inFlight: number;
  readonly hostDelay: number;
  readonly keep?: number;
}

export function addFleetCommand(program: Command): void {
  const command = program
    .command('fleet')
    .description('many crawls in one process, made, paused, ended and deleted by HTTP, polite to each host together')
    .requiredOption('--data <dir>', 'folder of the fleet; each crawl is a data folder in crawls/ there');
  addSnapshotOptions(addSeenOptions(addFetcherOptions(command)));
  addHttpOption(command)
    .addOption(
      setting(
        '--in-flight <n>',
        'requests under way, of all crawls together; crawls share them by weight',
        'what one core can parse, with room for slow hosts',
        wholeNumber('--in-flight', 1, crawlLimits.concurrencyMax),
      ).default(fetcherLimits.requestsMax),
    )
    .addOption(
      setting(
        '--host-delay <duration>',
        'least time between two requests of the fleet to a host, whatever the policies of its crawls, as in 500ms',
        'a second, as in the policy of a crawl: a fleet is one visitor to a host',
        duration('--host-delay', { bare: 'ms', mostMs: crawlLimits.delayMsMax }),
      ).default(fleetLimits.hostDelayMs),
    )
    .addOption(
      setting(
        '--keep <duration>',
        'drop what is older than this and nobody needs, as in 36h',
        'everything is kept: disk is cheaper than a crawl made again',
        duration('--keep'),
      ),
    )
    .action(runFleet);
}

async function runFleet(flags: FleetFlags): Promise<void> {
  if (flags.http === undefined) {
    const message = '--http is missing: crawls are made there, so say where it listens, as in --http 8090';
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  if (existsSync(join(flags.data, 'manifest.json'))) {
    const message = `--data ${flags.data} is the data folder of one crawl: give a folder for the fleet, new or its own`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  const stop = new AbortController();
  const release = stopOnSignals(stop, 'stopping: finishing requests under way');
  let desk: FleetDesk | undefined;
  const routes = fleetRoutes(() => {
    if (desk === undefined)
      throw new CrawlstreamError('OWNERSHIP_LOST', 'the fleet is not up yet: ask again in a moment');
    return desk;
  });
  try {
    await withStores(async (open) => {
      // Its lock keeps a second process out of the fleet's folder.
      const store = await open(join(flags.data, 'hosts'));
      await withHttp(flags, { role: 'fleet', routes: [routes], say }, (service) => serve(service));

      async function serve(service: Service): Promise<void> {
        const clock = new SystemClock();
        const files = new CrawlFiles(flags.data);
        const before = await files.list();
        const facts = await openHostFacts(store, clock.nowMs());
        const pace = createFleetPace({
          clock,
          requestsMax: flags.inFlight,
          hostDelayMs: flags.hostDelay,
          isResumed: before.length > 0,
          facts: facts.known,
          onFact: (hostKey, fact) => facts.note(hostKey, fact, clock.nowMs()),
        });
        const byAddress = createAddressPacer(clock, crawlLimits.addressDelayMs, () => 1);
        const options = {
          pace,
          robots: createSharedRobots(clock),
          // One for all, which no crawl's policy changes.
          addressPacer: { active: true, size: 0, acquire: byAddress.acquire, setDelay() {} },
          fetcher: { ...fetcherConfig(flags), requestsMax: flags.inFlight, say },
          leasesMax: flags.concurrency,
          seen: flags,
          keepMs: flags.keep ?? null,
          snapshots: flags,
          say,
        };
        const fleet = new Fleet({
          files,
          clock,
          say,
          check(call) {
            const { seeds, policy } = fleetPolicy(call.seeds, call.policy);
            needContact(flags, seeds);
            return { seeds, policy: { ...policy } };
          },
          make: (path, name) =>
            openDataFolder(path, {}, { defaults: newCrawl(name, 1), createdBy: productVersion, clock }).then(() => {}),
          start: (file, path) => startFleetCrawl(options, file, path),
        });
        const requestsInFlight = () => pace.requestsInFlight;
        desk = { fleet, requestsInFlight, reading };
        try {
          const opened = fleet.open(before);
          service.probes.serve(() => null);
          say(`${before.length} crawls in ${flags.data}`);
          await opened;
          if (!stop.signal.aborted) await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
        } finally {
          service.probes.suspend('stopping');
          await fleet.stop();
          pace.close();
          await facts.settled();
        }
      }
    });
  } finally {
    release();
  }
  process.exitCode = 130;
}

function reading<T>(path: string, act: (reads: ReadLog) => Promise<T>): Promise<T> {
  return withCrawl({ data: path } as Parameters<typeof withCrawl>[0], ({ log, codec, topics }) =>
    act({ log, codec, crawl: topics.crawl }),
  );
}
