/**
 * Fetchers that answer at once: every task is answered with pages one turn later. First every host gets as many URLs as
 * the measurement needs, while no lease is granted. Then as many leases are granted at once as a crawl allows by
 * default.
 */
import { blankHostFacts } from '../../../schemas/blank.ts';
import type { Discovered, Outcome, Request, Result, Task, TaskUrl } from '../../../schemas/types.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import type { BenchPartition } from './bench-partition.ts';
import { evenMessage } from './link-source.ts';
import type { Player } from './played-log.ts';

export interface LeaseFigures {
  readonly hosts: number;
  readonly urlsPerLease: number;
  readonly urlsPerSecond: number;
  readonly cpuMicrosPerUrl: number;
  readonly worstPauseMs: number;
  readonly rssBytes: number;
}

const fetchMs = 50;
const linksPerMessage = 500;

export class LeasePlayer implements Player {
  partition!: BenchPartition;
  leasesMax = 0;
  readonly #hosts: number;
  /** Links each host gets. */
  readonly #pages: number;
  readonly #urls: number;
  readonly #lease: number;
  #filled = 0;
  #tasks: Task[] = [];
  #begun: { readonly wallMs: number; readonly cpuMs: number } | undefined;
  figures: LeaseFigures | undefined;
  readonly #onBegin: () => Promise<void>;

  /** `urls`: the number to lease and complete. `onBegin`: called once the hosts are filled. */
  constructor(hosts: number, urls: number, lease: number, onBegin: () => Promise<void>) {
    this.#hosts = hosts;
    this.#urls = urls;
    this.#lease = lease;
    // Whole leases for twice the number of URLs, so that no host runs dry before the end.
    this.#pages = lease * Math.max(1, Math.ceil((2 * urls) / hosts / lease));
    this.#onBegin = onBegin;
  }

  discovered(): Discovered | null {
    if (this.#filled >= this.#hosts * this.#pages) return null;
    const page = Math.floor(this.#filled / this.#hosts);
    const from = this.#filled % this.#hosts;
    const count = Math.min(linksPerMessage, this.#hosts - from);
    this.#filled += count;
    return evenMessage(from, count, page);
  }

  results(): readonly Result[] {
    const tasks = this.#tasks;
    this.#tasks = [];
    const nowMs = Date.now();
    return tasks.map((task) => fetchedResult(task, nowMs, fetchMs));
  }

  take(task: Task): void {
    this.#tasks.push(task);
  }

  onTurn(): void {
    const counters = this.partition.owner.committed?.counters;
    if (counters === undefined || this.figures !== undefined) return;
    if (this.#begun === undefined) {
      if (counters.queued === this.#hosts * this.#pages) this.#begin();
      return;
    }
    if (counters.page >= this.#urls) this.#end(counters.page);
  }

  #begin(): void {
    void this.#onBegin();
    this.leasesMax = crawlLimits.leasesMax;
    this.partition.played.worstTurnMs();
    this.#begun = this.#now();
  }

  #end(pages: number): void {
    const { wallMs, cpuMs } = this.#now();
    const spentMs = wallMs - this.#begun!.wallMs;
    this.figures = {
      hosts: this.#hosts,
      urlsPerLease: this.#lease,
      urlsPerSecond: Math.round((1000 * pages) / spentMs),
      cpuMicrosPerUrl: Number(((1000 * (cpuMs - this.#begun!.cpuMs)) / pages).toFixed(3)),
      worstPauseMs: Number(this.partition.played.worstTurnMs().toFixed(1)),
      rssBytes: process.resourceUsage().maxRSS * 1024,
    };
    this.leasesMax = 0;
    this.partition.owner.stop();
  }

  #now() {
    const { user, system } = process.cpuUsage();
    const { playedMs } = this.partition.played;
    return { wallMs: performance.now() - playedMs, cpuMs: (user + system) / 1000 - playedMs };
  }
}

/** Results that report a page for every URL of a task. */
export function fetchedResult(task: Task, nowMs: number, fetchMs: number): Result {
  return {
    partition: task.partition,
    epoch: task.epoch,
    leaseId: task.leaseId,
    hostKey: task.hostKey,
    fetcherId: 'bench',
    last: true,
    completedAtMs: nowMs,
    outcomes: task.urls.map(outcomeOf),
    requests: task.urls.map(({ url }, index) => requestOf(url, index, nowMs, fetchMs)),
    host: blankHostFacts,
    robotsHops: [],
    grantedAtMs: 0,
    policyVersion: 0,
    lanes: 1,
    userAgent: '',
    robotsTokens: '',
  };
}

function outcomeOf({ url }: TaskUrl, index: number): Outcome {
  return {
    index,
    url,
    kind: 'fetched',
    status: 200,
    bytes: 12_600,
    truncated: false,
    contentHash: '0123456789abcdef0123456789abcdef',
    etag: '',
    lastModified: '',
    retryAfterMs: 0,
    redirectUrl: '',
    links: 42,
    linksDropped: 0,
    noindex: false,
    soft404: false,
    textSignature: '',
    detail: '',
    traceparent: '',
    originOnly: false,
    freshForMs: 0,
    price: '',
    licence: '',
    paid: '',
    tags: [],
  };
}

function requestOf(url: string, outcomeIndex: number, endMs: number, fetchMs: number): Request {
  return {
    url,
    kind: 'page',
    outcomeIndex,
    hop: 0,
    startMs: endMs - fetchMs,
    endMs,
    connectMs: 0,
    firstByteMs: fetchMs,
    status: 200,
    address: '192.0.2.1',
    bytes: 12_600,
    delayMs: 0,
    robotsHash: '',
    robotsAtMs: 0,
    retryAfterMs: 0,
    addressDelayMs: 0,
    unverified: false,
  };
}
