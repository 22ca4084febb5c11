/**
 * One run: a seed's world, its faults, the whole topology over them, and the checks at its end.
 *
 * The same seed and the same faults give the same run, to the byte: `trace` hashes all events.
 */
import { controlEvent } from '../../services/runtime/crawl/control-log.ts';
import { policyRecords, seedRecords } from '../../services/runtime/crawl/requests.ts';
import { crawlEnd, type Look } from '../../topology/frontier/ask/crawl-end.ts';
import { inputTopics } from '../../topology/frontier/changes/changelog.ts';
import { sumCounters } from '../../topology/frontier/changes/counters.ts';
import { defaultBudget } from '../../topology/policy/budget.ts';
import { defaultPolicy, type PolicyConfig } from '../../topology/policy/policy.ts';
import { chanceOf } from './chance.ts';
import { checkEnd } from './end-checks.ts';
import { drawFaults, type Fault, processNames } from './faults.ts';
import { createJudge } from './judge.ts';
import { crawl, createMachine, type Machine, type MachineOptions } from './machines.ts';
import { drawOrders, giveOrders } from './operators.ts';
import { Outages } from './outages.ts';
import { drawChangedRecrawls, refreshingMs } from './recrawl.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { createSetting, type Setting } from './setting.ts';
import { strike } from './strike.ts';
import { createWeb } from './web.ts';
import { drawWorld, type World } from './world.ts';

export interface RunOptions {
  /** Absent: drawn from the seed. */
  readonly faults?: readonly Fault[];
  /** Called with each step. */
  readonly onNote?: (line: string) => void;
}

export interface RunReport {
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** Empty: all checks passed. */
  readonly violations: readonly string[];
  /** Virtual time until the end, ms. */
  readonly virtualMs: number;
  readonly pages: number;
  /** A hash of all events. */
  readonly trace: string;
}

/** Everything a fault may touch. */
export interface Stage extends Setting {
  readonly machines: readonly Machine[];
  /** URLs that were found by others than the crawl's own fetchers. */
  readonly foreign: Set<string>;
}

const startMs = 1_700_000_000_000;
const lookEveryMs = 1_000;
const looksPerPoke = 8;
/** A run that has not ended by then fails. */
const limitMs = 40 * 60_000;

export async function run(seed: number, options: RunOptions = {}): Promise<RunReport> {
  const world = drawWorld(seed);
  const faults = options.faults ?? drawFaults(seed, world);
  const violations: string[] = [];
  const scheduler = createScheduler(chanceOf(seed, 'scheduler'), startMs, options.onNote);
  const violate = (what: string) => void violations.push(`${scheduler.nowMs() - startMs} ms: ${what}`);
  const judge = createJudge(world, violate);
  const web = createWeb({ seed, world, judge, scheduler, outages: outagesOf(world, faults, scheduler, violate) });
  const base = await createSetting(seed, world, scheduler, violate, { judge, web });
  const { standby } = base;
  let policy = policyOf(world);
  request(base, policy);
  for (const { at, recrawl } of world.recrawl === null ? [] : drawChangedRecrawls(seed)) {
    policy = { ...policy, version: policy.version + 1, recrawl };
    const changed = policy;
    scheduler.at(startMs + at, () => request(base, changed));
  }
  const machines = processNames(world).map((name) => createMachine(name, base));
  const stage: Stage = { ...base, machines, foreign: new Set() };
  const chance = chanceOf(seed, 'strikes');
  for (const fault of faults) scheduler.at(startMs + fault.at, () => strike(stage, fault, judge, chance));
  const orders = drawOrders(seed, world);
  giveOrders(orders, stage, judge);
  const undoneAt = orders.map((order) => order.undoneAt + 1_000);
  const ended = watchEnd(stage, policy, startMs + Math.max(0, ...faults.map(overAt), ...undoneAt));
  try {
    const awayMs = faults.reduce((sum, fault) => sum + standstillOf(fault), 0);
    await scheduler.run(startMs + limitMs + awayMs, () => ended() || violations.length > 0);
    if (!ended() && violations.length === 0) violate(`the crawl has no end: ${phase(stage)}`);
    if (violations.length === 0) await checkEnd(stage, judge, faults);
  } catch (error) {
    violate(`it failed: ${(error as Error).stack}`);
  }
  const virtualMs = scheduler.nowMs() - startMs;
  return { seed, faults, violations, virtualMs, pages: standby.pages.size, trace: scheduler.trace() };
}

/** Undefined: none is planned. */
function outagesOf(
  world: World,
  faults: readonly Fault[],
  scheduler: Scheduler,
  violate: (what: string) => void,
): Outages | undefined {
  const isQuiet = faults.every((fault) => fault.kind === 'outage' && fault.restart === null);
  return faults.some(({ kind }) => kind === 'outage') ? new Outages(world, scheduler, violate, isQuiet) : undefined;
}

/** Time in which nothing may be fetched, ms. */
function standstillOf(fault: Fault): number {
  return fault.kind === 'noFetchers' || fault.kind === 'outage' ? fault.forMs : 0;
}

export function policyOf(world: World): PolicyConfig {
  const { delayMs, delayFactor, urlsPerLeaseMax, pageQuota } = world;
  return {
    ...defaultPolicy(),
    ...(world.recrawl === null ? {} : { recrawl: world.recrawl }),
    ...(world.score === null ? {} : { score: world.score, budget: defaultBudget }),
    retriesMs: [1_000, 4_000, 10_000],
    delayMs,
    delayFactor,
    urlsPerLeaseMax,
    pageQuota,
    parallel: world.hosts.flatMap(({ name, hostSlots }) =>
      hostSlots > 1 ? [{ hosts: [name], leases: hostSlots }] : [],
    ),
  };
}

/** A user's request for the crawl. */
export function request({ cluster, world, scheduler, codec }: MachineOptions, policy: PolicyConfig): void {
  const topics = { crawl, partitions: world.partitions, keyMode: 'host' } as const;
  const nowMs = scheduler.nowMs();
  for (const { topic, partition, key, value } of [
    ...policyRecords(codec, topics, policy, 'simulation', nowMs),
    ...seedRecords(codec, topics, world.seeds, nowMs),
  ]) {
    cluster.land({ topic, partition, key: key as Buffer | null, value: value as Buffer, headers: {} });
  }
}

/** When all effects of a fault are over, ms from the start. */
function overAt(fault: Fault): number {
  const lastsMs = 'forMs' in fault ? fault.forMs : 'downMs' in fault ? fault.downMs : 0;
  return fault.at + lastsMs + 1_000;
}

/**
 * True once the crawl has ended, and each partition has an owner that knows it. An idle owner with a partition claimed
 * by a zombie learns it at its next write: at the end, each gets something to write.
 */
function watchEnd(stage: Stage, policy: PolicyConfig, notBeforeMs: number): () => boolean {
  const { scheduler } = stage;
  const isOver = endOf(stage, policy);
  let before: Look | undefined;
  let pokes = 0;
  let looks = 0;
  let ended = false;
  const look = () => {
    const now = lookAt(stage);
    const done = before !== undefined && isOver(before, now);
    ended = done && pokes > 0 && settled(stage);
    before = now;
    if (ended) return;
    // Repeatedly: a zombie may wake as late as that.
    if (done && looks++ % looksPerPoke === 0) {
      poke(stage);
      pokes += 1;
    }
    scheduler.at(scheduler.nowMs() + lookEveryMs, look);
  };
  scheduler.at(notBeforeMs, look);
  return () => ended;
}

/** A crawl with revisits never ends, so it is paused some time after all was discovered. */
function endOf(stage: Stage, policy: PolicyConfig): (before: Look, now: Look) => boolean {
  if (stage.world.recrawl === null) return (before, now) => crawlEnd(before, now) !== null;
  let pauseAtMs = Number.POSITIVE_INFINITY;
  let paused = false;
  return (before, now) => {
    const nowMs = stage.scheduler.nowMs();
    const { queued, retrying, leases } = sumCounters(now.partitions.map(({ counters }) => counters));
    if (queued + retrying === 0) pauseAtMs = Math.min(pauseAtMs, nowMs + refreshingMs);
    if (!paused && nowMs >= pauseAtMs) {
      paused = true;
      request(stage, { ...policy, version: policy.version + 1, paused: true });
    }
    const isRead = now.partitions.every(({ positions, ends }) =>
      inputTopics.every((topic) => positions[topic].offset >= ends[topic]),
    );
    return paused && isRead && leases === 0 && JSON.stringify(before) === JSON.stringify(now);
  };
}

/** An event that changes nothing. */
function poke({ cluster, codec, world, scheduler }: Stage): void {
  const event = controlEvent({ kind: 'unknown', atMs: scheduler.nowMs(), by: 'simulation' });
  const value = codec.encode('control', event) as Buffer;
  for (let partition = 0; partition < world.partitions; partition++) {
    cluster.land({ topic: `${crawl}.control`, partition, key: null, value, headers: {} });
  }
}

export function lookAt({ standby, cluster, world }: Setting): Look {
  return {
    partitions: standby.states.map(({ positions, counters }, partition) => {
      const ends = { control: 0, results: 0, discovered: 0 };
      for (const topic of inputTopics) ends[topic] = cluster.partition(`${crawl}.${topic}`, partition).records.length;
      return { positions: { ...positions }, counters: { ...counters }, ends };
    }),
    pageQuota: world.pageQuota,
  };
}

/**
 * True if every process runs, and each partition's owner has decided all valid records. Records behind them in the log
 * are void.
 */
function settled({ machines, standby }: Stage): boolean {
  return (
    machines.every(({ process }) => process.state === 'running') &&
    standby.states.every(({ changelog: { epoch, seq } }, partition) =>
      machines.some(({ live }) => {
        const owned = live.get(partition)?.state.changelog;
        return owned?.epoch === epoch && owned.seq === seq;
      }),
    )
  );
}

/** The open condition of a run that does not end. */
function phase(stage: Stage): string {
  const { partitions } = lookAt(stage);
  const waits = partitions.map(({ positions, ends, counters }, partition) => {
    const { queued, retrying, leased } = counters;
    const unread = inputTopics.map((topic) => `${ends[topic] - positions[topic].offset} ${topic}`).join(', ');
    const offset = stage.standby.states[partition]!.changelog.offset;
    return `partition ${partition} at ${offset}: ${queued} queued, ${retrying} retrying, ${leased} leased, unread ${unread}`;
  });
  const owners = stage.machines.map(({ process, live }) => {
    const open = [...live].map(([number, { state }]) => `${number} at ${state.changelog.offset}`).join(', ');
    return `${process.name} is ${process.state} and holds ${open || 'nothing'}`;
  });
  return [...waits, ...owners].join('; ');
}
