/**
 * The process of a fleet: every crawl with its own frontier, fetcher, log and disk, all with one pace and one memory of
 * robots.txt, as in services/extras/fleet/command. Knowledge of hosts survives a kill, and so do disks and logs.
 */
import { createApplication, endOfTasks } from '../../services/application/application.ts';
import { type RunningWhole, startWhole } from '../../services/application/crawl/start-whole.ts';
import { createFleetPace, type FleetPace } from '../../services/fetcher/pace/fleet-pace.ts';
import { createSharedRobots } from '../../services/fetcher/robots/shared-robots.ts';
import type { HostFact } from '../../topology/fleet/arbiter.ts';
import type { FrontierPartition } from '../../topology/frontier/partition.ts';
import { type Chance, chanceOf } from './chance.ts';
import { createDisk, type Disk } from './disk.ts';
import type { FleetJudge } from './fleet-judge.ts';
import type { FleetWorld, SimCrawl } from './fleet-world.ts';
import { fetcherOptions, frontierOptions, manifestOf } from './machines.ts';
import { createProcess, type SimProcess } from './process.ts';
import type { Scheduler } from './scheduler.ts';
import type { Setting } from './setting.ts';
import { createSimLog, type SimLog } from './sim-log.ts';

export interface FleetCrawl {
  readonly crawl: SimCrawl;
  readonly setting: Setting;
  readonly disk: Disk;
  readonly live: Map<number, FrontierPartition>;
  /** It has ended, and is not started again. */
  over: boolean;
}

export interface FleetProcess {
  readonly crawls: readonly FleetCrawl[];
  /** Dies at its `step`-th step from now on, and is restarted after `downMs`. */
  killAt(step: number, downMs: number): void;
  kill(downMs: number): void;
  /** Ends one crawl in good order; the others continue. */
  end(crawl: FleetCrawl): void;
}

interface Running {
  readonly actor: SimProcess;
  readonly log: SimLog;
  whole?: RunningWhole;
  leave(): void;
}

export interface FleetProcessOptions {
  readonly seed: number;
  readonly fleet: FleetWorld;
  readonly scheduler: Scheduler;
  readonly judge: FleetJudge;
  /** Of each crawl, in order. */
  readonly settings: readonly Setting[];
  readonly violate: (what: string) => void;
}

export function startFleetProcess(options: FleetProcessOptions): FleetProcess {
  const { seed, fleet, scheduler, judge, settings, violate } = options;
  const chance: Chance = chanceOf(seed, 'fleet process');
  const facts = new Map<string, HostFact>();
  const crawls = fleet.crawls.map((crawl, at): FleetCrawl => {
    return { crawl, setting: settings[at]!, disk: createDisk(scheduler.nowMs), live: new Map(), over: false };
  });
  let generation = 0;
  let process: SimProcess;
  let pace: FleetPace;
  let running = new Map<FleetCrawl, Running>();

  const start = () => {
    const mine = createProcess({ name: `fleet.${++generation}`, scheduler, chance, clockOffMs: 0 });
    process = mine;
    running = new Map();
    pace = createFleetPace({
      clock: mine.clock,
      requestsMax: fleet.requestsMax,
      hostDelayMs: fleet.hostDelayMs,
      isResumed: generation > 1,
      facts,
      onFact: (hostKey, fact) => void facts.set(hostKey, fact),
    });
    const robots = createSharedRobots(mine.clock);
    for (const one of crawls) {
      if (one.over) continue;
      startCrawl(mine, one, robots).catch((error: Error) => violate(`${one.crawl.name} failed: ${error.stack}`));
    }
  };

  const startCrawl = async (mine: SimProcess, one: FleetCrawl, robots: ReturnType<typeof createSharedRobots>) => {
    const { crawl, setting, disk, live } = one;
    const { world, codec, web } = setting;
    live.clear();
    // The same process, under the name of the crawl that it acts for.
    const actor: SimProcess = Object.create(mine, { name: { value: `${mine.name}/${crawl.name}` } });
    judge.register(actor, crawl, generation);
    const log = createSimLog({ ...setting, process: actor, embedded: true, faultOf: () => undefined });
    const crawlPace = pace.join(crawl.name, crawl.weight);
    const now: Running = { actor, log, leave: () => crawlPace.leave() };
    running.set(one, now);
    const onFailure = (error: unknown) => {
      if (mine.state !== 'dead') violate(`${crawl.name} failed: ${(error as Error).stack}`);
    };
    const stores = [await disk.open(actor, '0')];
    const whole = startWhole(createApplication({ log, codec, clock: mine.clock, manifest: manifestOf(world) }), {
      at: await endOfTasks({ log, manifest: manifestOf(world) }),
      frontier: {
        ...frontierOptions(actor),
        stores,
        endsLeases: true,
        leasesMax: world.leasesPerPartition,
        onOpened: (partition) => void live.set(0, partition),
      },
      fetcher: {
        ...fetcherOptions({ process: actor, web, onFailure }),
        crawlPace: Object.assign(crawlPace, { robots }),
      },
    });
    now.whole = whole;
    whole.frontier.ended.catch(onFailure);
  };

  const kill = (downMs: number) => {
    if (process.state === 'dead') return;
    scheduler.note(`${process.name} is killed`);
    process.kill();
    for (const [{ setting, disk }, { actor, log }] of running) {
      log.cutOff(chance.pick(['all', 'none', 'some']));
      setting.web.hangUp(actor);
      disk.crash();
    }
    scheduler.at(scheduler.nowMs() + downMs, start);
  };

  start();
  return {
    crawls,
    kill,
    killAt(step, downMs) {
      const doomed = process;
      doomed.atStep(step, 'before', () => {
        if (process === doomed) kill(downMs);
      });
    },
    end(one) {
      one.over = true;
      const mine = running.get(one);
      // A kill before it has stopped changes nothing: its work is on its log.
      mine?.whole?.stop().then(
        () => mine.leave(),
        (error: Error) => violate(`${one.crawl.name} failed to stop: ${error.stack}`),
      );
    },
  };
}
