/** A page that is broken waits alone; a server that fails one URL after another is left alone as one that answers 503. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../../lab/model/hand.ts';
import type { OutcomeKind, Task } from '../../../../../schemas/types.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../../../topology/policy/recrawl/recrawl-config.ts';

const a = 'a.test';
const policy = { delayMs: 0, retriesMs: [1_000, 64_000] };
const error = { kind: 'serverError', status: 500 } as const;
const paths = ({ urls }: Task) => urls.map(({ url }) => Number(new URL(url).pathname.slice(1)));

function handOf(links: number, more: Partial<PolicyConfig> = {}): Hand {
  const hand = new Hand({ ...policy, ...more });
  hand.links(a, links);
  return hand;
}

/** A lease of which each URL came to what stands for it: `e` an error, `g` a good answer, `r` not begun, `t` a timeout. */
function report(hand: Hand, task: Task, deadLetters: string): void {
  const kinds: Record<string, OutcomeKind> = { e: 'serverError', g: 'fetched', r: 'returned', t: 'timeout' };
  assert.equal(deadLetters.length, task.urls.length);
  const kind = [...deadLetters].map((deadLetter) => kinds[deadLetter]!);
  hand.rig.send(
    'results',
    hand.resultOf(task, (index) => (deadLetters[index] === 'e' ? { status: 500 } : {}), { kind }),
  );
  hand.rig.step(hand.nowMs, 0);
}

/** A back-off of about so long is in force, and ends with one probe. */
function probe(hand: Hand, backOffMs: number): Task {
  assert.deepEqual(hand.grant(0.8 * backOffMs - 1), [], `not yet after 0.8 × ${backOffMs}`);
  const task = hand.lease(0.4 * backOffMs + 1);
  assert.equal(task.urls.length, 1, 'one probe');
  return task;
}

describe('a failing server', () => {
  it('a failing server is backed off after three URLs in a row, longer after each failed probe', () => {
    const hand = handOf(30);
    report(hand, hand.lease(), 'eeerrrrr');
    for (let backOffMs = 1_000, n = 0; n < 8; n++, backOffMs = Math.min(2 * backOffMs, 64_000))
      report(hand, probe(hand, backOffMs), 'e');
  });

  it('a failing server is noticed over leases of one URL each', () => {
    const hand = handOf(30, { urlsPerLeaseMax: 1 });
    for (let n = 0; n < 3; n++) report(hand, hand.lease(), 'e');
    probe(hand, 1_000);
  });

  it('a failing server is probed by untried URLs, while there are any', () => {
    const hand = handOf(10);
    report(hand, hand.lease(), 'eeerrrrr');
    hand.report(probe(hand, 1_000), error);
    const probed: number[] = [];
    for (let n = 0; n < 12; n++) {
      const task = hand.lease(80_000);
      probed.push(...paths(task));
      hand.report(task, error);
    }
    assert.deepEqual(probed.slice(0, 1), [9], 'the other URLs of the first lease came back, and are behind');
    assert.ok(new Set(probed).size > 8);
  });

  it('a failing server is crawled as before after a good response, also if that refuses', () => {
    for (const kind of ['fetched', 'gone', 'clientError', 'redirect'] as const) {
      const hand = handOf(30);
      report(hand, hand.lease(), 'eeerrrrr');
      hand.report(probe(hand, 1_000), { kind });
      assert.ok(hand.lease().urls.length > 1, `whole leases again, at once, after ${kind}`);
    }
  });

  it('a failing server stays backed off when it alternates 503 and 500', () => {
    const hand = handOf(30);
    hand.report(hand.lease(), { kind: 'throttled' });
    hand.report(probe(hand, 1_000), error);
    hand.report(probe(hand, 2_000), { kind: 'throttled' });
    probe(hand, 4_000);
  });

  it('a failing server is not given up: its URLs use up their retries, as after 503', () => {
    const hand = handOf(3);
    report(hand, hand.lease(), 'eee');
    for (let n = 0; n < 6; n++) hand.report(hand.lease(80_000), error);
    assert.deepEqual([hand.counters.dead, hand.counters.queued], [3, 0]);
    assert.equal(hand.rig.core.state.hosts.get(a)!.facts.deadUntilMs, 0);
  });

  it('a failing server is still known after a restart', () => {
    const hand = handOf(30, { urlsPerLeaseMax: 1 });
    for (let n = 0; n < 2; n++) report(hand, hand.lease(), 'e');
    hand.rig.save();
    hand.rig.reopen(hand.nowMs, false);
    report(hand, hand.lease(), 'e');
    probe(hand, 1_000);
  });

  it('a failing server can be released by an operator', () => {
    const hand = handOf(30);
    report(hand, hand.lease(), 'eeerrrrr');
    hand.event('releaseHost', a);
    assert.ok(hand.lease(1_200).urls.length > 1);
  });

  it('a failing server’s tasks carry how many errors in a row end a lease, and how many there were', () => {
    const hand = handOf(30, { urlsPerLeaseMax: 1 });
    const first = hand.lease();
    assert.deepEqual([first.serverErrorsMax, first.serverErrors], [3, 0]);
    report(hand, first, 'e');
    assert.equal(hand.lease().serverErrors, 1);
  });
});

describe('a host with broken pages', () => {
  it('a host with broken pages is not slowed while good responses come between them', () => {
    const hand = handOf(200);
    report(hand, hand.lease(), 'eegeegee');
    report(hand, hand.lease(), `geeg${'g'.repeat(60)}`);
    assert.equal(hand.lease().urls.length, 64);
  });

  it('a host with broken pages is not slowed by a repeatedly failing page, nor by many with concurrent retries', () => {
    const hand = handOf(1, { retriesMs: [1_000, 1_000, 1_000, 1_000, 1_000] });
    for (let n = 0; n < 5; n++) {
      report(hand, hand.lease(n === 0 ? 0 : 1_000), 'e');
      hand.links(a, 1, { from: 100 + n });
      report(hand, hand.lease(), 'g');
    }
    const many = handOf(16);
    report(many, many.lease(), 'egegegeg');
    report(many, many.lease(), 'egegegeg');
    report(many, many.lease(1_000), 'eeeeeeee');
    many.links(a, 20, { from: 100 });
    assert.equal(many.lease().urls.length, 20);
  });

  it('a host with three broken pages in a row gets one back-off, and no probe is spent on their retries', () => {
    const hand = handOf(30);
    report(hand, hand.lease(), 'eeerrrrr');
    report(hand, probe(hand, 1_000), 'g');
    const next = hand.lease();
    assert.ok(next.urls.length > 1);
    assert.ok(paths(next).includes(0), 'retries come when the host is well again');
  });

  it('a host with broken pages is not slowed by errors of revisits, when those meet', () => {
    const recrawl = { ...defaultRecrawl, schedule: 'fixed' as const, intervalMs: 3_600_000 };
    const hand = handOf(8, { recrawl });
    report(hand, hand.lease(), 'gggggggg');
    const visits = hand.lease(3_700_000);
    report(hand, visits, `${'eg'.repeat(visits.urls.length / 2)}`);
    const retries = hand.lease(1_000);
    assert.ok(retries.urls.length >= 3 && retries.urls.every(({ attempt }) => attempt === 1));
    hand.report(retries, error);
    hand.links(a, 20, { from: 100 });
    assert.ok(hand.lease().urls.length > 1);
  });
});

describe('a policy of server errors', () => {
  it('a policy of server errors says how many in a row are the host’s; with 0, or by default, none are', () => {
    const one = handOf(30, { serverErrorsMax: 1 });
    report(one, one.lease(), 'errrrrrr');
    probe(one, 1_000);
    for (const serverErrorsMax of [0, undefined]) {
      const never = handOf(30, { serverErrorsMax });
      report(never, never.lease(), 'eeeeeeee');
      const next = never.lease();
      assert.ok(next.urls.length > 1);
      assert.equal(next.serverErrorsMax, 0);
    }
  });

  it('a policy of server errors may differ for some hosts', () => {
    const overlays = [{ name: 'brittle', match: { hosts: [a] }, set: { serverErrorsMax: 0 } }];
    const hand = handOf(30, { overlays });
    report(hand, hand.lease(), 'eeeeeeee');
    assert.ok(hand.lease().urls.length > 1);
  });
});
