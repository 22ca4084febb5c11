/**
 * `npm run bench -- snapshot-pause [--urls N] [--hosts N] [--seen exact|drum] [--memory MB] [--data FOLDER] [--json]`
 *
 * How much a snapshot delays the owner of a large partition: the longest time between two of its durable commits, and
 * the latest timer of its event loop, in turns without a snapshot and with one. In both, links come all the time, as in
 * a crawl, and the checkpoint is written every few seconds. The snapshot is taken by a separate process, as a schedule
 * takes it. Both share one core, which is the hardest case. The promise is 100 ms at most.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { yieldProcessor } from '../../../services/hosting/state/yield-processor.ts';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { benchOptions } from '../bench-options.ts';
import { compiledMain } from '../process/compiled.ts';
import { openBenchPartition } from './bench-partition.ts';
import { runOnKept, seenArguments } from './kept-partition.ts';
import { LinkSource } from './link-source.ts';
import type { Player } from './played-log.ts';
import { seenConfig } from './seen-memory.ts';
import { takeBeside } from './snapshot.ts';

interface Pauses {
  readonly urls: number;
  readonly snapshots: number;
  readonly snapshotSeconds: number;
  /** Times between two durable commits: the longest, and the second longest of a hundred, ms. */
  readonly aloneGapMs: number;
  readonly besideGapMs: number;
  readonly aloneP99Ms: number;
  readonly besideP99Ms: number;
  /**
   * The longest time, without the time that the owner's thread waited for its core: comparable on a machine that others
   * use.
   */
  readonly aloneOwnMs: number;
  readonly besideOwnMs: number;
  /** The delay of the latest timer, ms. */
  readonly aloneLateMs: number;
  readonly besideLateMs: number;
  readonly commits: number;
}

/** Duration of a turn: long enough to write the checkpoint once. */
const aloneMs = 8_000;
const turns = 2;
/** Interval and number of links. */
const everyMs = 10;
const linksPerMessage = 50;
const defaults = { urls: 1_000_000, hosts: 100_000 };

export async function run(args: readonly string[]): Promise<void> {
  const options = benchOptions(args, defaults);
  if (options.part === 'take') {
    const { data = '' } = options;
    await takeBeside(data, join(data, 'taken'), seenConfig(options));
    return;
  }
  const taking = (data: string) => ['--part', 'take', '--data', data, ...seenArguments(options)];
  await runOnKept<Pauses>(args, {
    name: 'snapshot-pause',
    defaults,
    measure: (data, into, seen) => measure(data, into, seen, options.hosts, taking),
    secondsOf: ({ besideGapMs }) => besideGapMs,
  });
}

async function measure(
  kept: string,
  into: string,
  seen: SeenConfig,
  hosts: number,
  taking: (data: string) => string[],
): Promise<Pauses> {
  const data = join(into, 'crawl');
  await mkdir(data);
  await cp(kept, data, { recursive: true });
  const player = new PacedPlayer(hosts);
  const partition = await openBenchPartition({ folder: data, player, seen });
  player.committed = () => partition.owner.committed;
  const running = partition.run();
  while (partition.owner.committed === undefined) await Promise.race([sleep(10), running]);
  const { admitted: urls } = partition.owner.committed.counters;
  player.isOn = true;
  await sleep(2_000);
  const alone: Watched[] = [];
  const beside: Watched[] = [];
  for (let turn = 0; turn < turns; turn++) {
    alone.push(await player.watch(() => sleep(aloneMs)));
    beside.push(await player.watch(() => snapshotOf(taking(data))));
  }
  partition.owner.stop();
  await running;
  await partition.close();
  const [one, other] = [figuresOf(alone), figuresOf(beside)];
  return {
    urls,
    snapshots: turns,
    snapshotSeconds: Number((beside.reduce((sum, { seconds }) => sum + seconds, 0) / turns).toFixed(1)),
    aloneGapMs: one.gapMs,
    besideGapMs: other.gapMs,
    aloneP99Ms: one.p99Ms,
    besideP99Ms: other.p99Ms,
    aloneOwnMs: one.ownMs,
    besideOwnMs: other.ownMs,
    aloneLateMs: one.lateMs,
    besideLateMs: other.lateMs,
    commits: one.commits + other.commits,
  };
}

function figuresOf(all: readonly Watched[]) {
  const gaps = all.flatMap((one) => one.gaps);
  const [whole, own] = (['ms', 'ownMs'] as const).map((of) => gaps.map((gap) => gap[of]).sort((a, b) => a - b));
  const lateMs = Math.max(...all.map((one) => one.lateMs));
  const tenths = (ms: number) => Number(ms.toFixed(1));
  return {
    gapMs: tenths(whole!.at(-1)!),
    p99Ms: tenths(whole![Math.floor(0.99 * gaps.length)]!),
    ownMs: tenths(own!.at(-1)!),
    lateMs: tenths(lateMs),
    commits: gaps.length,
  };
}

/** Runs in a separate process, on this process's core. */
async function snapshotOf(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [compiledMain, 'snapshot-pause', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  yieldProcessor(child);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the snapshot ended with ${code}`);
}

interface Watched {
  readonly seconds: number;
  readonly gaps: readonly Gap[];
  readonly lateMs: number;
}

interface Gap {
  readonly ms: number;
  readonly ownMs: number;
}

/** Time that this thread was ready to run but not running, ms, on Linux; elsewhere 0. */
function waitedMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** Offers links at a steady pace; notes durable commits at each turn of the owner. */
class PacedPlayer implements Player {
  isOn = false;
  committed: () => unknown = () => undefined;
  readonly #source: LinkSource;
  #dueMs = 0;
  #seen: unknown;
  #seenMs = 0;
  #waitedMs = 0;
  #gaps: Gap[] = [];

  constructor(hosts: number) {
    this.#source = new LinkSource({ hosts, duplicates: 0.7 });
  }

  async watch(act: () => Promise<void>): Promise<Watched> {
    const late = monitorEventLoopDelay({ resolution: 1 });
    const beganMs = performance.now();
    [this.#seenMs, this.#waitedMs, this.#gaps] = [beganMs, waitedMs(), []];
    late.enable();
    await act();
    late.disable();
    const seconds = (performance.now() - beganMs) / 1000;
    return { seconds, gaps: this.#gaps, lateMs: late.max / 1e6 };
  }

  discovered() {
    const nowMs = performance.now();
    if (!this.isOn || nowMs < this.#dueMs) return null;
    this.#dueMs = Math.max(nowMs, this.#dueMs + everyMs);
    return this.#source.message(linksPerMessage);
  }

  results() {
    return [];
  }

  take(): void {}

  onTurn(): void {
    const newest = this.committed();
    if (newest === this.#seen) return;
    const nowMs = performance.now();
    const waited = waitedMs();
    const ms = nowMs - this.#seenMs;
    this.#gaps.push({ ms, ownMs: ms - (waited - this.#waitedMs) });
    [this.#seen, this.#seenMs, this.#waitedMs] = [newest, nowMs, waited];
  }
}
