import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { type HostList, HostScan, type HostsWanted } from '../../../../topology/frontier/ask/list-hosts.ts';
import { frontierLimits } from '../../../../topology/frontier/frontier-limits.ts';
import type { FrontierState } from '../../../../topology/frontier/state/state.ts';

function list(state: FrontierState, wanted: Partial<HostsWanted> = {}): HostList {
  const scan = new HostScan({ search: '', sort: 'queued', limit: 10, ...wanted });
  for (;;) {
    const { done, value } = scan.slice(state).next();
    assert.ok(done, 'everything is in memory');
    if (value !== undefined) return value;
  }
}

const names = ({ hosts }: HostList) => hosts.map(({ host }) => host);

/** c has most URLs, b has been fetched from, a is blocked, d is throttled. */
function crawled(): Hand {
  const hand = new Hand({ delayMs: 1_000, urlsPerLeaseMax: 2, retriesMs: [60_000] });
  hand.links('b.test', 3);
  const task = hand.lease();
  hand.report(task, { kind: ['fetched', 'gone'] });
  hand.links('d.test', 4);
  hand.report(hand.lease(), { kind: 'throttled' });
  hand.links('a.test', 5);
  hand.event('blockHost', 'a.test');
  hand.links('c.test', 9);
  hand.event('hostDelay', 'c.test', 5_000);
  return hand;
}

describe('a list of hosts', () => {
  it('a list of hosts has their delays by the policy in force', () => {
    for (const delayMs of [700, 9_000]) {
      const hand = new Hand({ delayMs });
      hand.links('b.test', 3);
      assert.equal(list(hand.rig.core.state).hosts[0]!.delayMs, delayMs);
    }
  });

  it('a list of hosts has the page limit of each, by its operator or the policy', () => {
    const limitOf = (pagesPerHostMax: number | null, own: number | null) => {
      const hand = new Hand({ delayMs: 0, pagesPerHostMax });
      hand.links('b.test', 3);
      if (own !== null) hand.event('hostLimit', 'b.test', own);
      return list(hand.rig.core.state).hosts[0]!.pagesMax;
    };
    assert.deepEqual([limitOf(null, null), limitOf(7, null), limitOf(7, 2), limitOf(null, 0)], [null, 7, 2, 0]);
  });

  it('a list of hosts has per host what the counters have in total', () => {
    const { rig, counters } = crawled();
    const { hosts, matched, known } = list(rig.core.state);
    assert.deepEqual([matched, known], [4, 4]);
    const sum = (of: 'queued' | 'deferred' | 'leases' | 'pages') => hosts.reduce((total, host) => total + host[of], 0);
    assert.equal(sum('queued'), counters.queued + counters.retrying);
    assert.equal(sum('deferred'), counters.deferred);
    assert.equal(sum('deferred'), 5);
    assert.equal(sum('leases'), counters.leases);
    assert.equal(sum('pages'), counters.page);
    const [c] = hosts;
    assert.deepEqual([c!.host, c!.queued, c!.delayMs, c!.hold], ['c.test', 9, 5_000, '']);
    const a = hosts.find(({ host }) => host === 'a.test')!;
    assert.deepEqual([a.hold, a.readyAtMs, a.queued], ['blocked', null, 0]);
  });

  it('a list of hosts has the requested order, and equal hosts by name', () => {
    const { rig } = crawled();
    const by = (sort: HostsWanted['sort']) => names(list(rig.core.state, { sort }));
    assert.deepEqual(by('queued'), ['c.test', 'd.test', 'b.test', 'a.test']);
    assert.deepEqual(by('fetched'), ['b.test', 'a.test', 'c.test', 'd.test']);
    assert.deepEqual(by('pages'), ['b.test', 'a.test', 'c.test', 'd.test']);
    // The one in trouble, then the one with an answer that was no page.
    assert.deepEqual(by('errors'), ['d.test', 'b.test', 'a.test', 'c.test']);
    assert.deepEqual(by('delay'), ['c.test', 'a.test', 'b.test', 'd.test']);
    // After its delay; after a longer delay that an operator set; after its back-off; blocked.
    assert.deepEqual(by('ready'), ['b.test', 'c.test', 'd.test', 'a.test']);
    assert.deepEqual(by('name'), ['a.test', 'b.test', 'c.test', 'd.test']);
  });

  it('a list of hosts says which hosts back off for errors of their server, and not for answers that ask to wait', () => {
    const hand = new Hand({ delayMs: 0, urlsPerLeaseMax: 3, retriesMs: [60_000] });
    hand.links('broken.test', 9);
    const failed = hand.lease();
    hand.rig.send(
      'results',
      hand.resultOf(failed, () => ({ status: 500 }), { kind: 'serverError' }),
    );
    hand.rig.step(hand.nowMs, 0);
    hand.links('busy.test', 9);
    hand.report(hand.lease(), { kind: 'throttled' });
    const rows = list(hand.rig.core.state, { sort: 'name' }).hosts;
    assert.deepEqual(
      rows.map(({ host, throttles, serverFails }) => [host, throttles, serverFails]),
      [
        ['broken.test', 1, true],
        ['busy.test', 1, false],
      ],
    );
  });

  it('a list of hosts has the requested number of matches, and counts the others', () => {
    const hand = new Hand();
    for (let n = 0; n < 60; n++) hand.links(`${n % 2 === 0 ? 'even' : 'odd'}-${n}.test`, 1 + (n % 7));
    const found = list(hand.rig.core.state, { search: 'odd', limit: 5 });
    assert.deepEqual([found.matched, found.known], [30, 60]);
    assert.deepEqual(names(found), ['odd-13.test', 'odd-27.test', 'odd-41.test', 'odd-55.test', 'odd-19.test']);
    assert.deepEqual(names(list(hand.rig.core.state, { limit: 0 })), []);
  });

  it('a list of hosts is collected in slices, and starts over after a reopen', () => {
    const hand = new Hand();
    const hosts = frontierLimits.hostsPerLook + 3;
    hand.rig.core.state.hosts.queues.frontQueues.list.fitHost(hosts);
    for (let n = 0; n < hosts; n++) hand.rig.core.state.hosts.getOrCreate(`${n}.test`);
    const scan = new HostScan({ search: '', sort: 'name', limit: 2 });
    assert.deepEqual(scan.slice(hand.rig.core.state).next(), { done: true, value: undefined });
    const other = crawled().rig.core.state;
    const { value } = scan.slice(other).next();
    assert.equal((value as HostList).known, 4);
    assert.equal(list(hand.rig.core.state).known, hosts);
  });
});
