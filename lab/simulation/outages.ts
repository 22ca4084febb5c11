/**
 * Outages on our own side, and the checks that no host and no URL pays for them.
 *
 * - A request that fails within an outage costs no attempt, if its process had enough evidence
 *   (topology/fetch/network-evidence.ts): a host that had answered, or for names alone three of them.
 * - In runs without other faults, no host that always answers has failed, no lease expires, and pages are fetched soon
 *   after the outage.
 */
import type { Result } from '../../schemas/types.ts';
import type { RecordCodec } from '../../services/runtime/avro/record-codec.ts';
import type { LogRecord } from '../../services/runtime/log/log.ts';
import { networkLimits } from '../../topology/fetch/network-limits.ts';
import { readChangelog } from '../../topology/frontier/changes/changelog.ts';
import { sumCounters } from '../../topology/frontier/changes/counters.ts';
import type { SimProcess } from './process.ts';
import type { Scheduler } from './scheduler.ts';
import type { Setting } from './setting.ts';
import type { World } from './world.ts';

/** The network with its name servers, or the name servers alone. */
export type Away = 'network' | 'names';

export interface Outage {
  readonly away: Away;
  readonly untilMs: number;
  isHit(process: SimProcess): boolean;
}

/** By then a failure at the end of an outage has been judged: a host that answers meanwhile shows nothing any more. */
const edgeMs = 10_000;
const retried = new Set(['timeout', 'connectionFailed', 'dnsFailed', 'robotsUnreachable']);

export class Outages {
  readonly #world: World;
  readonly #scheduler: Scheduler;
  readonly #violate: (what: string) => void;
  readonly #now: Outage[] = [];
  /** Hosts that answered each process. */
  readonly #answered = new Map<SimProcess, Set<string>>();
  /** Processes that started when the crawl had pages. */
  readonly #resumed = new Set<SimProcess>();
  /** Failures by outages that no URL may be charged with. */
  readonly #ours = new Set<string>();
  readonly #mayPay = new Set<string>();
  #pageAtMs = Number.NEGATIVE_INFINITY;
  #hasPages = false;
  onContact: (process: SimProcess) => void = () => {};
  /** True if nothing else goes wrong in this run. */
  readonly isQuiet: boolean;

  constructor(world: World, scheduler: Scheduler, violate: (what: string) => void, isQuiet: boolean) {
    this.#world = world;
    this.#scheduler = scheduler;
    this.#violate = violate;
    this.isQuiet = isQuiet;
  }

  begin(outage: Outage): void {
    this.#now.push(outage);
  }

  /** Returns the part of its surroundings that the process lacks now. */
  of(process: SimProcess): Away | null {
    const hit = this.#outagesOf(process);
    return hit.some(({ away }) => away === 'network') ? 'network' : (hit[0]?.away ?? null);
  }

  /** True if an outage lasts longer than this, or has begun since. */
  isAnyAfter(atMs: number): boolean {
    return this.#now.some(({ untilMs }) => untilMs > atMs);
  }

  #outagesOf(process: SimProcess): Outage[] {
    const nowMs = this.#scheduler.nowMs();
    return this.#now.filter(({ untilMs, isHit }) => nowMs < untilMs && isHit(process));
  }

  /** Time of the last request for a page. */
  get pageAtMs(): number {
    return this.#pageAtMs;
  }

  /** True for a host with a failure that its process could not distinguish from the host's. */
  mayPay(hostName: string): boolean {
    return this.#mayPay.has(hostName);
  }

  opened(process: SimProcess): void {
    if (this.#hasPages) this.#resumed.add(process);
  }

  /** A request has arrived at a host. */
  contacted(process: SimProcess, kind: 'robots' | 'page'): void {
    if (kind === 'page') this.#pageAtMs = this.#scheduler.nowMs();
    this.onContact(process);
  }

  answered(process: SimProcess, hostName: string): void {
    const hosts = this.#answered.get(process);
    if (hosts === undefined) this.#answered.set(process, new Set([hostName]));
    else hosts.add(hostName);
  }

  /** A request failed because of an outage. `startMs`: by the process's clock. */
  failed(process: SimProcess, url: string, startMs: number): void {
    const [outage] = this.#outagesOf(process);
    if (outage === undefined) return;
    const answered = this.#answered.get(process)?.size ?? 0;
    const isKnown =
      outage.away === 'network'
        ? answered > 0 || this.#resumed.has(process)
        : answered >= networkLimits.silentTargetsLeast;
    if (!isKnown) this.#mayPay.add(new URL(url).host);
    else if (this.#scheduler.nowMs() < outage.untilMs - edgeMs) this.#ours.add(failureKey(process.name, url, startMs));
  }

  see({ topic, partition, value }: LogRecord, codec: RecordCodec): void {
    if (topic.endsWith('.pages')) this.#hasPages = true;
    if (topic.endsWith('.results')) this.#checkCharged(codec.decode('results', value));
    if (this.isQuiet && topic.endsWith('.frontier-changelog')) this.#checkQuiet(partition, value);
  }

  #checkCharged({ fetcherId, requests, outcomes }: Result): void {
    for (const { url, kind, startMs, outcomeIndex } of requests) {
      if (!this.#ours.has(failureKey(fetcherId, url, startMs))) continue;
      const charged = outcomes.find(({ index, kind: outcome }) =>
        kind === 'robots' ? outcome === 'robotsUnreachable' : index === outcomeIndex && retried.has(outcome),
      );
      if (charged !== undefined) this.#violate(`${charged.url} is ${charged.kind} by an outage of ${fetcherId}`);
    }
  }

  #checkQuiet(partition: number, value: Buffer): void {
    const record = readChangelog(value);
    if (record.kind !== 'commit' || this.#now.length === 0) return;
    for (const change of record.changes) {
      if (change.kind === 'release' && change.expired)
        this.#violate(`lease ${change.leaseId} of partition ${partition} expired, and only an outage went wrong`);
      if (change.kind !== 'host' || change.facts.failures === 0 || this.#mayPay.has(change.hostKey)) continue;
      if (this.#world.byName.get(change.hostKey)!.steady) this.#violate(`${change.hostKey} failed by an outage`);
    }
  }
}

/**
 * In a quiet run, work that is left goes on by this time after an outage. Hosts of leases that returned wait for up to
 * 30 s (decide/politeness.ts).
 */
export const workSoonMs = 45_000;

export function checkWorks(stage: Setting, backMs: number): void {
  const { web, world, standby, scheduler, violate } = stage;
  const outages = web.outages!;
  const isEnding = world.recrawl !== null || world.pageQuota !== null;
  if (!outages.isQuiet || isEnding || outages.pageAtMs >= backMs || outages.isAnyAfter(backMs)) return;
  const { queued, leased } = sumCounters(standby.states.map(({ counters }) => counters));
  if (queued + leased === 0) return;
  violate(
    `${queued} URLs wait and ${leased} are leased, and no page was requested for ${scheduler.nowMs() - backMs} ms`,
  );
}

function failureKey(process: string, url: string, startMs: number): string {
  return `${process} ${url} ${startMs}`;
}
