/**
 * The topology on a clock moved by hand: no broker, no sockets, no timers. Source of the idea: Kafka Streams' test
 * driver.
 *
 * Topics are arrays, the frontier is the real `FrontierPartition` with its changelog and checkpoint, the web is a
 * function, and fetchers are played: a lease's URLs are requested one after another with the lease's delay, in virtual
 * time. Everything is deterministic: the same script gives the same log, to the byte.
 *
 * Invariants are checked on the way: no host is contacted before its delay has passed since the last completion, one
 * request per host at a time (or as many as it has slots, each with its delay), conservation after every commit.
 */

import assert from 'node:assert/strict';
import { blankControl, blankLinkGroup, blankOutcome, blankRequest, blankResult } from '../../schemas/blank.ts';
import type {
  Control,
  DeadLetter,
  Discovered,
  LinkGroup,
  Outcome,
  OutcomeKind,
  Request,
  Result,
  Task,
} from '../../schemas/types.ts';
import type { CrawlEnd, Look } from '../../topology/frontier/ask/crawl-end.ts';
import { crawlEnd } from '../../topology/frontier/ask/crawl-end.ts';
import { decodeChangelog, encodeClaim } from '../../topology/frontier/changes/changelog.ts';
import type { Counters } from '../../topology/frontier/changes/counters.ts';
import { lostUrls, sumCounters } from '../../topology/frontier/changes/counters.ts';
import { readLeases } from '../../topology/frontier/checkpoint/read-rows.ts';
import { saveCheckpoint } from '../../topology/frontier/checkpoint/save-checkpoint.ts';
import { FrontierPartition } from '../../topology/frontier/partition.ts';
import { replay } from '../../topology/frontier/replay.ts';
import { FrontierState } from '../../topology/frontier/state/state.ts';
import type { PolicyConfig } from '../../topology/policy/policy.ts';
import { defaultPolicy } from '../../topology/policy/policy.ts';
import { isCrawlDelayTooLong } from '../../topology/robots/crawl-delay-cap.ts';
import { hostKeyOf, partitionKeyOf } from '../../topology/url/host-key.ts';
import { partitionOf } from '../../topology/url/partition.ts';
import { RowsInMemory } from '../model/rows-in-memory.ts';

/** Response of the simulated web. */
export interface Answer {
  readonly kind: OutcomeKind;
  readonly status?: number;
  readonly links?: readonly string[];
  readonly redirectUrl?: string;
  readonly retryAfterMs?: number;
  /** Hexadecimal. */
  readonly contentHash?: string;
  /** Signature of the page (topology/content/text-signature.ts), for a lease that asks for it. */
  readonly textSignature?: string;
  readonly noindex?: boolean;
  /** Duration of the request, ms. */
  readonly takesMs?: number;
}

export interface DriverOptions {
  readonly web: (url: string, nowMs: number) => Answer;
  readonly policy?: Partial<PolicyConfig>;
  readonly partitions?: number;
  readonly leasesMax?: number;
  /** Robots' Crawl-delay by host key, ms. */
  readonly crawlDelayMs?: Readonly<Record<string, number>>;
  /** Most leases of a host at once, by host key. Absent: one. */
  readonly hostSlots?: Readonly<Record<string, number>>;
  /** Called before each lease is taken; false: the fetcher is dead and reports nothing. */
  readonly takesLease?: (task: Task) => boolean;
}

interface Partition {
  core: FrontierPartition;
  readonly changelog: Buffer[];
  readonly rows: RowsInMemory;
  readonly discovered: Discovered[];
  readonly results: Result[];
  readonly control: Control[];
  readonly offered: { discovered: number; results: number; control: number };
}

export const fingerprintKey = { hi: 0x1234_5678, lo: 0x9abc_def0 };

export class TopologyDriver {
  nowMs = 1_000_000;
  readonly #options: DriverOptions;
  readonly #partitions: Partition[];
  readonly #events: { readonly atMs: number; readonly seq: number; readonly act: () => void }[] = [];
  #eventSeq = 0;
  #policyVersion = 0;
  /** Every request, in order of start. */
  readonly requests: {
    readonly url: string;
    readonly hostKey: string;
    readonly startMs: number;
    readonly endMs: number;
  }[] = [];
  readonly deadLetters: DeadLetter[] = [];
  readonly tasks: Task[] = [];
  /** Records of frontiers on `control`. */
  readonly said: Control[] = [];
  /** Ends of the contacts of each host, with the expected ends of those in progress. */
  readonly #endsMs = new Map<string, number[]>();
  /** When a host was last in trouble: leases from before return. */
  readonly #troubledAtMs = new Map<string, number>();

  constructor(options: DriverOptions) {
    this.#options = options;
    this.#partitions = Array.from({ length: options.partitions ?? 1 }, (_, partition) => ({
      core: this.#fresh(partition),
      changelog: [],
      rows: new RowsInMemory(),
      discovered: [],
      results: [],
      control: [],
      offered: { discovered: 0, results: 0, control: 0 },
    }));
    for (let partition = 0; partition < this.#partitions.length; partition++) this.open(partition);
    this.setPolicy({ ...defaultPolicy(), delayFactor: 0, ...options.policy });
  }

  get counters(): Counters {
    return sumCounters(this.#partitions.map(({ core }) => core.state.counters));
  }

  core(partition = 0): FrontierPartition {
    return this.#partitions[partition]!.core;
  }

  changelog(partition = 0): readonly Buffer[] {
    return this.#partitions[partition]!.changelog;
  }

  setPolicy(policy: PolicyConfig): void {
    this.#policyVersion += 1;
    const payload = JSON.stringify({ ...policy, version: this.#policyVersion });
    for (const { control } of this.#partitions) {
      control.push({ ...emptyControl, kind: 'policy', version: this.#policyVersion, payload });
    }
  }

  control(partition: number, event: Partial<Control>): void {
    this.#partitions[partition]!.control.push({ ...emptyControl, ...event });
  }

  inject(urls: readonly string[], group: Partial<LinkGroup> = {}): void {
    for (const url of urls) {
      const hostKey = hostKeyOf(url);
      const partition = partitionOf(partitionKeyOf(hostKey, 'host'), this.#partitions.length);
      const links = [{ url, lastModifiedMs: 0, priority: -1, spelling: '' }];
      const filled: LinkGroup = { ...blankLinkGroup, ...group, hostKey, links };
      this.#partitions[partition]!.discovered.push({ groups: [filled] });
    }
  }

  /** Runs until no event is left, at most to `untilMs`. */
  run(untilMs = this.nowMs + 30 * 24 * 3_600_000): CrawlEnd {
    for (;;) {
      while (this.#partitions.some((_, partition) => this.#stepOnce(partition)));
      const next = this.#nextTime();
      if (next === undefined || next > untilMs) {
        this.nowMs = Math.max(this.nowMs, Math.min(untilMs, next ?? this.nowMs));
        const look = this.#look();
        return crawlEnd(look, look);
      }
      this.nowMs = Math.max(this.nowMs, next);
      while (this.#events[0] !== undefined && this.#events[0].atMs <= this.nowMs) this.#events.shift()!.act();
    }
  }

  /** Writes the checkpoint, as the service does now and then. */
  save(partition = 0): void {
    const { core, rows } = this.#partitions[partition]!;
    rows.run(saveCheckpoint(core.state));
  }

  /** Drops an owner's memory: it opens again from its checkpoint and changelog. `fetchersDie`: leases end with it. */
  crash(partition = 0, fetchersDie = false): void {
    if (fetchersDie) {
      this.#events.length = 0;
      // The pending work of dead fetchers has ended, too.
      for (const [hostKey, ends] of this.#endsMs)
        this.#endsMs.set(
          hostKey,
          ends.map((endMs) => Math.min(endMs, this.nowMs)),
        );
    }
    this.open(partition, fetchersDie);
  }

  open(number: number, endsLeases = false): void {
    const partition = this.#partitions[number]!;
    const state = new FrontierState(fingerprintKey);
    partition.rows.load(state);
    partition.changelog.push(
      encodeClaim({ kind: 'claim', nonce: `${this.#eventSeq++}`, nowMs: this.nowMs, endsLeases }),
    );
    catchUp(state, partition.changelog, partition.rows);
    partition.core = new FrontierPartition(this.#identity(number), state);
    partition.rows.run(partition.core.reads());
    for (const topic of ['discovered', 'results', 'control'] as const) {
      partition.offered[topic] = state.positions[topic].offset;
    }
    for (const { partition: to, record } of partition.core.republish()) this.#partitions[to]!.control.push(record);
  }

  /** A fetcher's message without a lease. */
  report(partition: number, result: Partial<Result>): void {
    this.#partitions[partition]!.results.push({ ...emptyResult, partition, ...result });
  }

  /** Delivers every result again. */
  repeatResults(): void {
    for (const { results } of this.#partitions) results.push(...results);
  }

  /** Another program writes to a changelog. */
  append(commit: Buffer, partition = 0): void {
    this.#partitions[partition]!.changelog.push(commit);
    this.crash(partition);
  }

  /** A record that cannot be decoded, in place of the next one. */
  offerUnreadable(topic: 'discovered', bytes: Uint8Array, why: string): void {
    const { core, discovered, offered } = this.#partitions[0]!;
    core.offer({ topic, offset: discovered.length, record: null, bytes, why });
    discovered.push({ groups: [] });
    offered[topic] += 1;
  }

  /** One message with many links, in one group per run of equal hosts. All on one partition. */
  injectGroup(urls: readonly string[], group: Partial<LinkGroup> = {}): void {
    const groups = urls.map((url) => ({
      ...blankLinkGroup,
      ...group,
      hostKey: hostKeyOf(url),
      links: [{ url, lastModifiedMs: 0, priority: -1, spelling: '' }],
    }));
    this.#partitions[0]!.discovered.push({ groups });
  }

  /** One step of partition 0. */
  stepOnce(): boolean {
    return this.#stepOnce(0) && this.#stepOnce(0);
  }

  /** A state rebuilt from the changelog alone. */
  rebuilt(partition = 0): FrontierState {
    const state = new FrontierState(fingerprintKey);
    catchUp(state, this.#partitions[partition]!.changelog, new RowsInMemory());
    return state;
  }

  #fresh(partition: number): FrontierPartition {
    return new FrontierPartition(this.#identity(partition), new FrontierState(fingerprintKey));
  }

  #identity(partition: number) {
    return { crawl: 'test', partition, partitions: this.#options.partitions ?? 1 };
  }

  #stepOnce(number: number): boolean {
    const partition = this.#partitions[number]!;
    const { core, offered } = partition;
    for (const topic of ['control', 'results', 'discovered'] as const) {
      if (topic === 'discovered' && core.full) continue;
      for (; offered[topic] < partition[topic].length; offered[topic]++) {
        core.offer({ topic, offset: offered[topic], record: partition[topic][offered[topic]]! } as never);
      }
    }
    partition.rows.run(core.reads());
    const step = core.step(this.nowMs, this.#demand(core));
    if (step === null) return false;
    assert.equal(step.offset, partition.changelog.length, 'a commit lands at the offset its owner expects');
    partition.changelog.push(step.commit);
    assert.equal(lostUrls(core.state.counters), 0, 'every admitted URL is in one place');
    partition.rows.run(core.reads());
    this.deadLetters.push(...step.deadLetters);
    for (const { partition: to, record } of step.controls) {
      this.#partitions[to]!.control.push(record);
      this.said.push(record);
    }
    for (const task of step.tasks) this.#fetch(task);
    return true;
  }

  #demand(core: FrontierPartition): number {
    return Math.max(0, (this.#options.leasesMax ?? 100) - core.state.leases.size);
  }

  #nextTime(): number | undefined {
    const times = this.#partitions.map(({ core }) => core.wakeAtMs(this.#demand(core)));
    times.push(this.#events[0]?.atMs);
    const known = times.filter((time) => time !== undefined && time > this.nowMs) as number[];
    if (this.#events[0] !== undefined && this.#events[0].atMs <= this.nowMs) return this.nowMs;
    return known.length === 0 ? undefined : Math.min(...known);
  }

  /** Plays a fetcher: one request after another, each reported when the lease is over. */
  #fetch(task: Task): void {
    this.tasks.push(task);
    if (this.#options.takesLease?.(task) === false) return;
    const outcomes: Outcome[] = [];
    const requests: Request[] = [];
    const groups: { readonly url: string; readonly group: Partial<LinkGroup> }[] = [];
    const crawlDelayMs = this.#options.crawlDelayMs?.[task.hostKey] ?? -1;
    const delayMs = Math.max(task.delayMs, crawlDelayMs);
    let atMs = this.nowMs;
    const beganMs = this.nowMs;
    // A hop of another host's robots.txt takes the place of the URLs.
    const [hop] = task.robotsHops;
    const one = (index: number): void => {
      const target =
        task.urls[index] ?? (index === 0 && hop ? { url: hop.url, depth: 0, hop: 0, cash: 0, normal: '' } : undefined);
      if (target !== undefined && (this.#troubledAtMs.get(task.hostKey) ?? 0) > beganMs) {
        this.#report(task, outcomes, requests, groups, crawlDelayMs);
        return;
      }
      if (target === undefined || isCrawlDelayTooLong(crawlDelayMs, task)) {
        for (let rest = index; rest < task.urls.length; rest++) {
          outcomes.push({ ...blankOutcome, index: rest, url: task.urls[rest]!.url, kind: 'crawlDelayTooLong' });
        }
        this.#report(task, outcomes, requests, groups, crawlDelayMs);
        return;
      }
      const answer = this.#options.web(target.url, this.nowMs);
      const startMs = this.nowMs;
      atMs = startMs + (answer.takesMs ?? 20);
      this.#note(task.hostKey, target.url, startMs, atMs, delayMs);
      this.#at(atMs, () => {
        requests.push({ ...emptyRequest, url: target.url, outcomeIndex: index, startMs, endMs: this.nowMs, delayMs });
        if (hop === undefined) outcomes.push(outcomeOf(index, target.normal || target.url, answer));
        for (const url of answer.links ?? []) {
          const share = target.cash / answer.links!.length;
          groups.push({ url, group: { depth: target.depth + 1, sourceUrl: target.url, share } });
        }
        if (answer.redirectUrl !== undefined) {
          groups.push({
            url: answer.redirectUrl,
            group: { depth: target.depth, hop: target.hop + 1, front: true, share: target.cash },
          });
        }
        if (answer.kind === 'throttled' || answer.kind === 'connectionFailed' || answer.kind === 'robotsUnreachable') {
          this.#troubledAtMs.set(task.hostKey, this.nowMs);
          this.#report(task, outcomes, requests, groups, crawlDelayMs);
        } else if (index + 1 >= task.urls.length) {
          one(index + 1);
        } else this.#at(this.nowMs + delayMs, () => one(index + 1));
      });
    };
    this.#at(Math.max(this.nowMs, task.notBeforeMs), () => one(0));
  }

  #report(
    task: Task,
    outcomes: Outcome[],
    requests: Request[],
    groups: readonly { readonly url: string; readonly group: Partial<LinkGroup> }[],
    crawlDelayMs: number,
  ): void {
    for (const { url, group } of groups) this.inject([url], group);
    this.report(task.partition, {
      epoch: task.epoch,
      leaseId: task.leaseId,
      hostKey: task.hostKey,
      last: true,
      completedAtMs: requests.at(-1)?.endMs ?? 0,
      outcomes,
      requests,
      host: { ...emptyResult.host, robotsStatus: 'rules', crawlDelayMs },
    });
  }

  #note(hostKey: string, url: string, startMs: number, endMs: number, delayMs: number): void {
    const hostSlots =
      this.#options.crawlDelayMs?.[hostKey] === undefined ? (this.#options.hostSlots?.[hostKey] ?? 1) : 1;
    const recent = (this.#endsMs.get(hostKey) ?? []).filter((atMs) => atMs + delayMs > startMs);
    assert.ok(recent.length < hostSlots, `${hostKey} is contacted ${startMs - recent[0]!} ms after a completion`);
    this.#endsMs.set(hostKey, [...recent, endMs]);
    this.requests.push({ url, hostKey, startMs, endMs });
  }

  #at(atMs: number, act: () => void): void {
    const event = { atMs, seq: this.#eventSeq++, act };
    const index = this.#events.findIndex((other) => other.atMs > atMs);
    this.#events.splice(index < 0 ? this.#events.length : index, 0, event);
  }

  #look(): Look {
    return {
      partitions: this.#partitions.map(({ core: { state }, discovered, results, control }) => ({
        positions: state.positions,
        counters: state.counters,
        ends: { discovered: discovered.length, results: results.length, control: control.length },
      })),
      pageQuota: this.#partitions[0]!.core.policy?.config.pageQuota ?? null,
    };
  }
}

function catchUp(state: FrontierState, changelog: readonly Buffer[], rows: RowsInMemory): void {
  for (let offset = state.changelog.offset; offset < changelog.length; offset++) {
    const record = decodeChangelog(changelog[offset]!);
    if (record.kind === 'claim' && record.endsLeases) rows.run(readLeases(state));
    replay(state, offset, record);
  }
}

function outcomeOf(index: number, url: string, answer: Answer): Outcome {
  const {
    kind,
    status = kind === 'fetched' ? 200 : 0,
    redirectUrl = '',
    retryAfterMs = 0,
    contentHash = '',
    textSignature = '',
    noindex = false,
  } = answer;
  const links = answer.links?.length ?? 0;
  const content = { contentHash, textSignature, noindex, links };
  return { ...blankOutcome, index, url, kind, status, redirectUrl, retryAfterMs, ...content };
}

const emptyControl: Control = { ...blankControl, by: 'test' };

const emptyResult: Result = {
  ...blankResult,
  fetcherId: 'driver',
};

const emptyRequest: Request = { ...blankRequest, kind: 'page', status: 200, address: '127.0.0.1', bytes: 100 };
