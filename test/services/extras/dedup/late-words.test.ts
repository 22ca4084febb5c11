import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proseOf } from '../../../../lab/pages/prose.ts';
import { goneAt, purgeOf } from '../../../../lab/pages/records.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';
import { type Input, open, page, verdicts } from './bench.ts';

async function rowsOf(store: StateStore): Promise<string[]> {
  const rows: string[] = [];
  for await (const [key, value] of store.scan({ gte: Buffer.from([0]), lt: Buffer.from([0xff]) }))
    rows.push(`${key.toString('latin1')} ${value.toString('latin1')}`);
  return rows;
}

describe('the deduper', () => {
  it('the deduper announces a cluster’s new original to all its pages, even if it was killed before', async () => {
    const text = proseOf(31, 200);
    const store = createMemoryStore();
    const before = await open(store);
    await before.read([1, 2, 3].map((n) => page(`http://a.test/${n}`, text, { fetchedAtMs: 10 + n })));
    const best = page('http://a.test/0', text, { fetchedAtMs: 50, canonical: 'http://a.test/0' });
    await assert.rejects((await open(store, 'simhash', 1)).read([best]), /killed/);
    const after = await open(store);
    await after.read([best]);
    assert.deepEqual(
      [...verdicts([...before.reported, ...after.reported])],
      [1, 2, 3].map((n) => [`http://a.test/${n}`, 'http://a.test/0']),
    );
  });

  it('the deduper reports how many of a prefix are duplicates, even if it was killed meanwhile', async () => {
    const store = createMemoryStore();
    const copies = Array.from({ length: 16 }, (_, n) =>
      page(`http://a.test/list/${n}`, proseOf(30, 100), { fetchedAtMs: n }),
    );
    await (await open(store)).read(copies.slice(0, 15), 15);
    const last = [page('http://a.test/list/15', proseOf(39, 100), { fetchedAtMs: 15 })];
    await assert.rejects((await open(store, 'simhash', 1)).read(last), /killed/);
    const after = await open(store);
    await after.read(last);
    assert.deepEqual(
      after.events.map(({ payload }) => JSON.parse(payload)),
      [{ prefixes: [{ prefix: '/list/', pages: 16, duplicates: 14 }] }],
    );
  });

  it('the deduper gives a content to the next domain when the first domain’s page is gone', async () => {
    const text = proseOf(32, 200);
    const { reported, read } = await open(createMemoryStore());
    const canonical = 'http://a.test/best';
    await read([
      page('http://a.test/first', text, { fetchedAtMs: 10 }),
      page('http://b.test/second', text, { fetchedAtMs: 11 }),
      page(canonical, text, { fetchedAtMs: 12, canonical }),
    ]);
    assert.equal(verdicts(reported).get('http://b.test/second'), canonical);
    await read([goneAt('http://a.test/first', 50) as Input]);
    assert.deepEqual([...verdicts(reported)], [[canonical, 'http://b.test/second']]);
  });

  it('the deduper does not take an older report that a page was gone for the newer one', async () => {
    const text = proseOf(33, 200);
    const { reported, read } = await open(createMemoryStore());
    await read([
      page('http://a.test/1', text, { fetchedAtMs: 100 }),
      page('http://a.test/2', text, { fetchedAtMs: 101 }),
      goneAt('http://a.test/1', 90) as Input,
    ]);
    assert.deepEqual([...verdicts(reported)], [['http://a.test/2', 'http://a.test/1']]);
  });

  it('the deduper dates each verdict on a page after the previous one, whatever the clock says', async () => {
    const text = proseOf(34, 200);
    const { reported, read } = await open(createMemoryStore());
    const later = 5_000_000;
    await read(
      [
        page('http://a.test/1', text, { fetchedAtMs: later }),
        page('http://a.test/2', text, { fetchedAtMs: later + 1 }),
        goneAt('http://a.test/1', later + 2) as Input,
      ],
      1,
    );
    const times = reported.filter(({ url }) => url === 'http://a.test/2').map(({ atMs }) => atMs);
    assert.equal(times.length, 2);
    assert.ok(times[1]! > times[0]!, times.join());
  });

  it('the deduper repeats that a page is no duplicate if that was reported after the fetch of its newest version', async () => {
    const text = proseOf(35, 200);
    const { reported, read } = await open(createMemoryStore());
    const own = (fetchedAtMs: number) => page('http://a.test/2', proseOf(36, 200), { fetchedAtMs });
    await read([
      page('http://a.test/1', text, { fetchedAtMs: 10 }),
      page('http://a.test/2', text, { fetchedAtMs: 11 }),
    ]);
    await read([own(12)]);
    assert.equal(reported.at(-1)!.representative, 'http://a.test/2');
    const said = reported.length;
    // The bench's clock is far beyond: an index has the word before it has this version.
    await read([own(13)]);
    assert.deepEqual(
      reported.slice(said).map(({ url, representative, fetchedAtMs }) => [url, representative, fetchedAtMs]),
      [['http://a.test/2', 'http://a.test/2', 13]],
    );
  });

  it('the deduper names no record of a gone page, which an index would show again', async () => {
    const text = proseOf(37, 200);
    const { reported, read } = await open(createMemoryStore());
    await read([
      page('http://a.test/1', text, { fetchedAtMs: 10 }),
      page('http://a.test/2', text, { fetchedAtMs: 11 }),
      goneAt('http://a.test/2', 50) as Input,
    ]);
    const last = reported.findLast(({ url }) => url === 'http://a.test/2')!;
    assert.deepEqual([last.representative, last.pageOffset], ['http://a.test/2', -1]);
  });

  it('the deduper keeps nothing of a withdrawn page: another becomes the original of its cluster', async () => {
    const text = proseOf(38, 200);
    const store = createMemoryStore();
    const { reported, read, dedup } = await open(store);
    await read([
      page('http://a.test/1', text, { fetchedAtMs: 10 }),
      page('http://b.test/1', text, { fetchedAtMs: 11 }),
      page('http://c.test/1', text, { fetchedAtMs: 12 }),
    ]);
    const forgotten = [{ url: 'http://a.test/1', hostKey: 'a.test', partition: 0, offset: 9, atMs: 50 }];
    await dedup.handle([], { positions: [], forgotten });
    assert.deepEqual([...verdicts(reported)], [['http://c.test/1', 'http://b.test/1']]);
    assert.deepEqual(
      (await rowsOf(store)).filter((row) => /[UTB].*a\.test\/1/.test(row)),
      [],
    );
  });

  it('the deduper keeps nothing of a purged page that is gone', async () => {
    const store = createMemoryStore();
    const { read } = await open(store);
    await read([purgeOf('a.test', 50) as Input, goneAt('http://a.test/1', 60) as Input]);
    assert.deepEqual(
      (await rowsOf(store)).filter((row) => row.includes('a.test')),
      [],
    );
  });

  it('the deduper forgets what the pages of a purged host have in common', async () => {
    const store = createMemoryStore();
    const { read } = await open(store);
    await read([
      page('http://a.test/1', proseOf(40, 200), { fetchedAtMs: 10 }),
      purgeOf('a.test', 50) as Input,
      page('http://b.test/1', proseOf(41, 200), { fetchedAtMs: 60 }),
    ]);
    const commons = (await rowsOf(store)).filter((row) => row.startsWith('H')).map((row) => row.split(' ')[0]);
    assert.deepEqual(commons, ['Hb.test']);
    // A host that is released begins anew: its count of pages is one.
    const released = { kind: 'releaseHost', hostKey: 'a.test', atMs: 70 };
    const purge = purgeOf('a.test', 50);
    await read([{ ...purge, value: { ...purge.value, ...released } } as Input]);
    await read([page('http://a.test/2', proseOf(42, 200), { fetchedAtMs: 80 })]);
    const row = (await rowsOf(store)).find((one) => one.startsWith('Ha.test '))!;
    assert.equal(Buffer.from(row.slice('Ha.test '.length), 'latin1').readUInt32BE(0), 1);
  });
});
