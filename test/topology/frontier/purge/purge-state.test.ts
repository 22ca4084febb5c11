import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PurgeState } from '../../../../topology/frontier/purge/purge-state.ts';

const hex = (rows: readonly { readonly key: Buffer; readonly value: Buffer | null }[]) =>
  rows.map(({ key, value }) => [key.toString('hex'), value?.toString('hex') ?? null]);

test('a purged URL is recorded with its own host, and with no other', () => {
  const purge = new PurgeState();
  assert.equal(purge.on, false);
  purge.addUrl(3, 10, 20);
  purge.addUrl(3, 10, 21);
  assert.equal(purge.on, true);
  const asked = [
    [3, 10, 20],
    [3, 10, 21],
    [3, 10, 22],
    [3, 11, 20],
    [3, 20, 10],
    [4, 10, 20],
  ] as const;
  assert.deepEqual(
    asked.map(([host, hi, lo]) => purge.holds(host, hi, lo)),
    [true, true, false, false, false, false],
  );
  // The second half of one is no first half of another.
  purge.addUrl(3, 20, 10);
  assert.deepEqual([purge.holds(3, 20, 10), purge.holds(3, 20, 20), purge.holds(3, 21, 20)], [true, false, false]);
});

test('a purged URL’s record is deleted and its row written, once; the record is deleted again at the next purge', () => {
  const purge = new PurgeState();
  purge.addUrl(0x0102, 0x0a0b0c0d, 0xfffffffe);
  const [record, tombstone, ...more] = hex(purge.takeRows());
  assert.deepEqual(more, []);
  assert.deepEqual(tombstone, ['70000001020a0b0c0dfffffffe', '01']);
  assert.equal(record![1], null);
  assert.deepEqual(purge.takeRows(), []);
  purge.addUrl(0x0102, 0x0a0b0c0d, 0xfffffffe);
  assert.deepEqual(hex(purge.takeRows()), [record]);
  assert.deepEqual(purge.urls.get(0x0102), [0x0a0b0c0d, 0xfffffffe]);

  const loaded = new PurgeState();
  loaded.load(Buffer.from(tombstone![0]!, 'hex'));
  assert.deepEqual([loaded.on, loaded.holds(0x0102, 0x0a0b0c0d, 0xfffffffe)], [true, true]);
  assert.deepEqual(loaded.takeRows(), []);
});

test('hosts are swept once per purge', () => {
  const purge = new PurgeState();
  assert.deepEqual(purge.takeSweeps(), []);
  purge.addHost('a.test', 5);
  purge.addHost('b.test', 6);
  assert.equal(purge.on, true);
  assert.deepEqual(purge.takeSweeps(), [
    { hostKey: 'a.test', atMs: 5 },
    { hostKey: 'b.test', atMs: 6 },
  ]);
  assert.deepEqual(purge.takeSweeps(), []);
});

test('no record is kept of a purged URL; hosts without purged URLs compute no fingerprint', () => {
  const purge = new PurgeState();
  const asked: string[] = [];
  const fingerprintOf = (url: string) => {
    asked.push(url);
    return Uint32Array.of(1, url.length);
  };
  assert.equal(purge.hides(3, 'abc', fingerprintOf), false);
  assert.deepEqual(asked, []);
  purge.addUrl(3, 1, 3);
  assert.deepEqual([purge.hides(3, 'abc', fingerprintOf), purge.hides(3, 'abcd', fingerprintOf)], [true, false]);
  assert.equal(purge.hides(4, 'abc', fingerprintOf), false);
});

test('links to a purged host, or to its purged URLs, are refused; of unknown hosts none', () => {
  const purge = new PurgeState();
  purge.addUrl(1, 7, 8);
  const holds = ['', '', 'purged', 'paused'] as const;
  const hosts = {
    keys: { find: (key: string) => ['zero.test', 'one.test', 'two.test', 'three.test'].indexOf(key) },
    facts: { hold: (host: number) => holds[host]! },
  } as unknown as Parameters<PurgeState['refuses']>[0];
  const refuses = (key: string, hi: number, lo: number) => purge.refuses(hosts, key, hi, lo);
  assert.deepEqual(
    [refuses('zero.test', 7, 8), refuses('one.test', 7, 8), refuses('one.test', 7, 9)],
    [false, true, false],
  );
  assert.deepEqual(
    [refuses('two.test', 1, 1), refuses('three.test', 1, 1), refuses('four.test', 7, 8)],
    [true, false, false],
  );
});
