import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { editedText, proseOf } from '../../../../lab/pages/prose.ts';
import { goneAt, purgeOf } from '../../../../lab/pages/records.ts';
import { numbers } from '../../../../lab/web/random.ts';
import type { Duplicate } from '../../../../schemas/types.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { StateStore, StoreOp } from '../../../../services/runtime/store/store.ts';
import { type Input, open, page, verdicts } from './bench.ts';

/** Takes a store back to form 2, in which the page that calls itself canonical stands for all. */
async function asOfFormTwo(store: StateStore, best: string): Promise<void> {
  const ops: StoreOp[] = [{ key: Buffer.from('F'), value: Buffer.from('simhash:2') }];
  for await (const [key, value] of store.scan({ gte: Buffer.from('U'), lt: Buffer.from('V') })) {
    const { domain: _, sinceMs: __, ...page } = JSON.parse(value.toString());
    const url = key.toString('utf8', 1);
    const member = Buffer.alloc(12 + url.length);
    member.write('M');
    member.writeUInt32BE(page.node, 1);
    member[5] = page.authority;
    member.writeUIntBE(page.fetchedAtMs, 6, 6);
    member.write(url, 12);
    ops.push({ key: member, value: Buffer.alloc(0) });
    const reported = page.node === 0 && url !== best ? best : '';
    ops.push({ key, value: Buffer.from(JSON.stringify({ ...page, reported })) });
  }
  for (const range of [
    { gte: Buffer.from('T'), lt: Buffer.from('U') },
    { gte: Buffer.from('B'), lt: Buffer.from('C') },
  ]) {
    for await (const [key] of store.scan(range)) ops.push({ key, value: null });
  }
  await store.write(ops);
}

describe('the deduper', () => {
  it('the deduper finds exact duplicates of any length, and near ones, and the earliest page is the original', async () => {
    const long = proseOf(1, 400);
    const { reported, read } = await open(createMemoryStore());
    await read([
      page('http://a.test/long', long, { fetchedAtMs: 10 }),
      page('http://b.test/long', long, { fetchedAtMs: 11 }),
      page('http://c.test/near', `${long} one`, { fetchedAtMs: 12 }),
      page('http://a.test/short', 'not found', { fetchedAtMs: 13 }),
      page('http://b.test/short', 'not found', { fetchedAtMs: 14 }),
      page('http://c.test/short', 'not found!', { fetchedAtMs: 15 }),
      page('http://a.test/other', proseOf(2, 400), { fetchedAtMs: 16 }),
    ]);
    assert.deepEqual(
      [...verdicts(reported)],
      [
        ['http://b.test/long', 'http://a.test/long'],
        ['http://b.test/short', 'http://a.test/short'],
        ['http://c.test/near', 'http://a.test/long'],
      ],
    );
    assert.deepEqual(
      reported.map(({ method }) => method),
      ['exact', 'simhash', 'exact'],
    );
  });

  it('the deduper makes a self-canonical page the original, even if it comes last', async () => {
    const text = proseOf(3, 200);
    const { reported, read } = await open(createMemoryStore());
    const canonical = 'http://a.test/3';
    await read(
      [
        page('http://a.test/1', text, { fetchedAtMs: 10 }),
        page('http://a.test/2', text, { fetchedAtMs: 11, canonical }),
        page('http://a.test/3', text, { fetchedAtMs: 12, canonical }),
      ],
      1,
    );
    assert.deepEqual(
      [...verdicts(reported)],
      [
        ['http://a.test/1', 'http://a.test/3'],
        ['http://a.test/2', 'http://a.test/3'],
      ],
    );
  });

  it('the deduper never prefers another domain’s page to the first one, whatever its canonical says', async () => {
    const text = proseOf(20, 200);
    const original = 'http://www.honest.test/article';
    const copies = ['http://thief.test/a', 'http://thief.test/b', 'http://other.test/copy'];
    for (const batch of [1, 2, 9]) {
      const { reported, read } = await open(createMemoryStore());
      await read(
        [
          page(original, text, { fetchedAtMs: 10 }),
          ...copies.map((url, n) => page(url, text, { fetchedAtMs: 11 + n, canonical: url })),
          // Fetched again, by when the copies are older than its newest version.
          page(original, text, { fetchedAtMs: 50 }),
          // Away for a while, and back as it was.
          goneAt(original, 60) as Input,
          page(original, text, { fetchedAtMs: 70 }),
        ],
        batch,
      );
      assert.deepEqual([...verdicts(reported)], copies.map((url) => [url, original] as const).sort());
      const deleted = reported.filter(({ url, representative }) => url === original && representative !== original);
      // While it is gone, a copy stands for the others, and nothing else takes its place.
      assert.deepEqual(deleted, []);
    }
  });

  it('the deduper keeps the first domain’s page, and there the self-canonical one', async () => {
    const text = proseOf(21, 200);
    const { reported, read } = await open(createMemoryStore());
    const canonical = 'http://honest.test/3';
    await read(
      [
        page('http://honest.test/1', text, { fetchedAtMs: 10 }),
        page('http://thief.test/1', text, { fetchedAtMs: 11, canonical: 'http://thief.test/1' }),
        page(canonical, text, { fetchedAtMs: 12, canonical }),
        page('http://www.honest.test/2', text, { fetchedAtMs: 13, canonical }),
      ],
      1,
    );
    assert.deepEqual(
      [...verdicts(reported)],
      ['http://honest.test/1', 'http://thief.test/1', 'http://www.honest.test/2'].map((url) => [url, canonical]),
    );
  });

  it('the deduper believes a page that names another domain’s page as canonical', async () => {
    const text = proseOf(22, 200);
    const { reported, read } = await open(createMemoryStore());
    const [original, copy] = ['http://agency.test/news', 'http://paper.test/news'];
    await read([page(copy, text, { fetchedAtMs: 10, canonical: original }), page(original, text, { fetchedAtMs: 11 })]);
    assert.deepEqual([...verdicts(reported)], [[copy, original]]);
  });

  it('the deduper upgrades a store of the previous release, killed at any moment, and takes back what a thief got there', async () => {
    const text = proseOf(23, 200);
    const [original, copy] = ['http://honest.test/', 'http://thief.test/'];
    const inputs = [
      page(original, text, { fetchedAtMs: 10 }),
      page(copy, text, { fetchedAtMs: 11, canonical: copy }),
      page('http://honest.test/other', proseOf(24, 200), { fetchedAtMs: 12 }),
    ];
    const everything = { gte: Buffer.from([0]), lt: Buffer.from([0xff]) };
    for (let killedAt = 0; killedAt < 5; killedAt++) {
      const store = createMemoryStore();
      await (await open(store)).read(inputs);
      await asOfFormTwo(store, copy);
      let writes = 0;
      const write = async (ops: readonly StoreOp[]) => {
        if (writes++ === killedAt) throw new Error('killed');
        await store.write(ops);
      };
      await open({ ...store, get: store.get, getMany: store.getMany, scan: store.scan, write }).catch(() => {});
      const { reported, read } = await open(store);
      // Whoever was told by then is told again, or was told before the kill.
      await read([page(original, text, { fetchedAtMs: 99 })], 1);
      assert.equal(verdicts(reported).has(original), false, `killed at ${killedAt}`);
      const after = await open(store);
      await after.read([page(copy, text, { fetchedAtMs: 100, canonical: copy })], 1);
      assert.deepEqual([...verdicts(after.reported)], [[copy, original]], `killed at ${killedAt}`);
      const kinds = new Set<string>();
      for await (const [key] of store.scan(everything)) kinds.add(key.toString('latin1', 0, 1));
      assert.ok(!kinds.has('M') && !kinds.has('W'), [...kinds].join(''));
    }
  });

  it('the deduper keeps nothing of purged pages: another becomes the original, and they do not come back', async () => {
    const store = createMemoryStore();
    const text = proseOf(7, 200);
    const { reported, read } = await open(store);
    await read([
      page('http://a.test/1', text, { fetchedAtMs: 10 }),
      page('http://b.test/1', text, { fetchedAtMs: 11 }),
      page('http://c.test/1', text, { fetchedAtMs: 12 }),
      page('http://a.test/2', proseOf(8, 200), { fetchedAtMs: 13 }),
    ]);
    assert.equal(verdicts(reported).get('http://c.test/1'), 'http://a.test/1');
    await read([
      purgeOf('a.test', 50) as Input,
      page('http://a.test/3', text, { fetchedAtMs: 9 }),
      purgeOf('c.test', 50, 'http://c.test/1') as Input,
    ]);
    assert.equal(verdicts(reported).get('http://c.test/1'), 'http://b.test/1');
    assert.ok(!verdicts(reported).has('http://b.test/1'));
    const rows: string[] = [];
    const everything = { gte: Buffer.from([0]), lt: Buffer.from([0xff]) };
    for await (const [key, value] of store.scan(everything)) rows.push(`${key.toString('latin1')} ${value}`);
    assert.deepEqual(
      rows.filter((row) => /a\.test|c\.test\/1/.test(row)),
      [],
    );
    assert.ok(rows.some((row) => row.includes('b.test')));
  });

  it('the deduper reports nothing more of a purged page while the pages before it leave', async () => {
    const text = proseOf(7, 200);
    const { reported, read } = await open(createMemoryStore());
    await read([
      page('http://a.test/1', text, { fetchedAtMs: 10 }),
      page('http://a.test/2', text, { fetchedAtMs: 11 }),
      page('http://b.test/1', text, { fetchedAtMs: 12 }),
      page('http://b.test/2', text, { fetchedAtMs: 13 }),
    ]);
    const before = reported.length;
    await read([purgeOf('a.test', 50) as Input]);
    const since = reported.slice(before);
    assert.deepEqual([...verdicts(since)], [['http://b.test/2', 'http://b.test/1']]);
    assert.deepEqual(
      since.filter(({ url }) => url.startsWith('http://a.test/')),
      [],
    );
  });

  it('the deduper withdraws its verdict when the original changes, is gone, or becomes noindex', async () => {
    const text = proseOf(4, 200);
    for (const end of [
      page('http://a.test/1', proseOf(5, 200), { fetchedAtMs: 50 }),
      goneAt('http://a.test/1', 50) as Input,
      page('http://a.test/1', text, { fetchedAtMs: 50, noindex: true }),
    ]) {
      const { reported, read } = await open(createMemoryStore());
      const copies = [1, 2, 3].map((n) => page(`http://a.test/${n}`, text, { fetchedAtMs: 10 + n }));
      await read([...copies, end], 2);
      assert.deepEqual([...verdicts(reported)], [['http://a.test/3', 'http://a.test/2']]);
      const back = reported.findLast(({ url }) => url === 'http://a.test/2')!;
      assert.deepEqual([back.representative, back.method, back.pageOffset], ['http://a.test/2', 'none', 0]);
    }
  });

  it('the deduper repeats the verdict for each new version of a duplicate, after its fetch', async () => {
    const text = proseOf(6, 200);
    const { reported, read } = await open(createMemoryStore());
    const again = page('http://a.test/2', text, { fetchedAtMs: 5_000_000 });
    await read([page('http://a.test/1', text), page('http://a.test/2', text), again]);
    const about = reported.filter(({ url }) => url === 'http://a.test/2');
    assert.deepEqual(
      about.map(({ fetchedAtMs, atMs }) => atMs > fetchedAtMs),
      [true, true],
    );
    assert.equal(about[1]!.fetchedAtMs, 5_000_000);
  });

  it('the deduper reaches the same verdicts in any order, after kills, and from zero', async () => {
    const next = numbers(9);
    const families = Array.from({ length: 8 }, (_, n) => proseOf(100 + n, 300));
    const history: Input[] = [];
    for (let n = 0; n < 240; n++) {
      const host = next() % 3;
      const url = `http://h${host}.test/p${next() % 40}`;
      if (next() % 12 === 0) history.push({ ...goneAt(url, n), partition: host } as Input);
      else {
        const text = editedText(families[next() % families.length]!, (next() % 3) * 0.003, next);
        const canonical = next() % 10 === 0 ? url : '';
        history.push({ ...page(url, text, { fetchedAtMs: n, canonical }), partition: host } as Input);
      }
    }
    // By MinHash, all copies of a text are near each other; where one lies between two others, the order decides.
    const straight = await open(createMemoryStore(), 'minhash');
    await straight.read(history);
    const expected = verdicts(straight.reported);
    assert.ok(expected.size > 30);
    // Partition after partition, as a replay may read them.
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
    ]) {
      const other = await open(createMemoryStore(), 'minhash');
      const inputs = order.flatMap((partition) => history.filter((one) => one.partition === partition));
      await other.read(inputs, 7);
      assert.deepEqual(verdicts(other.reported), expected);
    }
    // Killed at an append, now and then, and begun again where the store says.
    const store = createMemoryStore();
    const reported: Duplicate[] = [];
    let kills = 0;
    for (let done = false; !done; ) {
      const some = await open(store, 'minhash', 1 + (next() % 30));
      const from = (await some.dedup.positions.load('c.pages', 0)) ?? 0;
      await some.read(history, 5, from).then(
        () => (done = true),
        () => (kills += 1),
      );
      reported.push(...some.reported);
    }
    assert.ok(kills > 2);
    assert.deepEqual(verdicts(reported), expected);
  });

  it('the deduper reports to the frontier how many of a prefix are duplicates, as the count doubles', async () => {
    const text = proseOf(8, 100);
    const { events, read } = await open(createMemoryStore());
    const inputs = Array.from({ length: 40 }, (_, n) =>
      page(`http://a.test/list/${n}`, n % 4 === 3 ? proseOf(500 + n, 100) : text, { fetchedAtMs: n }),
    );
    await read(inputs, 1);
    assert.deepEqual(
      events.map(({ kind, hostKey, payload }) => [kind, hostKey, JSON.parse(payload)]),
      [
        ['duplicates', 'a.test', { prefixes: [{ prefix: '/list/', pages: 16, duplicates: 11 }] }],
        ['duplicates', 'a.test', { prefixes: [{ prefix: '/list/', pages: 32, duplicates: 23 }] }],
      ],
    );
  });

  it('the deduper does not count a language’s pages against it if they exist in another language too', async () => {
    const { reported, events, read } = await open(createMemoryStore());
    const inputs = ['en', 'de'].flatMap((language, at) =>
      Array.from({ length: 20 }, (_, n) =>
        page(`http://a.test/${language}/page-${n}`, proseOf(700 + n, 100), { fetchedAtMs: 100 * at + n }),
      ),
    );
    await read(inputs, 1);
    assert.equal(verdicts(reported).size, 20);
    assert.deepEqual(
      events.flatMap(({ payload }) => (JSON.parse(payload) as { prefixes: { duplicates: number }[] }).prefixes),
      [
        { prefix: '/en/', pages: 16, duplicates: 0 },
        { prefix: '/de/', pages: 16, duplicates: 0 },
      ],
    );
  });

  it('the deduper finds by MinHash what SimHash misses, and refuses a store made by the other', async () => {
    const text = proseOf(10, 600);
    const copy = editedText(text, 0.05, numbers(1));
    const inputs = [
      page('http://a.test/1', text, { fetchedAtMs: 1 }),
      page('http://a.test/2', copy, { fetchedAtMs: 2 }),
    ];
    const bySimhash = await open(createMemoryStore(), 'simhash');
    await bySimhash.read(inputs);
    assert.equal(verdicts(bySimhash.reported).size, 0);
    const store = createMemoryStore();
    const byMinhash = await open(store, 'minhash');
    await byMinhash.read(inputs);
    assert.deepEqual(
      byMinhash.reported.map(({ url, method }) => [url, method]),
      [['http://a.test/2', 'minhash']],
    );
    await assert.rejects(open(store, 'simhash'), {
      code: 'DATA_FOLDER_FOREIGN',
      message: /was created with method minhash/,
    });
  });
});
