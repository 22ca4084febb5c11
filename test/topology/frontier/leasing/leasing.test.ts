/** The two ways of leasing: what differs between tasks for fetchers and clients that pull. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { controlOf } from '../../../../lab/model/model-script.ts';
import type { Call, GetCall, PutCall } from '../../../../topology/frontier/decide/pull/calls.ts';
import { frontierLimits } from '../../../../topology/frontier/frontier-limits.ts';

const url = 'https://a.test/1';
const onDone = () => {};

function ask({ rig, nowMs }: Hand, call: Call): void {
  rig.core.calls.add(call);
  for (let done: Call[] = []; !done.includes(call); done = rig.core.calls.takeAnswered()) rig.step(nowMs, 0);
}

/** A crawl that clients pull from, with one URL in the queue `key`. */
function pulled(key: string): Hand {
  const hand = new Hand({ sink: 'pull', delayMs: 1_000 });
  const item = { known: false, key, url, metadata: Buffer.alloc(0), dueAtMs: 0, frontQueue: 0 };
  const put: PutCall = { kind: 'put', items: [item], statuses: new Uint8Array(1), next: 0, onDone };
  ask(hand, put);
  assert.equal(put.statuses[0], 0);
  return hand;
}

function get(hand: Hand, leaseMs: number): GetCall {
  const call: GetCall = { kind: 'get', key: null, queues: 5, urlsPerQueue: 5, leaseMs, leases: [], urls: [], onDone };
  ask(hand, call);
  return call;
}

describe('a silent lease', () => {
  it('a silent lease of a client ends at its deadline: there is one clock', () => {
    const hand = pulled('q');
    assert.equal(get(hand, 5_000).leases.length, 1);
    assert.equal(hand.rig.core.wakeAtMs(0), hand.nowMs + 5_000);
    hand.grant(4_999, 0);
    assert.equal(hand.counters.leased, 1);
    hand.grant(1, 0);
    assert.deepEqual([hand.counters.leased, hand.counters.leases], [0, 0]);
  });

  it('a silent lease of a fetcher ends once the clocks can’t differ by more', () => {
    const hand = new Hand();
    hand.links('a.test', 1);
    const { deadlineMs } = hand.lease();
    const overMs = deadlineMs + frontierLimits.clockSkewMs;
    assert.equal(hand.rig.core.wakeAtMs(0), overMs);
    hand.grant(overMs - 1 - hand.nowMs, 0);
    assert.equal(hand.counters.leases, 1);
    hand.grant(1, 0);
    assert.equal(hand.counters.leases, 0);
  });
});

describe('URLs leave', () => {
  it('URLs leave to asking clients, and to no others, however many wait', () => {
    const hand = pulled('q');
    assert.deepEqual(hand.grant(60_000, 100), []);
    assert.deepEqual(
      get(hand, 1_000).urls.map(({ key, entry }) => [key, entry.url]),
      [['q', url]],
    );
  });

  it('URLs leave as tasks, as many as fetchers take', () => {
    const hand = new Hand();
    for (const host of ['a.test', 'b.test', 'c.test']) hand.links(host, 1);
    assert.equal(hand.grant(0, 2).length, 2);
    assert.equal(hand.rig.core.isCalled, false);
  });
});

it('a host is purged if queues are hosts; a client’s queue of that name is the client’s to delete', () => {
  const purge = (hand: Hand) => {
    hand.rig.send('control', controlOf({ kind: 'purge', hostKey: 'a.test', payload: JSON.stringify({ url }) }));
    hand.rig.step(hand.nowMs, 0);
    return [hand.counters.unknownControls, hand.counters.admitted];
  };
  assert.deepEqual(purge(pulled('a.test')), [1, 1]);
  const hosts = new Hand();
  hosts.linksTo([url]);
  assert.deepEqual(purge(hosts), [0, 0]);
});
