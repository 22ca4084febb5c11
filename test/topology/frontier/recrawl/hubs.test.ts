/** A page whose visits lead to new URLs is visited sooner, where the policy says so; one that only changes is not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import type { Task } from '../../../../schemas/types.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { defaultRecrawl, type RecrawlConfig } from '../../../../topology/policy/recrawl/recrawl-config.ts';

const hour = 3_600_000;
const fixed = { ...defaultRecrawl, schedule: 'fixed' as const, intervalMs: 24 * hour, minMs: hour };

/** A site of which only the page at `url` is ever visited: what it leads to waits on a host that is blocked. */
class Site {
  readonly hand: Hand;
  readonly url: string;
  #found = 0;
  #visits = 0;

  constructor(recrawl: RecrawlConfig, url = 'https://a.test/') {
    this.hand = new Hand({ delayMs: 1, recrawl });
    this.url = url;
    this.hand.event('blockHost', 'b.test');
    this.hand.linksTo([url]);
  }

  /** Hours from this visit to the next. `late`: its links are read after its outcome. */
  visit(newUrls: number, late = true): number {
    const task = this.#lease();
    if (late) this.#report(task);
    this.links(newUrls);
    if (!late) this.#report(task);
    const { state } = this.hand.rig.core;
    const [hi, lo] = [...state.fingerprintOf(this.url)];
    const { dueS } = state.recrawl.table.at(state.recrawl.table.find(hi!, lo!));
    return Math.round((1_000 * dueS - this.hand.nowMs) / hour);
  }

  /** The page leads to so many new URLs. */
  links(newUrls: number, host = 'b.test'): void {
    const urls = Array.from({ length: newUrls }, () => `https://${host}/${this.#found++}`);
    if (urls.length > 0) this.hand.linksTo(urls, 3, { sourceUrl: this.url });
  }

  #lease(): Task {
    for (let hours = 0; hours < 1_000; hours++) {
      const [task] = this.hand.grant(hours === 0 ? 1_000 : hour);
      if (task !== undefined) return task;
    }
    throw new Error('the page is never due');
  }

  #report(task: Task): void {
    this.hand.report(task, { contentHash: `body ${this.#visits++}` });
  }
}

describe('hubs', () => {
  const hubs = { ...fixed, hubs: { newUrls: 4 } };

  for (const late of [true, false]) {
    it(`hubs are revisited when enough new URLs are expected; links read ${late ? 'after' : 'before'} the outcome`, () => {
      const site = new Site(hubs);
      assert.equal(site.visit(30, late), 24, 'what a first visit finds is all new');
      for (let visit = 0; visit < 3; visit++) site.visit(16, late);
      // 16 a visit that comes each 24 hours, then more often.
      const waits = Array.from({ length: 12 }, () => site.visit(4, late));
      assert.equal(digest(site.hand.rig.replayed()), digest(site.hand.rig.core.state), 'a replay comes to the same');
      assert.ok(
        waits.every((hours) => hours >= 1 && hours < 24),
        `${waits}`,
      );
      for (let visit = 0; visit < 40; visit++) site.visit(0, late);
      assert.equal(site.visit(0, late), 24, 'it gains nothing any more');
      site.hand.rig.save();
      site.hand.rig.reopen(site.hand.nowMs, false);
      assert.equal(digest(site.hand.rig.replayed()), digest(site.hand.rig.core.state));
    });
  }

  it('hubs are like any page if the policy does not ask for them, if links are known, and if only the text changes', () => {
    for (const [recrawl, newUrls] of [
      [fixed, 16],
      [hubs, 0],
    ] as const) {
      const site = new Site(recrawl);
      for (let visit = 0; visit < 6; visit++) assert.equal(site.visit(newUrls), 24);
    }
    const site = new Site(hubs);
    site.visit(8);
    for (let visit = 0; visit < 6; visit++) {
      site.hand.linksTo(
        Array.from({ length: 8 }, (_, n) => `https://b.test/${n}`),
        3,
        { sourceUrl: site.url },
      );
      assert.equal(site.visit(0), 24);
    }
  });

  it('hubs are revisited no sooner than the minimum interval, however much they gain, and rules apply', () => {
    const site = new Site(hubs);
    for (let visit = 0; visit < 12; visit++) site.visit(500);
    assert.equal(site.visit(500), 1);
    const ruled = new Site({ ...hubs, rules: [{ hosts: ['a.test'], intervalMs: 5 * hour }] });
    for (let visit = 0; visit < 6; visit++) assert.equal(ruled.visit(50), 5);
  });
});
