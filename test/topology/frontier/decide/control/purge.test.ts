import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../../lab/model/hand.ts';
import { controlOf } from '../../../../../lab/model/model-script.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import { saveCheckpoint } from '../../../../../topology/frontier/checkpoint/save-checkpoint.ts';
import { liftedPurge } from '../../../../../topology/frontier/decide/control-payloads.ts';
import { defaultRecrawl } from '../../../../../topology/policy/recrawl/recrawl-config.ts';

const page = (n: number, host = 'a.test') => `https://${host}/${n}`;

function purge(hand: Hand, hostKey: string, url = ''): void {
  const payload = url === '' ? '' : JSON.stringify({ url });
  hand.rig.send('control', controlOf({ kind: 'purge', hostKey, payload }));
  hand.rig.step(hand.nowMs, 0);
}

/** Written to its end, and opened from there: what is on disk is all there is. */
function reopened(hand: Hand): void {
  hand.rig.rows.run(saveCheckpoint(hand.rig.core.state));
  hand.rig.reopen(hand.nowMs, true);
  assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
}

/** Ten of a host are fetched, ten wait, and one is on lease. */
function crawled(): Hand {
  const hand = new Hand({ urlsPerLeaseMax: 10 });
  for (const host of ['a.test', 'b.test']) {
    hand.links(host, 8);
    hand.report(hand.lease(60_000));
    hand.links(host, 12, { from: 8 });
  }
  reopened(hand);
  hand.lease(60_000);
  return hand;
}

describe('a purge', () => {
  it('a purge of a host removes waiting, leased and stored URLs from the state, for good', () => {
    const hand = crawled();
    const records = () => hand.rig.rows.count('u');
    assert.equal(records(), 16);
    const { admitted } = hand.counters;
    purge(hand, 'a.test');
    assert.equal(hand.counters.admitted, admitted - 12);
    assert.equal(hand.counters.page, 16, 'how much was fetched stays known');
    reopened(hand);
    assert.equal(records(), 8);
    assert.equal(hand.rig.core.state.hosts.get('a.test')!.queue.size, 0);
    hand.links('a.test', 30);
    hand.linksTo([page(99)], 0, { intent: 'force' });
    assert.deepEqual([hand.counters.purged, hand.counters.admitted], [31, admitted - 12]);
    for (let i = 0; i < 4; i++) for (const { hostKey } of hand.grant(60_000)) assert.equal(hostKey, 'b.test');
    reopened(hand);
  });

  it('a purge of a host that was lifted is only for consumers: the state stays as it is', () => {
    const hand = crawled();
    const facts = () => {
      const { facts: own, queue } = hand.rig.core.state.hosts.get('a.test')!;
      return { own, size: queue.size, counters: { ...hand.counters } };
    };
    const before = facts();
    hand.rig.send('control', controlOf({ kind: 'purge', hostKey: 'a.test', payload: liftedPurge }));
    hand.rig.step(hand.nowMs, 0);
    assert.equal(before.own.hold, '');
    assert.deepEqual(facts(), before);
  });

  it('a purge of a host ends with its release: links are admitted again, but not seen URLs', () => {
    const hand = crawled();
    purge(hand, 'a.test');
    hand.event('blockHost', 'a.test');
    hand.event('releaseHost', 'a.test');
    hand.links('a.test', 25);
    assert.equal(hand.counters.purged, 0);
    assert.equal(hand.rig.core.state.hosts.get('a.test')!.queue.size, 5);
    purge(hand, 'a.test');
    assert.equal(hand.rig.core.state.hosts.get('a.test')!.queue.size, 0);
    reopened(hand);
  });

  for (const [where, url] of [
    ['waits in its queue', page(19, 'b.test')],
    ['was fetched', page(3, 'b.test')],
    ['was never met', page(77, 'b.test')],
  ] as const) {
    it(`a purge of a URL that ${where} leaves nothing of it, and it does not return, even if an operator asks`, () => {
      const hand = crawled();
      const { admitted } = hand.counters;
      const [queued, records] = [hand.rig.core.state.hosts.get('b.test')!.queue.size, hand.rig.rows.count('u')];
      purge(hand, 'b.test', url);
      purge(hand, 'b.test', url);
      reopened(hand);
      assert.equal(hand.counters.admitted, where === 'waits in its queue' ? admitted - 1 : admitted);
      assert.equal(hand.rig.rows.count('u'), where === 'was fetched' ? records - 1 : records);
      for (const intent of ['discover', 'refresh', 'force'] as const) hand.linksTo([url], 3, { intent });
      assert.equal(hand.counters.purged, 3);
      if (where !== 'waits in its queue') return;
      assert.equal(hand.rig.core.state.hosts.get('b.test')!.queue.size, queued - 1);
    });
  }

  it('a purge of a URL that was forced while it waited removes it from each of its places', () => {
    const hand = new Hand({ urlsPerLeaseMax: 10 });
    hand.links('a.test', 3);
    for (const priority of [0, 5]) hand.linksTo([page(1)], priority, { intent: 'force' });
    assert.equal(hand.counters.queued, 5);
    purge(hand, 'a.test', page(1));
    assert.deepEqual([hand.counters.queued, hand.counters.admitted], [2, 2]);
    assert.deepEqual(
      hand.lease(60_000).urls.map(({ url }) => url),
      [page(0), page(2)],
    );
  });

  it('a purge removes a URL from each of its places also if it was just raised', () => {
    const hand = new Hand({ urlsPerLeaseMax: 10 });
    hand.links('a.test', 3);
    for (const priority of [0, 5]) hand.linksTo([page(1)], priority, { intent: 'force' });
    const payload = JSON.stringify({ url: page(1) });
    for (const kind of ['raise', 'purge'] as const)
      hand.rig.send('control', controlOf({ kind, hostKey: 'a.test', payload }));
    hand.rig.step(hand.nowMs, 0);
    assert.deepEqual([hand.counters.retrying, hand.counters.queued, hand.counters.admitted], [0, 2, 2]);
    reopened(hand);
  });

  it('a purge of a leased URL: its lease goes on without it, and its outcome is dropped', () => {
    const hand = new Hand({ urlsPerLeaseMax: 10 });
    hand.links('a.test', 3);
    const task = hand.lease();
    purge(hand, 'a.test', task.urls[1]!.url);
    assert.deepEqual([hand.counters.leased, hand.counters.admitted], [2, 2]);
    hand.report(task);
    assert.deepEqual([hand.counters.page, hand.counters.leases], [2, 0]);
    reopened(hand);
    assert.equal(hand.rig.rows.count('u'), 2);
  });

  it('a purge of a scheduled URL removes it from the schedule', () => {
    const hand = new Hand({ recrawl: { ...defaultRecrawl, schedule: 'fixed', intervalMs: 3_600_000 } });
    hand.links('a.test', 4);
    hand.report(hand.lease());
    assert.equal(hand.counters.scheduled, 4);
    purge(hand, 'a.test', page(2));
    assert.equal(hand.counters.scheduled, 3);
    reopened(hand);
    purge(hand, 'a.test');
    assert.equal(hand.counters.scheduled, 0);
    reopened(hand);
    assert.equal(hand.rig.rows.count('u'), 0);
  });

  it('a purge reads more rows than one look brings, and leaves those of other URLs', () => {
    const hand = new Hand({ urlsPerLeaseMax: 64, delayMs: 0 });
    for (const host of ['a.test', 'b.test']) hand.links(host, 700);
    for (let tasks = hand.grant(1, 2); tasks.length > 0; tasks = hand.grant(1, 2))
      for (const one of tasks) hand.report(one);
    reopened(hand);
    assert.equal(hand.rig.rows.count('u'), 1_400);
    purge(hand, 'b.test');
    reopened(hand);
    assert.equal(hand.rig.rows.count('u'), 700);
  });

  it('an unreadable purge changes nothing, and is counted', () => {
    const hand = crawled();
    const before = hand.counters.unknownControls;
    for (const [hostKey, payload] of [
      ['a.test', '{"url":""}'],
      ['a.test', 'x'],
      ['', ''],
      ['a.test', JSON.stringify({ url: page(1, 'b.test') })],
    ] as const) {
      hand.rig.send('control', controlOf({ kind: 'purge', hostKey, payload }));
      hand.rig.step(hand.nowMs, 0);
    }
    assert.equal(hand.counters.unknownControls, before + 4);
  });
});
