import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RowsInMemory } from '../../../../lab/model/rows-in-memory.ts';
import { type Answer, fingerprintKey, TopologyDriver } from '../../../../lab/simulation/driver.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { listQueue, type QueueCursor, readLeases } from '../../../../topology/frontier/checkpoint/read-rows.ts';
import { saveCheckpoint } from '../../../../topology/frontier/checkpoint/save-checkpoint.ts';
import { KeyTable } from '../../../../topology/frontier/hosts/key-table.ts';
import { FrontQueues } from '../../../../topology/frontier/queues/front-queues.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';

const page = (): Answer => ({ kind: 'fetched' });
const urlOf = (n: number) => `https://h.test/a/path/as/long/as/most/of/them/${n % 7 === 0 ? 'ü' : 'u'}/${n}`;
const entryOf = (n: number) => {
  const rare = n % 5 === 0 ? { hop: n % 3, attempts: n % 4, expiries: n % 2 } : { hop: 0, attempts: 0, expiries: 0 };
  return { url: urlOf(n), depth: n % 300, frontQueue: 2, ...rare };
};

/** A state with entries of one host, admitted as a changelog would. */
function filled(count: number, queueBytes?: number): FrontierState {
  const state = new FrontierState(fingerprintKey, undefined, queueBytes);
  for (let n = 0; n < count; n++)
    state.apply({ kind: 'admit', hostKey: 'h.test', known: false, entries: [entryOf(n)] });
  return state;
}

function grant(state: FrontierState, leaseId: number, count: number): void {
  const frontQueues = [[2, count]] as const;
  state.apply({ kind: 'grant', leaseId, hostKey: 'h.test', again: 0, frontQueues, deadlineMs: 1, delayMs: 0 });
}

describe('a partition’s front queues', () => {
  it('a partition’s front queues number entries up to 2^32 and no further: a number is never reused', () => {
    const frontQueues = new FrontQueues(2 ** 20, () => 'h.test');
    frontQueues.queuedEver = 0xffff_fffd;
    assert.equal(frontQueues.push(0, 'h.test', entryOf(1)), 0xffff_fffe);
    assert.throws(() => frontQueues.push(0, 'h.test', entryOf(2)), /2\^32 entries/);
  });
});

describe('a host’s queue', () => {
  it('a host’s queue returns its entries in order, whole, from rows on disk and from memory', () => {
    const rows = new RowsInMemory();
    rows.run(saveCheckpoint(filled(1_000)));
    const state = new FrontierState(fingerprintKey);
    rows.load(state);
    for (let n = 1_000; n < 1_100; n++) {
      state.apply({ kind: 'admit', hostKey: 'h.test', known: false, entries: [entryOf(n)] });
    }
    const given = [];
    for (let leaseId = 1; given.length < 1_100; leaseId++) {
      grant(state, leaseId, 50);
      rows.run(readLeases(state));
      given.push(...state.leases.get(leaseId)!.entries);
      state.leases.end(leaseId);
      state.hosts.letGo(0, leaseId);
    }
    assert.deepEqual(
      given,
      Array.from({ length: 1_100 }, (_, n) => entryOf(n)),
    );
    rows.run(saveCheckpoint(state));
    assert.equal(rows.count('q'), 0, 'rows that are used up are gone');
  });

  it('a host’s queue takes less than 60 bytes per URL on disk', () => {
    const rows = new RowsInMemory();
    rows.run(saveCheckpoint(filled(10_000)));
    assert.ok(rows.bytes - 10_000 * 8 < 60 * 10_000, `${rows.bytes}`);
  });

  it('a host’s queue is in memory as far as memory allows, at any length, and behaves the same', () => {
    const rows = new RowsInMemory();
    const state = filled(60_000, 2 * 2 ** 20);
    const before = state.queues.frontQueues.arena.bytes;
    rows.run(saveCheckpoint(state));
    for (let n = 60_000; n < 75_000; n++) {
      state.apply({ kind: 'admit', hostKey: 'h.test', known: false, entries: [entryOf(n)] });
    }
    assert.ok(
      before > 3 * 2 ** 20 && state.queues.frontQueues.arena.bytes <= 3 * 2 ** 20,
      'what is on disk leaves memory',
    );
    assert.equal(digest(state), digest(filled(75_000)));
    grant(state, 1, 75_000);
    rows.run(readLeases(state));
    assert.deepEqual(
      state.leases.get(1)!.entries.map((entry) => entry!.url),
      Array.from({ length: 75_000 }, (_, n) => urlOf(n)),
    );
  });

  it('a host’s queue continues after everything in memory had to be evicted', () => {
    const admit = (state: FrontierState, n: number) =>
      state.apply({ kind: 'admit', hostKey: 'small.test', known: false, entries: [entryOf(n)] });
    const fill = (state: FrontierState) => {
      for (let n = 0; n < 60_000; n++)
        state.apply({ kind: 'admit', hostKey: 'h.test', known: false, entries: [entryOf(n)] });
    };
    const rows = new RowsInMemory();
    const [state, roomy] = [2 * 2 ** 20, undefined].map((bytes) => {
      const one = new FrontierState(fingerprintKey, undefined, bytes);
      admit(one, 1);
      fill(one);
      return one;
    }) as [FrontierState, FrontierState];
    rows.run(saveCheckpoint(state));
    const before = state.queues.frontQueues.arena.pages;
    for (const one of [state, roomy]) for (const n of [2, 3]) admit(one, n);
    assert.ok(state.queues.frontQueues.arena.pages < before);
    assert.equal(digest(state), digest(roomy));
    const frontQueues = [[2, 3]] as const;
    state.apply({ kind: 'grant', leaseId: 1, hostKey: 'small.test', again: 0, frontQueues, deadlineMs: 1, delayMs: 0 });
    rows.run(readLeases(state));
    assert.deepEqual(
      state.leases.get(1)!.entries.map((entry) => entry!.url),
      [1, 2, 3].map(urlOf),
    );
  });

  it('a host’s queue continues its numbers after it was empty: a late result for an old entry hits no new one', () => {
    const state = filled(3);
    grant(state, 1, 3);
    const { frontQueues } = state.queues;
    const headOf = () => frontQueues.head(frontQueues.list.find(0, 2));
    for (let n = 3; n < 5; n++) state.apply({ kind: 'admit', hostKey: 'h.test', known: false, entries: [entryOf(n)] });
    assert.equal(headOf(), 3);
    grant(state, 2, 2);
    state.apply({ kind: 'admit', hostKey: 'h.test', known: false, entries: [entryOf(5)] });
    assert.equal(headOf(), 5);
  });

  for (const firstGone of [0, 1]) {
    it(`a host’s queue leaves no row on disk behind removed entries, from entry ${firstGone} on`, () => {
      const rows = new RowsInMemory();
      rows.run(saveCheckpoint(filled(1_000)));
      const state = new FrontierState(fingerprintKey);
      rows.load(state);
      const { frontQueues } = state.queues;
      const frontQueue = frontQueues.list.find(0, 2);
      // All but the first, so that they go when the head passes them; or from the first on, which no lease ever takes.
      for (let seq = firstGone; seq < 1_000; seq++) frontQueues.remove(frontQueue, seq);
      if (firstGone > 0) grant(state, 1, firstGone);
      rows.run(readLeases(state));
      assert.equal(state.leases.get(1)?.entries[0]?.url, firstGone > 0 ? urlOf(0) : undefined);
      assert.equal(frontQueues.count(frontQueue), 0);
      state.unsaved.addHost(0);
      rows.run(saveCheckpoint(state));
      assert.equal(rows.count('q'), 0);
    });
  }

  it('a host’s queue is listed in pages, in its order', () => {
    const rows = new RowsInMemory();
    rows.run(saveCheckpoint(filled(300)));
    const state = new FrontierState(fingerprintKey);
    rows.load(state);
    const urls: string[] = [];
    let from: QueueCursor | undefined;
    do {
      const listed = rows.run(listQueue(state, 'h.test', 70, from));
      assert.ok(listed.urls.length <= 70);
      urls.push(...listed.urls.map(({ url }) => url));
      from = listed.next;
    } while (from !== undefined);
    assert.deepEqual(
      urls,
      Array.from({ length: 300 }, (_, n) => urlOf(n)),
    );
    assert.deepEqual(rows.run(listQueue(state, 'nobody.test', 70)).urls, []);
  });
});

describe('a URL that is raised', () => {
  for (const onDisk of [false, true]) {
    it(`a raised URL from the middle of a queue ${onDisk ? 'on disk' : 'in memory'} goes next, once`, () => {
      const urls = Array.from({ length: 200 }, (_, n) => `https://h.test/deep/${n}?q=${n}`);
      const driver = new TopologyDriver({ web: page, leasesMax: 1, policy: { delayMs: 10_000 } });
      driver.inject(urls, { depth: 3 });
      driver.run(driver.nowMs + 1);
      if (onDisk) {
        driver.save();
        driver.crash();
      }
      const url = urls[150]!;
      for (let twice = 0; twice < 2; twice++) {
        driver.control(0, { kind: 'raise', hostKey: 'h.test', payload: JSON.stringify({ url }) });
      }
      driver.control(0, { kind: 'raise', hostKey: 'h.test', payload: JSON.stringify({ url: 'https://h.test/none' }) });
      const before = driver.requests.length;
      driver.run(driver.nowMs + 1);
      assert.equal(digest(driver.rebuilt()), digest(driver.core().state));
      driver.save();
      driver.crash();
      assert.equal(driver.run(), 'done');
      const order = driver.requests.map((request) => request.url);
      assert.ok(order.indexOf(url) < before + 16, `${order.indexOf(url)}`);
      assert.equal(order.length, 200);
      assert.equal(new Set(order).size, 200);
    });
  }
});

describe('host keys', () => {
  it('host keys keep their numbers among many, and are compared byte by byte', () => {
    const table = new KeyTable(fingerprintKey);
    const keys = Array.from({ length: 50_000 }, (_, n) => `www.${n % 3 === 0 ? 'bücher' : 'host'}${n}.test`);
    for (const [number, key] of keys.entries()) table.add(key, number);
    for (const [number, key] of keys.entries()) {
      assert.equal(table.find(key), number);
      assert.equal(table.keyOf(number), key);
    }
    assert.equal(table.find('www.host.test'), -1);
  });
});
