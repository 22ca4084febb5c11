/**
 * The real frontier on virtual time, to check the model of many hosts (host-model.ts): one partition that knows all
 * hosts and pages of a population from the start, with everything in memory, and a played fetcher. The fetcher answers
 * as the model assumes: each URL of a lease takes the same time, with the delay between them.
 */
import { blankControl, blankLinkGroup } from '../../../schemas/blank.ts';
import type { Control, LinkGroup, Task } from '../../../schemas/types.ts';
import { FrontierPartition, type Input } from '../../../topology/frontier/partition.ts';
import { replay } from '../../../topology/frontier/replay.ts';
import { defaultSeen } from '../../../topology/frontier/seen/seen-config.ts';
import { FrontierState } from '../../../topology/frontier/state/state.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { benchKey } from '../frontier/bench-partition.ts';
import { fetchedResult } from '../frontier/lease-player.ts';
import { peakRssBytes, startCost } from '../process/process-cost.ts';
import type { Mark } from './host-model.ts';
import type { Population } from './host-population.ts';

export interface RealOptions {
  /** Every host is represented by itself. */
  readonly population: Population;
  readonly config: PolicyConfig;
  readonly fetchMs: number;
  readonly leases: number;
  readonly tickMs: number;
  readonly untilMs: number;
  readonly marks: number;
}

export interface RealRun {
  readonly marks: readonly Mark[];
  readonly leases: number;
  /** CPU to admit a URL, and to lease and complete one; without changelog and disk. */
  readonly admitCpuMicros: number;
  readonly leaseCpuMicros: number;
  /** Memory growth since before the first host, per host, including URLs, budgets and garbage. */
  readonly bytesPerHost: number;
  readonly rssBytes: number;
}

const groupsPerMessage = 500;
/** In memory a fingerprint takes at most this many bytes (seen-config.ts), for any number. */
const seenBytesPerUrl = 64;

export function runRealHosts(options: RealOptions): RealRun {
  return new RealHosts(options).run();
}

class RealHosts {
  readonly #options: RealOptions;
  readonly #core: FrontierPartition;
  readonly #offsets = { control: 0, results: 0, discovered: 0 };
  /** By tick. */
  readonly #ends = new Map<number, Task[]>();
  #nowMs = 0;
  #out = 0;
  #granted = 0;

  constructor(options: RealOptions) {
    this.#options = options;
    const memoryBytes = Math.max(defaultSeen.memoryBytes, Math.ceil(options.population.allPages * seenBytesPerUrl));
    const state = new FrontierState(benchKey, { ...defaultSeen, memoryBytes });
    replay(state, 0, { kind: 'claim', nonce: 'bench', nowMs: 0, endsLeases: false });
    this.#core = new FrontierPartition({ crawl: 'hosts', partition: 0, partitions: 1 }, state);
  }

  run(): RealRun {
    const { untilMs, tickMs, marks, config, population } = this.#options;
    const before = memoryInUse();
    const admitting = startCost();
    this.#offer('control', { ...policyControl, payload: JSON.stringify(config) });
    this.#fill();
    const admitCpuMicros = (1e6 * admitting().cpuSeconds) / population.allPages;
    const bytesPerHost = Math.round((memoryInUse() - before) / population.hosts);
    const leasing = startCost();
    const found: Mark[] = [];
    for (let tick = 0; found.length < marks; tick++) {
      this.#nowMs = tick * tickMs;
      for (const task of this.#ends.get(tick) ?? []) this.#end(task);
      this.#ends.delete(tick);
      this.#decide(this.#options.leases);
      if (this.#nowMs >= ((found.length + 1) * untilMs) / marks) found.push(this.#mark());
    }
    const leaseCpuMicros = (1e6 * leasing().cpuSeconds) / Math.max(1, found.at(-1)!.pages);
    return {
      marks: found,
      leases: this.#granted,
      admitCpuMicros: Number(admitCpuMicros.toFixed(2)),
      leaseCpuMicros: Number(leaseCpuMicros.toFixed(2)),
      bytesPerHost,
      rssBytes: peakRssBytes(),
    };
  }

  /** Page by page over all hosts, as a crawl finds them, and not host by host. */
  #fill(): void {
    const { pages } = this.#options.population;
    let groups: LinkGroup[] = [];
    for (let page = 0, hosts = pages.length; hosts > 0; page++) {
      // The largest hosts come first.
      while (hosts > 0 && pages[hosts - 1]! <= page) hosts -= 1;
      for (let host = 0; host < hosts; host++) {
        groups.push(groupOf(host, page));
        if (groups.length < groupsPerMessage && host < hosts - 1) continue;
        this.#offer('discovered', { groups });
        groups = [];
        if (this.#core.waiting('discovered') > 0) this.#decide(0);
      }
    }
    this.#decide(0);
  }

  #offer(topic: 'control' | 'results' | 'discovered', record: unknown): void {
    this.#core.offer({ topic, offset: this.#offsets[topic]++, record } as Input);
  }

  #decide(leases: number): void {
    for (;;) {
      const step = this.#core.step(this.#nowMs, Math.max(0, leases - this.#out));
      if (step === null) return;
      if (!this.#core.reads().next([]).done) throw new Error('everything is in memory');
      for (const task of step.tasks) this.#start(task);
    }
  }

  #start(task: Task): void {
    const { fetchMs, tickMs } = this.#options;
    const count = task.urls.length;
    this.#out += 1;
    this.#granted += 1;
    const endMs = this.#nowMs + count * fetchMs + (count - 1) * task.delayMs;
    const tick = Math.max(this.#nowMs / tickMs + 1, Math.ceil(endMs / tickMs));
    const ends = this.#ends.get(tick);
    if (ends === undefined) this.#ends.set(tick, [task]);
    else ends.push(task);
  }

  #end(task: Task): void {
    this.#out -= 1;
    this.#offer('results', fetchedResult(task, this.#nowMs, this.#options.fetchMs));
  }

  #mark(): Mark {
    const { counters, clock } = this.#core.state;
    const { page, queued, deferred, hosts } = counters;
    const workingHosts = clock.ready + clock.waiting;
    return { atMs: this.#nowMs, pages: page, knownHosts: hosts, workingHosts, leases: this.#out, queued, deferred };
  }
}

const policyControl: Control = { ...blankControl, by: 'bench', kind: 'policy', version: 1 };

function groupOf(host: number, page: number): LinkGroup {
  const hostKey = `www.host${host}.example${host % 1000}.com`;
  const url = `https://${hostKey}/section/${page % 100}/article-${page}.html`;
  return { ...blankLinkGroup, hostKey, depth: 1, links: [{ url, lastModifiedMs: 0, priority: -1, spelling: '' }] };
}

function memoryInUse(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
