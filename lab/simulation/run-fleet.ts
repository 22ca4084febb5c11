/**
 * One run of a fleet: a seed's web, the crawls that share it, the faults, and the checks: all checks of a single crawl
 * (end-checks.ts), and that all crawls together treat a host as the fleet promises (fleet-judge.ts).
 */
import { crawlEnd, type Look } from '../../topology/frontier/ask/crawl-end.ts';
import { chanceOf } from './chance.ts';
import { checkEnd } from './end-checks.ts';
import { createFleetJudge } from './fleet-judge.ts';
import { type FleetCrawl, startFleetProcess } from './fleet-process.ts';
import { drawFleet, type FleetFault, type FleetWorld } from './fleet-world.ts';
import { lookAt, policyOf, request } from './run.ts';
import { createScheduler } from './scheduler.ts';
import { createSetting, type Setting } from './setting.ts';
import { createWeb } from './web.ts';

export interface FleetReport {
  readonly seed: number;
  /** Empty: all checks passed. */
  readonly violations: readonly string[];
  readonly virtualMs: number;
  /** Of each crawl, in order. */
  readonly pages: readonly number[];
  /** A hash of all events. */
  readonly trace: string;
}

export interface FleetRunOptions {
  /** Absent: drawn from the seed. */
  readonly fleet?: FleetWorld;
  /** The run ends then, whatever is left of the crawls. */
  readonly untilMs?: number;
  readonly onNote?: (line: string) => void;
}

const startMs = 1_700_000_000_000;
const lookEveryMs = 1_000;
/**
 * A host that is silent at most requests takes 330 s for each of them, with back-off: tens of them, of four crawls, one
 * after the other.
 */
const limitMs = 12 * 3_600_000;

export async function runFleet(seed: number, options: FleetRunOptions = {}): Promise<FleetReport> {
  const fleet = options.fleet ?? drawFleet(seed);
  const violations: string[] = [];
  const scheduler = createScheduler(chanceOf(seed, 'fleet scheduler'), startMs, options.onNote);
  const sinceMs = () => scheduler.nowMs() - startMs;
  const violate = (what: string) => void violations.push(`${sinceMs()} ms: ${what}`);
  const judge = createFleetJudge(fleet, violate);
  const web = createWeb({ seed, world: fleet.web, judge: judge.all, scheduler });
  const settings: Setting[] = [];
  for (const crawl of fleet.crawls) {
    const violateOf = (what: string) => violate(`${crawl.name}: ${what}`);
    const setting = await createSetting(seed, crawl.world, scheduler, violateOf, { judge: judge.of(crawl), web });
    request(setting, policyOf(crawl.world));
    settings.push(setting);
  }
  const process = startFleetProcess({ seed, fleet, scheduler, judge, settings, violate });
  let overMs = 0;
  for (const fault of fleet.faults) {
    overMs = Math.max(overMs, fault.at + (fault.kind === 'kill' ? fault.downMs : fault.forMs) + 1_000);
    scheduler.at(startMs + fault.at, () => strike(fault));
  }
  const strike = (fault: FleetFault) => {
    if (fault.kind === 'kill') process.killAt(fault.step, fault.downMs);
    else web.trouble(fault.host, fault.answer, scheduler.nowMs() + fault.forMs);
  };
  for (const crawl of process.crawls) watch(crawl);

  function watch(one: FleetCrawl): void {
    let before: Look | undefined;
    const look = () => {
      const now = lookAt(one.setting);
      // It stops while the others continue, as a fleet's crawl does; only after all faults, which may need it.
      if (before !== undefined && crawlEnd(before, now) !== null && sinceMs() > overMs) return process.end(one);
      before = now;
      scheduler.at(scheduler.nowMs() + lookEveryMs, look);
    };
    scheduler.at(scheduler.nowMs() + lookEveryMs, look);
  }

  try {
    const untilMs = options.untilMs ?? limitMs;
    const areOver = () => process.crawls.every(({ over }) => over);
    await scheduler.run(startMs + untilMs, () => areOver() || violations.length > 0);
    if (options.untilMs === undefined && violations.length === 0) {
      if (!areOver()) violate(`no end of ${process.crawls.flatMap(({ over, crawl }) => (over ? [] : crawl.name))}`);
      // Processes with a stop signal stop.
      await scheduler.run(scheduler.nowMs() + 60_000, () => violations.length > 0);
      for (const one of violations.length === 0 ? process.crawls : []) await checkCrawl(one);
    }
  } catch (error) {
    violate(`it failed: ${(error as Error).stack}`);
  }
  const pages = settings.map(({ standby }) => standby.pages.size);
  return { seed, violations, virtualMs: sinceMs(), pages, trace: scheduler.trace() };

  function checkCrawl({ crawl, setting, disk, live }: FleetCrawl): Promise<void> {
    const machine = {
      name: crawl.name,
      disk,
      live,
      copies: new Map(),
      kill: () => process.kill(Number.POSITIVE_INFINITY),
    };
    const hasFaults = fleet.faults.length > 0;
    // The checks need only the kind of a fault and its host.
    const faults = fleet.faults.map((fault) => (fault.kind === 'kill' ? killed(fault) : fault));
    return checkEnd({ ...setting, machines: [machine], foreign: new Set() }, setting.judge, hasFaults ? faults : []);
  }
}

const killed = ({ at, step, downMs }: FleetFault & { readonly kind: 'kill' }) =>
  ({ kind: 'kill', at, step, downMs, process: 'fleet', when: 'before', landing: 'all', loseDisk: false }) as const;
