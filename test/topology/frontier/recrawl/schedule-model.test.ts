/**
 * The schedule of visits against a naive one: random pushes, visits that end in every way, pages that lead to new URLs or
 * are copies, fetchers that die, policies with other times, restarts.
 * After each step both must agree on every page. CRAWLSTREAM_TEST_MODEL_SEEDS=N runs so many seeds.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { Chance, controlOf } from '../../../../lab/model/model-script.ts';
import { NaiveSchedule, type NaiveWaits } from '../../../../lab/model/naive-schedule.ts';
import type { Task } from '../../../../schemas/types.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import type { PolicyConfig } from '../../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../../topology/policy/recrawl/recrawl-config.ts';

const seeds = Math.ceil(Number(process.env['CRAWLSTREAM_TEST_MODEL_SEEDS'] ?? 500) / 10);
const [pages, turns] = [6, 60];
const waits = { intervalMs: 120_000, goneMs: 300_000, errorMs: 200_000, retryMs: 5_000, hubUrls: 3, copyFactor: 2 };
const skewMs = 5_000;
const contentHash = 'body';
const urlOf = (path: number) => `https://a.test/${path}`;

function policyOf({ intervalMs, goneMs, errorMs, retryMs, hubUrls, copyFactor }: NaiveWaits): Partial<PolicyConfig> {
  const recrawl = {
    ...defaultRecrawl,
    schedule: 'fixed' as const,
    intervalMs,
    minMs: 1_000,
    goneMs,
    errorMs,
    share: 1,
    hubs: { newUrls: hubUrls },
    demote: { waitFactor: copyFactor, frontQueue: 7 },
  };
  return { delayMs: 500, recrawl, retriesMs: [retryMs], urlsPerLeaseMax: 3 };
}

class Game {
  readonly #chance: Chance;
  readonly #hand: Hand;
  readonly #naive = new NaiveSchedule(waits);
  #waits: NaiveWaits = waits;
  #lease: Task | undefined;
  pushesOnLease = 0;
  policies = 0;
  #found = 0;

  constructor(seed: number) {
    this.#chance = new Chance(seed);
    this.#hand = new Hand(policyOf(waits));
    // What pages lead to is never fetched.
    this.#hand.event('blockHost', 'b.test');
    this.#hand.links('a.test', pages);
    for (let left = pages; left > 0; left -= 3) {
      const first = this.#hand.lease(1_000);
      this.#hand.report(first, { contentHash });
      for (const { url } of first.urls) this.#naive.visited(url, 'fetched', this.#hand.nowMs, this.#hand.nowMs);
    }
  }

  turn(): void {
    const [chance, hand, naive] = [this.#chance, this.#hand, this.#naive];
    hand.nowMs += chance.of([0, 1, 400, 1_000, 7_000, 60_000]);
    this.#expire();
    this.#compare('time passes');
    if (chance.percent(40)) this.#push(urlOf(chance.below(pages)));
    if (chance.percent(25)) this.#lead(urlOf(chance.below(pages)), chance.of([1, 2, 5, 40]));
    if (chance.percent(10)) this.#judge(urlOf(chance.below(pages)), chance.percent(50));
    if (chance.percent(8)) this.#setPolicy();
    if (this.#lease === undefined) {
      [this.#lease] = hand.grant();
      if (this.#lease !== undefined) naive.grant(this.#lease, hand.nowMs);
    } else if (chance.percent(60)) this.#report(this.#lease);
    this.#compare('a lease is granted or reported');
    if (chance.percent(10)) hand.rig.save();
    if (chance.percent(8)) this.#restart(chance.percent(30));
    this.#compare('a restart');
  }

  #push(url: string): void {
    const isForced = this.#chance.percent(30);
    if (this.#naive.visits.get(url)!.out) this.pushesOnLease += 1;
    this.#hand.linksTo([url], isForced ? -1 : 0, { intent: isForced ? 'force' : 'refresh' });
    this.#naive.push(url, this.#hand.nowMs);
    this.#compare(`${url} is pushed`);
  }

  #lead(url: string, count: number): void {
    const urls = Array.from({ length: count }, () => `https://b.test/${this.#found++}`);
    this.#hand.linksTo(urls, 0, { sourceUrl: url });
    this.#naive.leadsTo(url, count);
  }

  #judge(url: string, isCopy: boolean): void {
    const payload = JSON.stringify({ prefixes: [], urls: [{ url, of: isCopy ? 'https://b.test/' : url }] });
    this.#hand.rig.send('control', controlOf({ kind: 'duplicates', hostKey: 'a.test', payload }));
    this.#hand.rig.step(this.#hand.nowMs, 0);
    this.#naive.judged(url, isCopy);
  }

  /**
   * The step that takes a policy moves pages only if they were read for the policy before. An owner may be killed, or
   * another policy come, before the next step.
   */
  #setPolicy(): void {
    const chance = this.#chance;
    const intervals = [10_000, 120_000, 600_000].filter((intervalMs) => intervalMs !== this.#waits.intervalMs);
    this.#waits = { ...this.#waits, intervalMs: chance.of(intervals), goneMs: chance.of([5_000, 300_000]) };
    this.#hand.policy(policyOf(this.#waits));
    this.policies += 1;
    const isMoved = this.#hand.rig.core.state.recrawl.retiming!.done;
    if (isMoved) this.#naive.retimed(this.#waits, this.#hand.nowMs);
    if (chance.percent(20)) return this.#setPolicy();
    if (chance.percent(30)) this.#restart(chance.percent(30));
    this.#hand.rig.step(this.#hand.nowMs, 0);
    if (!isMoved) this.#naive.retimed(this.#waits, this.#hand.nowMs);
    this.#compare('a policy has other times');
  }

  #expire(): void {
    const { nowMs, rig } = this.#hand;
    const lease = this.#lease;
    if (lease === undefined || lease.deadlineMs + skewMs > nowMs) return;
    rig.step(nowMs, 0);
    const out = lease.urls.filter(({ url }) => this.#naive.visits.get(url)!.out);
    for (const { url } of out) this.#naive.expired(url, lease.urls.length === 1, nowMs);
    this.#lease = undefined;
  }

  #report(lease: Task): void {
    const kinds = lease.urls.map(() =>
      this.#chance.of(['fetched', 'fetched', 'gone', 'serverError', 'returned'] as const),
    );
    this.#hand.report(lease, { kind: kinds, contentHash });
    const { nowMs } = this.#hand;
    for (const [index, { url }] of lease.urls.entries()) this.#naive.visited(url, kinds[index]!, nowMs, nowMs);
    this.#lease = undefined;
  }

  /** `died`: with its fetchers. */
  #restart(died: boolean): void {
    const { rig, nowMs } = this.#hand;
    const before = digest(rig.core.state);
    rig.reopen(nowMs, died);
    if (!died) assert.equal(digest(rig.core.state), before, 'checkpoint and tail give the live state');
    assert.equal(digest(rig.replayed()), digest(rig.core.state), 'checkpoint and tail give what a replay gives');
    if (!died) return;
    for (const { url } of this.#lease?.urls ?? [])
      if (this.#naive.visits.get(url)!.out) this.#naive.cameBack(url, nowMs);
    this.#lease = undefined;
  }

  #compare(when: string): void {
    const { state } = this.#hand.rig.core;
    for (const [url, { dueS, out, pushed }] of this.#naive.visits) {
      const [hi, lo] = state.fingerprintOf(url);
      const got = state.recrawl.table.at(state.recrawl.table.find(hi!, lo!));
      const wanted = out ? { out, pushed } : { out, pushed, dueS };
      const { out: gotOut, pushed: gotPushed, dueS: gotDueS } = got;
      const reported = out ? { out: gotOut, pushed: gotPushed } : { out: gotOut, pushed: gotPushed, dueS: gotDueS };
      assert.deepEqual(reported, wanted, `${url}, when ${when}`);
    }
  }
}

it('the schedule and a naive one agree on every page under random pushes, visits, restarts and replays', () => {
  let [pushesOnLease, policies] = [0, 0];
  for (let seed = 0; seed < seeds; seed++) {
    let turn = 0;
    try {
      const game = new Game(seed);
      for (; turn < turns; turn++) game.turn();
      pushesOnLease += game.pushesOnLease;
      policies += game.policies;
    } catch (error) {
      throw new Error(`seed ${seed}, turn ${turn}: ${(error as Error).message}`, { cause: error });
    }
  }
  assert.ok(policies > seeds, `${policies} policies`);
  assert.ok(pushesOnLease > seeds, `${pushesOnLease} pushes found their page on lease`);
});
