/** A verdict on one page makes it less urgent: its next visits, its front queue, and its links where that is wanted. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { controlOf } from '../../../../lab/model/model-script.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import type { DemoteConfig } from '../../../../topology/policy/recrawl/demote.ts';
import { defaultRecrawl } from '../../../../topology/policy/recrawl/recrawl-config.ts';

const hour = 3_600_000;
const url = 'https://a.test/0';
const text = '0123456789abcdef';

class Page {
  readonly hand: Hand;

  constructor(demote: DemoteConfig | undefined) {
    const recrawl = { ...defaultRecrawl, schedule: 'fixed' as const, intervalMs: 10 * hour, minMs: hour, demote };
    this.hand = new Hand({ delayMs: 1, recrawl });
    this.hand.linksTo([url], 2);
  }

  get due() {
    const { state } = this.hand.rig.core;
    const [hi, lo] = [...state.fingerprintOf(url)];
    return state.recrawl.table.at(state.recrawl.table.find(hi!, lo!));
  }

  /** Hours until the next visit. */
  visit(textSignature = text): number {
    const { hand } = this;
    this.hand.report(hand.lease(1_000 * hour), { contentHash: 'body', textSignature });
    const { state } = hand.rig.core;
    assert.equal(digest(hand.rig.replayed()), digest(state));
    return Math.round((1_000 * this.due.dueS - hand.nowMs) / hour);
  }

  verdict(of: string, named = url, hostKey = 'a.test'): void {
    const payload = JSON.stringify({ prefixes: [], urls: [{ url: named, of }] });
    this.hand.rig.send('control', controlOf({ kind: 'duplicates', hostKey, payload }));
    this.hand.rig.step(this.hand.nowMs, 0);
  }

  /** Front queues of hosts' URLs that the page links to. */
  queues(): number[] {
    const { hand } = this;
    hand.linksTo(['https://b.test/x'], -1, { sourceUrl: url });
    const queue = hand.rig.core.state.hosts.get('b.test')!.queue.frontQueues();
    return queue.map(({ number }) => number);
  }
}

const demote: DemoteConfig = { waitFactor: 3, frontQueue: 6 };

describe('a verdict on a page', () => {
  it('a verdict on a page of the dedup lengthens its intervals from the next on, over restarts, until it is lifted', () => {
    const page = new Page(demote);
    assert.equal(page.visit(), 10);
    page.verdict('https://b.test/other');
    assert.equal(page.due.frontQueue, 6);
    assert.equal(page.visit(), 30);
    page.hand.rig.save();
    page.hand.rig.reopen(page.hand.nowMs, false);
    assert.equal(page.visit(), 30);
    page.verdict('');
    assert.equal(page.visit(), 10);
    assert.equal(page.due.frontQueue, 2, 'its own again');
    assert.equal(page.visit(''), 10, 'thin pages are not asked for');
  });

  it('a verdict on a page that it is thin holds while its visits find too little text', () => {
    const page = new Page({ ...demote, thin: true });
    assert.equal(page.visit(''), 30);
    assert.equal(page.due.frontQueue, 6);
    page.hand.policy({ recrawl: { ...defaultRecrawl, schedule: 'fixed', intervalMs: 10 * hour, minMs: hour } });
    assert.equal(page.visit(''), 10);
  });

  it('a verdict on a page moves its links to another front queue if the policy says so, and no other page’s', () => {
    const queues = [demote, { ...demote, links: true as const }].map((config) => {
      const page = new Page(config);
      page.visit();
      page.verdict('https://b.test/other');
      return page.queues();
    });
    assert.ok(queues[0]![0]! < 6, `${queues[0]}`);
    assert.deepEqual(queues[1], [6]);
    const page = new Page({ ...demote, links: true });
    page.visit();
    assert.deepEqual(page.queues(), queues[0]);
  });

  it('a verdict on a page changes nothing without a policy for it, for a URL of another host, or an unscheduled one', () => {
    const page = new Page(undefined);
    page.visit();
    page.verdict('https://b.test/other');
    assert.equal(page.visit(), 10);
    const other = new Page(demote);
    other.visit();
    other.verdict('https://b.test/other', url, 'b.test');
    other.verdict('https://b.test/other', 'https://a.test/unknown');
    other.verdict(url);
    assert.equal(other.visit(), 10);
  });

  it('a verdict on a page gives the same state after a crash between two slices of a checkpoint, whatever the policy does with it since', () => {
    const recrawl = { ...defaultRecrawl, schedule: 'fixed' as const, intervalMs: hour, minMs: 1_000 };
    const demote = { waitFactor: 1, frontQueue: 6, thin: true as const };
    for (const [before, after] of [
      [demote, undefined],
      [undefined, demote],
      [demote, { ...demote, frontQueue: 7 }],
      [demote, demote],
    ] as const) {
      for (let slices = 0; slices < 8; slices++) {
        const hand = new Hand({ delayMs: 1, recrawl: { ...recrawl, demote: before } });
        hand.links('a.test', 3);
        for (let host = 0; host < 6; host++) hand.links(`b${host}.test`, 1);
        hand.report(hand.lease(1_000), { kind: 'fetched', contentHash: 'body', textSignature: '' });
        const goOn = (steps: number) => {
          for (let step = 0; step < steps && hand.rig.isSaving; step++) hand.event('hostDelay', 'z.test', step);
        };
        hand.rig.save();
        goOn(500);
        hand.lease(2 * hour);
        hand.policy({ delayMs: 1, recrawl: { ...recrawl, demote: after } });
        hand.rig.reopen(hand.nowMs, true);
        hand.rig.save();
        goOn(slices);
        const live = digest(hand.rig.core.state);
        assert.equal(digest(hand.rig.replayed()), live);
        hand.rig.reopen(hand.nowMs, false);
        assert.equal(digest(hand.rig.core.state), live, JSON.stringify([before, after, slices]));
        for (let step = 0; step < 40; step++) hand.event('hostDelay', 'y.test', step);
        assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
      }
    }
  });
});
