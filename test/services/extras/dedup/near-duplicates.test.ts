import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgedDedup } from '../../../../lab/pages/judged-dedup.ts';
import { type LabelledPage, labelledPages } from '../../../../lab/pages/labelled-pages.ts';
import { editedText, proseOf } from '../../../../lab/pages/prose.ts';
import { numbers } from '../../../../lab/web/random.ts';
import { openDedup } from '../../../../services/extras/dedup/dedup.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';

/** Sites of templates, reference pages, shops and forums; a quarter of the pages copied with so many words edited. */
const pagesOfEachSite = 60;

describe('near-duplicates on generated sites whose truth is known', () => {
  // SimHash finds what differs in 3 of 64 bits, as the sources have it; MinHash what has a tenth of its words edited.
  for (const [method, edited, recall] of [
    ['simhash', 0.005, 0.85],
    ['simhash', 0.02, 0.5],
    ['minhash', 0.005, 0.99],
    ['minhash', 0.1, 0.95],
  ] as const) {
    it(`${method} finds copies with ${100 * edited} % of the words edited on generated sites, and nothing else`, async () => {
      const judged = await judgedDedup(method, labelledPages(pagesOfEachSite, edited, 11));
      assert.ok(judged.precision >= 0.99, JSON.stringify(judged));
      assert.ok(judged.recall >= recall, `found ${judged.recall} of the copies`);
    });
  }
  it('minhash finds copies with 10 % of the words edited if no host is known, and no false copies', async () => {
    const next = numbers(6);
    const all = Array.from({ length: 120 }, (_, n) => {
      const text = proseOf(n, [60, 120, 300, 900][n % 4]!);
      const url = `http://h${n}.test/`;
      const copy = { ...labelled(`http://copy${n}.test/`, '', editedText(text, 0.1, next)), family: url, isCopy: true };
      return [labelled(url, '', text), copy];
    }).flat();
    const judged = await judgedDedup('minhash', all);
    assert.deepEqual(judged.wrong, []);
    assert.ok(judged.recall >= 0.9, `found ${judged.recall} of the copies`);
  });

  it('minhash does not take pages for copies that share their template, or half of their own text, without titles', async () => {
    const menu = proseOf(1, 600);
    const kinds = Array.from({ length: 4 }, (_, kind) => proseOf(10 + kind, 150));
    const all = Array.from({ length: 120 }, (_, n) =>
      labelled(`http://site.test/${n}`, '', `${menu} ${kinds[n % 4]} ${proseOf(100 + n, 150)}`),
    );
    assert.deepEqual((await judgedDedup('minhash', all)).wrong, []);
  });
});

function labelled(url: string, title: string, text: string): LabelledPage {
  return { url, title, text, family: url, isCopy: false };
}

it('no chain of small differences makes a page a copy of an unrelated page', async () => {
  const next = numbers(4);
  let text = proseOf(9, 500);
  const chain: LabelledPage[] = [];
  for (let n = 0; n < 60; n++) {
    chain.push(labelled(`http://a.test/${n}`, 'Minutes', text));
    text = editedText(text, 0.02, next);
  }
  const { wrong } = await judgedDedup('minhash', chain);
  // Each step alone is a near-duplicate of the one before: they were one cluster of 60 when compared with any of it.
  const representatives = new Set(wrong.map(([, representative]) => representative));
  assert.ok(representatives.size >= 4, `${representatives.size} representatives`);
});

it('pages of one host with different titles are different pages, however much text they share', async () => {
  const text = proseOf(5, 400);
  const pages = ['LongStream', 'IntStream', 'DoubleStream'].map((name) =>
    labelled(`http://api.test/${name}`, `${name} (API)`, `${text} ${name}`),
  );
  assert.equal((await judgedDedup('minhash', pages)).reported, 0);
  assert.equal((await judgedDedup('simhash', pages)).reported, 0);
});

it('a mirror that adds its own name to the title is still a near-duplicate', async () => {
  const text = proseOf(6, 400);
  const pages = [
    labelled('http://a.test/x', 'How rivers run - Site A', `${text} a`),
    labelled('http://b.test/x', 'How rivers run - Mirror B', `${text} b`),
  ];
  assert.equal((await judgedDedup('minhash', pages)).reported, 1);
});

it('a store of an older form is emptied and rebuilt; one of another method is refused', async () => {
  const store = createMemoryStore();
  const old = [
    { key: Buffer.from('F'), value: Buffer.from('simhash') },
    { key: Buffer.from('N\0\0\0\0'), value: Buffer.alloc(8) },
    { key: Buffer.from('Uhttp://a.test/'), value: Buffer.from('{}') },
  ];
  await store.write(old);
  const codec = await openCodec(createMemoryRegistry(), 'c');
  const options = {
    ...{ log: { append: async () => [] }, codec, clock: new SystemClock(), store, crawl: 'c', partitions: 1 },
    keyMode: 'host' as const,
    seed: 7,
  };
  await openDedup({ ...options, method: 'simhash' as const });
  const keys: string[] = [];
  for await (const [key] of store.scan({ gte: Buffer.from([0]), lt: Buffer.from([255]) })) keys.push(key.toString());
  assert.deepEqual(keys, ['F']);
  await assert.rejects(openDedup({ ...options, method: 'minhash' as const }), { code: 'DATA_FOLDER_FOREIGN' });
  await openDedup(options);
  assert.equal((await store.get(Buffer.from('F')))?.toString(), 'simhash:3');
});

it('a dedup without a chosen method uses MinHash for a new store, and keeps it', async () => {
  const store = createMemoryStore();
  const codec = await openCodec(createMemoryRegistry(), 'c');
  const options = {
    ...{ log: { append: async () => [] }, codec, clock: new SystemClock(), store, crawl: 'c', partitions: 1 },
    ...{ keyMode: 'host' as const, seed: 7 },
  };
  await openDedup(options);
  assert.equal((await store.get(Buffer.from('F')))?.toString(), 'minhash:3');
  await assert.rejects(openDedup({ ...options, method: 'simhash' as const }), { code: 'DATA_FOLDER_FOREIGN' });
});

it('articles that two domains share are copies, although each page has other menus and advertisements', async () => {
  const next = numbers(8);
  const pageOf = (site: string, n: number, own: string): LabelledPage => ({
    ...labelled(`http://${site}.test/${n}`, `Story ${n} - ${site}`, `${proseOf(site.length, 200)} ${own}`),
    // Advertisements within the text stay in its main text.
    mainText: `${own} ${proseOf(1_000 + next(), 10)}`,
  });
  const all = Array.from({ length: 40 }, (_, n) => {
    const own = proseOf(50 + n, 300);
    const copy = pageOf('second', n, editedText(own, 0.1, next));
    return [pageOf('one', n, own), { ...copy, family: `http://one.test/${n}`, isCopy: true }];
  }).flat();
  const judged = await judgedDedup('minhash', all);
  assert.deepEqual(judged.wrong, []);
  assert.ok(judged.recall >= 0.9, `found ${judged.recall} of the copies`);
  const whole = await judgedDedup(
    'minhash',
    all.map(({ mainText: _, ...page }) => page),
  );
  assert.ok(whole.recall < 0.5, `the whole text finds ${whole.recall}`);
});
