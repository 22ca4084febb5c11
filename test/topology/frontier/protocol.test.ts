/**
 * The changelog protocol, point by point (docs/design.md §4), where the core alone decides. What needs a log that can fail is in
 * test/services/frontier/protocol.test.ts; points 1, 5, 7, 10 and 13 have further tests in partition.test.ts.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, TopologyDriver } from '../../../lab/simulation/driver.ts';
import type { Control, Outcome, OutcomeKind, Task } from '../../../schemas/types.ts';
import { outcomeOf } from '../../../services/fetcher/http/outcomes.ts';
import { decodeChangelog } from '../../../topology/frontier/changes/changelog.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';

const host = 'a.test';
const page = (n: number) => `https://${host}/${n}`;
const web = (): Answer => ({ kind: 'fetched' });
/** Nobody fetches: the test reports. */
const alone = { web, takesLease: () => false };

function report(driver: TopologyDriver, task: Task, kind: OutcomeKind): void {
  const outcomes: Outcome[] = task.urls.map(({ url }, index) => outcomeOf(index, url, kind));
  const { epoch, leaseId, hostKey } = task;
  driver.report(task.partition, { epoch, leaseId, hostKey, last: true, completedAtMs: driver.nowMs, outcomes });
}

describe('§4.1 a commit', () => {
  it('§4.1 a commit never goes back in time: while the wall clock is behind, it uses the last time', () => {
    const driver = new TopologyDriver(alone);
    driver.inject([page(1)]);
    driver.run(driver.nowMs + 1);
    const core = driver.core();
    const before = core.state.nowMs;
    core.offer({ topic: 'control', offset: core.state.positions.control.offset, record: blocked });
    const step = core.step(before - 3_600_000, 10);
    const commit = decodeChangelog(step!.commit);
    assert.equal(commit.kind === 'commit' && commit.nowMs, before);
  });

  it('§4.1 a commit has all its inputs, demand, clock and policy, so that it can be decided again', () => {
    const driver = new TopologyDriver(alone);
    driver.inject([page(1)]);
    driver.run(driver.nowMs + 1);
    const grants = driver.changelog().flatMap((bytes) => {
      const record = decodeChangelog(bytes);
      return record.kind === 'commit' && [...record.changes].some(({ kind }) => kind === 'grant') ? [record] : [];
    });
    assert.equal(grants.length, 1);
    const [{ inputs, demand, policyVersion }] = grants as [(typeof grants)[0]];
    assert.deepEqual([demand > 0, policyVersion], [true, 1]);
    assert.deepEqual(
      inputs.map(({ topic }) => topic),
      ['control', 'results', 'discovered'],
    );
  });
});

describe('§4.5 URLs that were not started', () => {
  it('§4.5 URLs that were not started return without costing an attempt, after a growing pause, in ever smaller leases', () => {
    const driver = new TopologyDriver({ ...alone, policy: { delayMs: 0 } });
    driver.inject(Array.from({ length: 8 }, (_, n) => page(n)));
    const pausesMs: number[] = [];
    const sizes: number[] = [];
    driver.run(driver.nowMs + 1);
    for (let round = 0; round < 4; round++) {
      const task = driver.tasks.at(-1)!;
      sizes.push(task.urls.length);
      assert.ok(task.urls.every(({ attempt }) => attempt === 0));
      const returnedAtMs = driver.nowMs;
      report(driver, task, 'returned');
      driver.run(returnedAtMs + 30_000);
      pausesMs.push(driver.tasks.at(-1)!.grantedAtMs - returnedAtMs);
    }
    assert.deepEqual(pausesMs, [1_000, 2_000, 4_000, 8_000]);
    assert.deepEqual(sizes, [8, 4, 2, 1]);
  });
});

describe('§4.7 a result of a lease that is over', () => {
  const expired = () => {
    const driver = new TopologyDriver({ ...alone, policy: { delayMs: 5_000 } });
    driver.inject([page(1)]);
    driver.run(driver.nowMs + 1);
    const [first] = driver.tasks;
    // Blocked, so that nothing is granted when it has expired.
    driver.control(0, { kind: 'blockHost', hostKey: host });
    driver.run();
    assert.equal(driver.core().state.leases.size, 0);
    return { driver, first: first! };
  };

  it('§4.7 a result of an ended lease finishes a URL that came back, and delays the next contact', () => {
    const { driver, first } = expired();
    report(driver, first, 'fetched');
    driver.run(driver.nowMs + 1);
    assert.deepEqual([driver.counters.page, driver.counters.deferred], [1, 0]);
    assert.ok(driver.core().state.hosts.get(host)!.facts.readyAtMs >= driver.nowMs + 4_999);
  });

  it('§4.7 a result of an ended lease finishes nothing that does not end a URL, and nothing on another lease', () => {
    const { driver, first } = expired();
    report(driver, first, 'serverError');
    driver.run(driver.nowMs + 1);
    assert.equal(driver.counters.deferred, 1);
    driver.control(0, { kind: 'releaseHost', hostKey: host });
    driver.run(driver.nowMs + 60_000);
    const second = driver.tasks.at(-1)!;
    assert.notEqual(second.leaseId, first.leaseId);
    report(driver, first, 'fetched');
    driver.run(driver.nowMs + 1);
    assert.deepEqual([driver.counters.page, driver.counters.leased], [0, 1]);
    report(driver, second, 'fetched');
    driver.run(driver.nowMs + 1);
    assert.deepEqual([driver.counters.page, driver.counters.leased], [1, 0]);
  });
});

describe('§4.11 a full frontier', () => {
  it('§4.11 a full frontier reads no more links, but control and results, and so drains', () => {
    const driver = new TopologyDriver({ web, policy: { delayMs: 100, queuedMax: 5 } });
    driver.inject(Array.from({ length: 20 }, (_, n) => page(n)));
    driver.run(driver.nowMs + 1);
    assert.ok(driver.core().full);
    driver.inject(Array.from({ length: 40 }, (_, n) => page(20 + n)));
    driver.run(driver.nowMs + 1);
    const waitsAt = driver.core().state.positions.discovered.offset;
    assert.ok(waitsAt <= 20, `links wait in the log, read up to ${waitsAt}`);
    driver.control(0, { kind: 'hostDelay', hostKey: host, amount: 50 });
    driver.run(driver.nowMs + 1);
    assert.equal(driver.core().state.hosts.get(host)!.facts.ownDelayMs, 50);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.page, 60);
  });
});

describe('§4.12 a URL without a place', () => {
  it('§4.12 a URL without a place stops the partition before anything of it is written', () => {
    const driver = new TopologyDriver(alone);
    driver.inject([page(1), page(2)]);
    driver.run(driver.nowMs + 1);
    const core = driver.core();
    core.state.counters.leased -= 1;
    core.offer({ topic: 'control', offset: core.state.positions.control.offset, record: blocked });
    assert.throws(() => core.step(driver.nowMs, 0), /invariant broken: 1 URLs of partition 0/);
  });
});

describe('§4.14 a digest', () => {
  const driverWith = () => new TopologyDriver({ ...alone, leasesMax: 0 });

  it('§4.14 a digest names hosts by key, not by their internal numbers', () => {
    const digestOf = (metFirst: string, metSecond: string, delayMs = 50) => {
      const driver = driverWith();
      for (const hostKey of [metFirst, metSecond]) driver.control(0, { kind: 'hostDelay', hostKey, amount: delayMs });
      driver.run(driver.nowMs + 1);
      driver.injectGroup(['https://a.test/', 'https://b.test/']);
      driver.run(driver.nowMs + 1);
      const { hosts } = driver.core().state;
      assert.equal(hosts.get(metFirst)!.id, 0);
      return digest(driver.core().state);
    };
    assert.equal(digestOf('a.test', 'b.test'), digestOf('b.test', 'a.test'));
    assert.notEqual(digestOf('a.test', 'b.test'), digestOf('a.test', 'b.test', 51));
  });

  it('§4.14 a digest depends on the order of admission, within a host and over hosts', () => {
    const digestOf = (...urls: readonly string[]) => {
      const driver = driverWith();
      driver.injectGroup(urls);
      driver.run(driver.nowMs + 1);
      return digest(driver.core().state);
    };
    const [a, b, c] = ['https://a.test/1', 'https://a.test/2', 'https://b.test/'];
    const digests = [digestOf(a, b, c), digestOf(b, a, c), digestOf(c, a, b), digestOf(a, b, 'https://c.test/')];
    assert.equal(new Set(digests).size, digests.length);
    assert.equal(digestOf(a, b, c), digests[0]);
  });
});

const blocked: Control = {
  kind: 'blockHost',
  ...{ atMs: 0, by: '', partition: -1, hostKey: host, version: 0, amount: 0, wanted: 0, known: -1 },
  ...{ payload: '', id: '' },
};
