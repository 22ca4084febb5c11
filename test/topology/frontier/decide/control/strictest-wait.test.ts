/**
 * Random orders of everything that sets, moves or ends a wait of a host: no lease is granted before the strictest wait in
 * force at that moment, counted from the last contacts.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Hand, type Report } from '../../../../../lab/model/hand.ts';
import { Chance, controlOf } from '../../../../../lab/model/model-script.ts';
import type { Task } from '../../../../../schemas/types.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import { leastDelay } from '../../../../../topology/frontier/decide/control-payloads.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';

const sites = ['a.site.test', 'b.site.test', 'c.other.test'] as const;
const retriesMs = [3_000, 20_000, 90_000];

/** The waits of a host, as a webmaster would count them. */
interface Waits {
  /** Ends of contacts, and how long a fetch was known to take then. */
  readonly contacts: { readonly atMs: number; readonly fetchMs: number }[];
  /** Contacts that a killed fetcher may have made: how long they took is not known. */
  readonly killsMs: number[];
  pausedUntilMs: number;
  crawlDelayMs: number;
  own: { readonly ms: number; readonly isLeast: boolean } | null;
}

class Game {
  readonly #chance: Chance;
  readonly #hand: Hand;
  readonly #tasks = new Map<number, Task>();
  /** Leases with a last contact that counts. */
  readonly #expired = new Set<number>();
  readonly #waits = new Map<string, Waits>();
  #policy: Partial<PolicyConfig> = {};
  #links = 0;
  grants = 0;
  readonly history: string[] = [];

  constructor(seed: number) {
    this.#chance = new Chance(seed);
    this.#policy = this.#somePolicy();
    this.history.push(JSON.stringify(this.#policy));
    this.#hand = new Hand(this.#policy);
    for (const host of sites) {
      this.#waits.set(host, {
        ...{ contacts: [], killsMs: [], pausedUntilMs: 0, crawlDelayMs: -1, own: null },
      });
      this.#link(host);
    }
  }

  turn(): void {
    const chance = this.#chance;
    const acts = Object.entries(this.#acts);
    const [name, act] = acts[chance.below(acts.length)]!;
    const host = chance.of(sites);
    this.history.push(`${this.#hand.nowMs} ${name} ${host}`);
    act(host);
    this.#grant();
    this.#pass(chance.of([0, 1, 300, 1_000, 1_000, 4_000, 15_000, 70_000]));
  }

  /** Time passes. Leases are granted as early as the partition would. */
  #pass(ms: number): void {
    const untilMs = this.#hand.nowMs + ms;
    for (let grants = 0; grants < 12; grants++) {
      const wakeMs = this.#hand.rig.core.wakeAtMs(4) ?? untilMs;
      if (wakeMs >= untilMs) break;
      this.#hand.nowMs = Math.max(this.#hand.nowMs, wakeMs);
      this.#grant();
    }
    this.#hand.nowMs = untilMs;
    this.#grant();
  }

  sameAfterReplay(): void {
    assert.equal(digest(this.#hand.rig.replayed()), digest(this.#hand.rig.core.state));
  }

  readonly #acts: Readonly<Record<string, (host: string) => void>> = {
    policy: () => {
      this.#policy = this.#somePolicy();
      this.history.push(JSON.stringify(this.#policy));
      this.#hand.policy(this.#policy);
    },
    report: (host) => this.#report(host, {}),
    'report again': (host) => this.#report(host, {}),
    'Crawl-delay': (host) => this.#report(host, { crawlDelayMs: this.#chance.of([-1, -1, 2_000, 9_000]) }),
    'Retry-After of a page': (host) => this.#report(host, { kind: 'redirect', retryAfterMs: this.#pauseMs() }),
    throttled: (host) => this.#report(host, { kind: 'throttled', retryAfterMs: this.#pauseMs() }),
    failed: (host) => this.#report(host, { kind: 'connectionFailed' }),
    returned: (host) => this.#report(host, { kind: 'returned' }),
    'own delay': (host) => this.#ownDelay(host, this.#chance.of([-1, 0, 500, 30_000])),
    'own delay of a webmaster': (host) => this.#ownDelay(host, this.#chance.of([2_000, 30_000]), true),
    release: (host) => this.#hand.event('releaseHost', host),
    'release after a purge': (host) => {
      this.#hand.rig.send('control', controlOf({ kind: 'purge', hostKey: host }));
      this.#hand.event('releaseHost', host);
      this.#link(host);
    },
    'block and release': (host) => {
      this.#hand.event('blockHost', host);
      this.#hand.event('releaseHost', host);
    },
    save: () => this.#hand.rig.save(),
    restart: () => this.#restart(false),
    kill: () => this.#restart(true),
    links: (host) => this.#link(host),
  };

  #somePolicy(): Partial<PolicyConfig> {
    const chance = this.#chance;
    const delayMs = () => chance.of([0, 400, 1_000, 5_000, 60_000]);
    const set = chance.percent(50) ? { delayMs: delayMs() } : { delayFactor: chance.of([0, 10]) };
    const isShared = chance.percent(25);
    return {
      ...{ urlsPerLeaseMax: 1, retriesMs, delayMs: delayMs(), delayFactor: chance.of([0, 0, 10]) },
      ...(chance.percent(40) && { overlays: [{ name: 'one', match: { hosts: [sites[0]] }, set }] }),
      ...(isShared && { politenessKey: 'domain' }),
      ...(!isShared && chance.percent(40) && { parallel: [{ hosts: ['site.test'], leases: chance.of([2, 3]) }] }),
    };
  }

  #pauseMs(): number {
    return this.#chance.of([1_000, 10_000, 200_000]);
  }

  #link(host: string): void {
    this.#hand.links(host, 6, { from: (this.#links += 6) });
  }

  #ownDelay(host: string, ms: number, isLeast = false): void {
    this.#hand.event('hostDelay', host, ms, isLeast ? leastDelay : '');
    const { ownDelayMs, ownDelayIsLeast } = this.#hand.rig.core.state.hosts.get(host)!.facts;
    this.#waits.get(host)!.own = ownDelayMs < 0 ? null : { ms: ownDelayMs, isLeast: ownDelayIsLeast };
  }

  #report(host: string, report: Report): void {
    const task = [...this.#tasks.values()].find(({ hostKey }) => hostKey === host);
    if (task === undefined) return;
    const { nowMs } = this.#hand;
    const isLate = !this.#hand.rig.core.state.leases.has(task.leaseId);
    this.#tasks.delete(task.leaseId);
    const before = this.#hand.rig.core.state.hosts.get(host)!.facts;
    this.#hand.report(task, { tookMs: this.#chance.of([100, 700, 3_000]), ...report });
    const waits = this.#waits.get(host)!;
    const { failures, throttles, fetchMs } = this.#hand.rig.core.state.hosts.get(host)!.facts;
    waits.contacts.push({ atMs: nowMs, fetchMs });
    const { kind = 'fetched', retryAfterMs = 0, crawlDelayMs } = report;
    if (retryAfterMs > 0) waits.pausedUntilMs = Math.max(waits.pausedUntilMs, nowMs + retryAfterMs);
    if (isLate) return;
    if (crawlDelayMs !== undefined) waits.crawlDelayMs = crawlDelayMs;
    const leastMs =
      kind === 'connectionFailed' && failures > before.failures
        ? retriesMs[Math.min(failures, retriesMs.length) - 1]!
        : kind === 'throttled' && throttles > before.throttles
          ? 0.8 * Math.min(retriesMs[0]! * 2 ** (throttles - 1), retriesMs.at(-1)!)
          : 0;
    waits.pausedUntilMs = Math.max(waits.pausedUntilMs, nowMs + Math.floor(leastMs));
  }

  /** With a kill, every lease may just have made a contact. */
  #restart(isKill: boolean): void {
    const { rig, nowMs } = this.#hand;
    if (isKill) {
      for (const { leaseId, hostKey } of this.#tasks.values())
        if (rig.core.state.leases.has(leaseId)) this.#waits.get(hostKey)!.killsMs.push(nowMs);
      this.#tasks.clear();
    }
    rig.reopen(nowMs, isKill);
    rig.open(nowMs);
  }

  #grant(): void {
    const granted = this.#hand.grant(0, 4);
    this.#expire();
    const left = [...this.#tasks.values()].filter(({ leaseId }) => this.#hand.rig.core.state.leases.has(leaseId));
    const out = new Map<string, number>();
    for (const { hostKey } of left) out.set(hostKey, (out.get(hostKey) ?? 0) + 1);
    for (const task of granted) {
      this.#check(task, out);
      out.set(task.hostKey, (out.get(task.hostKey) ?? 0) + 1);
      this.#tasks.set(task.leaseId, task);
      this.grants += 1;
    }
  }

  /** A fetcher makes its last contact at the deadline of a lease, at the latest. */
  #expire(): void {
    for (const { leaseId, hostKey, deadlineMs } of this.#tasks.values()) {
      const waits = this.#waits.get(hostKey)!;
      const { leases, hosts } = this.#hand.rig.core.state;
      if (leases.has(leaseId) || this.#expired.has(leaseId)) continue;
      this.#expired.add(leaseId);
      waits.contacts.push({ atMs: deadlineMs, fetchMs: hosts.get(hostKey)!.facts.fetchMs });
    }
  }

  #check({ hostKey }: Task, out: ReadonlyMap<string, number>): void {
    const { nowMs, rig } = this.#hand;
    const { hosts } = rig.core.state;
    assert.ok(nowMs >= this.#waits.get(hostKey)!.pausedUntilMs, `${hostKey} asked for a pause`);
    const isShared = this.#policy.politenessKey === 'domain';
    const domain = hostKey.slice(2);
    const others = isShared ? sites.filter((host) => host.slice(2) === domain) : [hostKey];
    let busy = 0;
    for (const host of others) {
      const { contacts, killsMs } = this.#waits.get(host)!;
      const [delayMs, factor] = this.#delayOf(host);
      busy += out.get(host) ?? 0;
      // A later fetch may have shown that the host is quicker.
      const latestMs = hosts.get(host)?.facts.fetchMs ?? 0;
      const waitMs = (fetchMs: number) => Math.max(delayMs, factor * Math.min(fetchMs, latestMs));
      busy += contacts.filter(({ atMs, fetchMs }) => atMs + waitMs(fetchMs) > nowMs).length;
      if (killsMs.some((atMs) => atMs + delayMs > nowMs)) busy = Infinity;
    }
    const { facts } = hosts.get(hostKey)!;
    const isOne = isShared || facts.crawlDelayMs > 0 || facts.failures + facts.throttles > 0 || facts.fetchMs === 0;
    const slots = isOne ? 1 : (this.#policy.parallel?.find(() => domain === 'site.test')?.leases ?? 1);
    assert.ok(busy < slots, `${nowMs} ${hostKey}: ${busy} contacts within its delay, or leases, for ${slots} slots`);
    // The lease takes the slot that has been free longest.
    for (const host of others) {
      const { contacts } = this.#waits.get(host)!;
      contacts.sort((a, b) => a.atMs - b.atMs);
      contacts.splice(0, contacts.length - Math.max(0, slots - (out.get(host) ?? 0) - 1));
    }
  }

  /** By the policy, operators and webmasters, robots.txt, and the time that a fetch takes. */
  #delayOf(host: string): readonly [delayMs: number, factor: number] {
    const { overlays = [], delayMs = 0, delayFactor = 0 } = this.#policy;
    const set = host === sites[0] ? (overlays[0]?.set ?? {}) : {};
    const { own, crawlDelayMs } = this.#waits.get(host)!;
    const policyMs = set.delayMs ?? delayMs;
    const orderedMs = own === null ? policyMs : own.isLeast ? Math.max(own.ms, policyMs) : own.ms;
    return [Math.max(orderedMs, crawlDelayMs), set.delayFactor ?? delayFactor];
  }
}

it('no host is contacted before the strictest of its waits is over, whatever changed while it waited', () => {
  let grants = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const game = new Game(seed);
    try {
      for (let turn = 0; turn < 60; turn++) game.turn();
      game.sameAfterReplay();
    } catch (error) {
      assert.fail(`game ${seed}: ${(error as Error).message}\n${game.history.slice(-60).join('\n')}`);
    }
    grants += game.grants;
  }
  assert.ok(grants > 1_000, `${grants} leases`);
});
