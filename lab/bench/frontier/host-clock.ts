/**
 * `npm run bench -- host-clock [--hosts N] [--json]`
 *
 * The host clock alone: nanoseconds of CPU to take a ready host and put it back with a later time, and bytes per host,
 * at 10 k, 100 k, 1 M and 10 M hosts, or at `--hosts`. Delays are spread over as many milliseconds as there are hosts.
 */

import { HostClock } from '../../../topology/frontier/hosts/clock.ts';
import { frontQueueCount } from '../../../topology/url/front-queue.ts';
import { benchOptions } from '../bench-options.ts';
import { onOneCore } from '../process/one-core.ts';

interface ClockFigures {
  readonly hosts: number;
  readonly nanosPerTakeAndPut: number;
  readonly bytesPerHost: number;
  /** Longest single call, growth included. */
  readonly worstPauseMs: number;
}

const cycles = 2_000_000;

export async function run(args: readonly string[]): Promise<void> {
  const options = benchOptions(args, { urls: cycles, hosts: 1_000_000 });
  const sizes = options.given.has('hosts') ? [options.hosts] : [10_000, 100_000, 1_000_000, 10_000_000];
  const all: ClockFigures[] = [];
  for (const hosts of sizes) {
    const one = await onOneCore('host-clock', ['--hosts', `${hosts}`, '--urls', `${options.urls}`], async () =>
      measure(hosts, options.urls),
    );
    if (one === undefined) return;
    all.push(one);
  }
  console.table(all);
  const last = all.at(-1)!;
  const urlsPerSecond = Math.round(1e9 / last.nanosPerTakeAndPut);
  if (options.json) process.stdout.write(`${JSON.stringify({ name: 'host-clock', ...last, urlsPerSecond, all })}\n`);
}

function measure(hosts: number, count: number): ClockFigures {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const before = bytesInUse();
  const clock = new HostClock();
  let worstPauseMs = 0;
  for (let host = 0; host < hosts; host++) {
    const beganMs = performance.now();
    clock.schedule(host, Math.floor(random() * hosts), Math.floor(random() * frontQueueCount));
    worstPauseMs = Math.max(worstPauseMs, performance.now() - beganMs);
  }
  const bytesPerHost = (bytesInUse() - before) / hosts;
  let nowMs = 0;
  const cpu = process.cpuUsage();
  for (let left = count; left > 0; ) {
    nowMs = Math.max(nowMs + 1, clock.nextReadyAtMs ?? 0);
    const round = Math.min(1_000, left);
    // Time advances by the average that a round takes out.
    nowMs += round;
    clock.advance(nowMs);
    for (let i = 0; i < round; i++) {
      const host = clock.take(random);
      if (host === undefined) break;
      clock.schedule(host, nowMs + 1 + Math.floor(random() * hosts), host % frontQueueCount);
      left -= 1;
    }
  }
  const { user, system } = process.cpuUsage(cpu);
  return {
    hosts,
    nanosPerTakeAndPut: Math.round((1e3 * (user + system)) / count),
    bytesPerHost: Number(bytesPerHost.toFixed(1)),
    worstPauseMs: Number(worstPauseMs.toFixed(1)),
  };
}

function bytesInUse(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
