/**
 * One run: a seed's world, its faults, the whole topology over them, and what must hold at its end.
 *
 * The same seed and the same faults give the same run, to the byte: `trace` hashes everything that happened.
 */
import { createMemoryRegistry } from '../../services/runtime/avro/memory-registry.ts';
import { openCodec, type RecordCodec } from '../../services/runtime/avro/record-codec.ts';
import { policyRecords, seedRecords } from '../../services/runtime/crawl/requests.ts';
import { inputTopics } from '../../topology/frontier/changelog.ts';
import { crawlEnd, type Look } from '../../topology/frontier/crawl-end.ts';
import { defaultPolicy, type PolicyConfig } from '../../topology/policy/policy.ts';
import { topicNames } from '../../topology/topics.ts';
import { chanceOf } from './chance.ts';
import { createCluster } from './cluster.ts';
import { checkEnd } from './end-checks.ts';
import { drawFaults, type Fault, processNames } from './faults.ts';
import { createGroups } from './groups.ts';
import { createJudge } from './judge.ts';
import { crawl, createMachine, fingerprintKey, type Machine, type MachineOptions } from './machines.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { createStandby, type Standby } from './standby.ts';
import { strike } from './strike.ts';
import { createWeb } from './web.ts';
import { drawWorld } from './world.ts';

export interface RunOptions {
  /** Absent: those that the seed draws. */
  readonly faults?: readonly Fault[];
  /** Told of each step. */
  readonly onNote?: (line: string) => void;
}

export interface RunReport {
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** Empty: all held. */
  readonly violations: readonly string[];
  /** Virtual time until the end, ms. */
  readonly virtualMs: number;
  readonly pages: number;
  /** A hash of all that happened. */
  readonly trace: string;
}

/** Everything a fault may touch. */
export interface Stage extends MachineOptions {
  readonly machines: readonly Machine[];
  readonly standby: Standby;
}

const startMs = 1_700_000_000_000;
const lookEveryMs = 1_000;
/** A run without an end by then has none. */
const limitMs = 40 * 60_000;

export async function run(seed: number, options: RunOptions = {}): Promise<RunReport> {
  const world = drawWorld(seed);
  const faults = options.faults ?? drawFaults(seed, world);
  const violations: string[] = [];
  const scheduler = createScheduler(chanceOf(seed, 'scheduler'), startMs, options.onNote);
  const violate = (what: string) => void violations.push(`${scheduler.nowMs() - startMs} ms: ${what}`);
  const judge = createJudge(world, violate);
  const codec = await openCodec(createMemoryRegistry(), crawl);
  const standby = createStandby({ world, codec, key: fingerprintKey, judge, violate });
  const cluster = createCluster(scheduler, (record) => {
    if (record.headers['garbage'] === undefined) standby.see(record);
  });
  const groups = createGroups(scheduler, chanceOf(seed, 'groups'));
  const web = createWeb({ seed, world, judge, scheduler });
  for (const name of topicNames) cluster.create(`${crawl}.${name}`, world.partitions);
  const base: MachineOptions = { seed, world, scheduler, cluster, groups, web, codec, violate };
  request(base, codec);
  const machines = processNames(world).map((name) => createMachine(name, base));
  const stage: Stage = { ...base, machines, standby };
  const chance = chanceOf(seed, 'strikes');
  for (const fault of faults) scheduler.at(startMs + fault.at, () => strike(stage, fault, judge, chance));
  const ended = watchEnd(stage, scheduler, startMs + Math.max(0, ...faults.map(overAt)));
  try {
    await scheduler.run(startMs + limitMs, () => ended() || violations.length > 0);
    if (!ended() && violations.length === 0) violate('the crawl has no end');
    if (violations.length === 0) await checkEnd(stage, judge, faults);
  } catch (error) {
    violate(`it failed: ${(error as Error).stack}`);
  }
  const virtualMs = scheduler.nowMs() - startMs;
  return { seed, faults, violations, virtualMs, pages: standby.pages.size, trace: scheduler.trace() };
}

/** What a user would have asked of the crawl. */
function request({ cluster, world, scheduler }: MachineOptions, codec: RecordCodec): void {
  const { delayMs, delayFactor, urlsPerLeaseMax, pageQuota } = world;
  const policy: PolicyConfig = {
    ...defaultPolicy(),
    retriesMs: [1_000, 4_000, 10_000],
    delayMs,
    delayFactor,
    urlsPerLeaseMax,
    pageQuota,
  };
  const topics = { crawl, partitions: world.partitions, keyMode: 'host' } as const;
  const nowMs = scheduler.nowMs();
  for (const { topic, partition, key, value } of [
    ...policyRecords(codec, topics, policy, 'simulation', nowMs),
    ...seedRecords(codec, topics, world.seeds, nowMs),
  ]) {
    cluster.land({ topic, partition, key: key as Buffer | null, value: value as Buffer, headers: {} });
  }
}

/** When all that a fault does is over, ms from the start. */
function overAt(fault: Fault): number {
  const lastsMs = 'forMs' in fault ? fault.forMs : 'downMs' in fault ? fault.downMs : 0;
  return fault.at + lastsMs + 1_000;
}

/** True once the crawl has come to its end, and each partition has an owner who knows it. */
function watchEnd(stage: Stage, scheduler: Scheduler, notBeforeMs: number): () => boolean {
  let before: Look | undefined;
  let ended = false;
  const look = () => {
    const now = lookAt(stage);
    ended = before !== undefined && crawlEnd(before, now) !== null && settled(stage);
    before = now;
    if (!ended) scheduler.at(scheduler.nowMs() + lookEveryMs, look);
  };
  scheduler.at(notBeforeMs, look);
  return () => ended;
}

function lookAt({ standby, cluster, world }: Stage): Look {
  return {
    partitions: standby.states.map(({ positions, counters }, partition) => {
      const ends = { control: 0, results: 0, discovered: 0 };
      for (const topic of inputTopics) ends[topic] = cluster.partition(`${crawl}.${topic}`, partition).records.length;
      return { positions: { ...positions }, counters: { ...counters }, ends };
    }),
    pageQuota: world.pageQuota,
  };
}

/** Is everybody up, and does each partition's owner stand at the end of its changelog? */
function settled({ machines, standby, cluster }: Stage): boolean {
  return (
    machines.every(({ process }) => process.state === 'running') &&
    standby.states.every((state, partition) => {
      const end = cluster.partition(`${crawl}.frontier-changelog`, partition).records.length;
      return machines.some(({ live }) => {
        const owned = live.get(partition)?.state.changelog;
        return owned?.epoch === state.changelog.epoch && owned.offset === end;
      });
    })
  );
}
