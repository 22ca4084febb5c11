import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HostFacts, newHostFacts } from '../../../../topology/frontier/changes/changes.ts';
import { FactsTable } from '../../../../topology/frontier/hosts/facts-table.ts';

/** Every field with a value of its own. */
const own: HostFacts = {
  ...{ readyAtMs: 1.5e12, crawlDelayMs: 2, ownDelayMs: 3, ownDelayIsLeast: true, pagesMax: 5, ownBudget: 6 },
  ...{ fetched: 7, pages: 8, fetchMs: 9, failures: 10, throttles: 11, returns: 12, leaseMax: 13, hold: 'paused' },
  ...{ deferredOpen: true, deadUntilMs: 0, bytes: 16, serverErrors: 17 },
};

function tableOf(...hosts: readonly Partial<HostFacts>[]): FactsTable {
  const table = new FactsTable();
  table.fit(hosts.length);
  for (const [host, facts] of hosts.entries()) table.set(host, { ...newHostFacts, ...facts });
  return table;
}

/** What is asked of a host field by field. */
function askedOf(table: FactsTable, host: number): Partial<HostFacts> {
  return {
    pages: table.pages(host),
    readyAtMs: table.readyAtMs(host),
    ownDelayMs: table.ownDelayMs(host),
    deferredOpen: table.deferredOpen(host),
    hold: table.hold(host),
    deadUntilMs: table.deadUntilMs(host),
  };
}

test('each host has its own facts, and a new one those of a new host', () => {
  const table = tableOf({}, own, { pages: 1 }, {});
  assert.deepEqual(
    [0, 1, 2, 3].map((host) => table.get(host)),
    [newHostFacts, own, { ...newHostFacts, pages: 1 }, newHostFacts],
  );
  table.fit(5);
  assert.deepEqual(table.get(4), newHostFacts);
  assert.deepEqual(table.get(1), own);
});

test('a single field equals that of the whole facts, of common hosts and of rare ones', () => {
  const dead = { ...own, deadUntilMs: 99, ownDelayMs: 44, deferredOpen: true, hold: 'limit' } as const;
  const table = tableOf(own, dead, {});
  for (const [host, facts] of [own, dead, newHostFacts].entries()) {
    const { pages, readyAtMs, ownDelayMs, deferredOpen, hold, deadUntilMs } = facts;
    assert.deepEqual(askedOf(table, host), { pages, readyAtMs, ownDelayMs, deferredOpen, hold, deadUntilMs });
  }
});

for (const name of Object.keys(newHostFacts) as (keyof HostFacts)[]) {
  test(`hosts that differ only in ${name} are distinguished, in both orders`, () => {
    const [plain, other] = [newHostFacts, { ...newHostFacts, [name]: own[name] || 1 }];
    const table = tableOf(plain, other, plain);
    assert.deepEqual(
      [0, 1, 2].map((host) => table.get(host)),
      [plain, other, plain],
    );
    table.set(0, other);
    table.set(1, plain);
    assert.deepEqual(
      [0, 1, 2].map((host) => table.get(host)),
      [other, plain, plain],
    );
  });
}

test('numbers that fit no column are kept unchanged, and columns hold up to 32 bits', () => {
  for (const name of ['fetched', 'pages', 'fetchMs'] as const)
    for (const value of [0xffff_ffff, 0x1_0000_0000, 1e15]) {
      const table = tableOf({ [name]: value }, {});
      assert.deepEqual(table.get(0), { ...newHostFacts, [name]: value }, `${name} ${value}`);
      assert.equal(table.get(1)[name], 0);
    }
});

test('a host that is no longer rare is like any other, and may become rare again', () => {
  const table = tableOf({ deadUntilMs: 50, hold: 'purged' });
  assert.deepEqual([table.hold(0), table.deadUntilMs(0)], ['purged', 50]);
  table.set(0, newHostFacts);
  assert.deepEqual([table.get(0), table.hold(0), table.deadUntilMs(0)], [newHostFacts, '', 0]);
  table.set(0, { ...newHostFacts, deadUntilMs: 60 });
  assert.equal(table.get(0).deadUntilMs, 60);
});

test('bytes are counted from the first host with some, also beside earlier and later hosts', () => {
  const table = tableOf({}, { bytes: 5 });
  table.fit(40);
  table.set(39, { ...newHostFacts, bytes: 7 });
  table.set(1, { ...newHostFacts, bytes: 0 });
  assert.deepEqual(
    [0, 1, 2, 39].map((host) => table.get(host).bytes),
    [0, 0, 0, 7],
  );
});

test('beyond 16,384 combinations of facts, further ones are kept as well', () => {
  const table = new FactsTable();
  const hosts = 16_390;
  table.fit(hosts);
  for (let host = 0; host < hosts; host++) table.set(host, { ...newHostFacts, ownDelayMs: host });
  for (const host of [0, 1, 16_382, 16_383, 16_384, 16_389]) {
    assert.deepEqual(table.get(host), { ...newHostFacts, ownDelayMs: host });
    assert.equal(table.ownDelayMs(host), host);
  }
});
