import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pageRecord } from '../../../../lab/pages/page-record.ts';
import { duplicateOf, goneAt, purgeOf, received } from '../../../../lab/pages/records.ts';
import { numbers } from '../../../../lab/web/random.ts';
import type { Duplicate, Page, Result } from '../../../../schemas/types.ts';
import { openDedup } from '../../../../services/extras/dedup/dedup.ts';
import { changesOf, type IndexTopic } from '../../../../services/extras/index/index-change.ts';
import { ftsExpression } from '../../../../services/extras/index/search-query.ts';
import { openSqliteIndex, searchFolder } from '../../../../services/extras/index/sqlite-index.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import type { Received } from '../../../../services/runtime/consumer/received.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

type Record = Received<IndexTopic>;

const page = (name: string, text: string, more: Partial<Page> = {}) =>
  received('pages', pageRecord({ url: `http://www.a.test/${name}`, title: `Page ${name}`, text, ...more }));

async function index(folder: string, records: readonly Record[], pages: readonly Page[] = []): Promise<void> {
  const opened = await openSqliteIndex(folder);
  opened.applyAt(await changesOf(records, async (_, offset) => pages[offset]), []);
  opened.close();
}

const urls = (folder: string, words: string, more = {}) =>
  searchFolder(folder, words, { limit: 100, ...more }).map(({ url }) => url.slice('http://'.length));

describe('the embedded index', () => {
  it('the embedded index finds pages by all their words, better ones first, with the matching passage', async () => {
    const folder = temporaryFolder();
    await index(folder, [
      page('one', `A river of words. ${'Nothing else. '.repeat(40)}`),
      page('two', 'The river bends.', { title: 'River' }),
      page('three', 'No such thing.'),
    ]);
    assert.deepEqual(urls(folder, 'river'), ['www.a.test/two', 'www.a.test/one']);
    assert.deepEqual(urls(folder, 'river words'), ['www.a.test/one']);
    assert.deepEqual(urls(folder, '"river bends"'), ['www.a.test/two']);
    assert.deepEqual(urls(folder, 'riv* -words'), ['www.a.test/two']);
    const [hit] = searchFolder(folder, 'words', { limit: 1 });
    assert.match(hit!.snippet, /^A river of \[words\]\. Nothing/);
  });

  it('the embedded index holds readable pages, and no feeds, data or styles', async () => {
    const folder = temporaryFolder();
    const types = ['text/html', 'application/xhtml+xml', 'text/plain', 'application/pdf', ''];
    const machine = ['application/rss+xml', 'text/xml', 'application/json', 'application/ld+json', 'text/css'];
    await index(
      folder,
      [...types, ...machine].map((contentType, n) => page(`${n}`, 'a river', { contentType })),
    );
    assert.deepEqual(
      urls(folder, 'river').sort(),
      types.map((_, n) => `www.a.test/${n}`),
    );
  });

  it('the embedded index keeps the original page if another domain’s copies claim to be canonical', async () => {
    const folder = temporaryFolder();
    const codec = await openCodec(createMemoryRegistry(), 'c');
    const reported: Duplicate[] = [];
    const dedup = await openDedup({
      ...{ codec, clock: new SystemClock(), store: createMemoryStore(), crawl: 'c', partitions: 1 },
      ...{ keyMode: 'host', method: 'simhash', seed: 1 },
      log: {
        async append(records) {
          for (const { topic, value } of records) {
            if (topic === 'c.duplicates') reported.push(codec.decode('duplicates', value));
          }
          return [];
        },
      },
    });
    const text = 'The river bends where nobody has looked for it. '.repeat(20);
    const thief = 'http://thief.test/river';
    const of = { fetchedAtMs: 20, canonical: thief, url: thief, hostKey: 'thief.test' };
    const records = [page('river', text, { fetchedAtMs: 10 }), page('copy', text, of)];
    await dedup.handle(records as never, { positions: [] });
    assert.ok(reported.length > 0);
    const pages = records.map(({ value }) => value as Page);
    await index(folder, [...records, ...reported.map((one) => received('duplicates', one))], pages);
    assert.deepEqual(urls(folder, 'river'), ['www.a.test/river']);
  });

  it('the embedded index filters by host, with its subdomains, and by language', async () => {
    const folder = temporaryFolder();
    const english = 'the river of the town is not for those who have to go on it and it was so';
    const german = 'der river und die stadt ist nicht für die, die auf ihm fahren und mit ihm gehen';
    await index(folder, [
      page('en', english),
      page('de', german, { url: 'http://b.test:8080/de', hostKey: 'b.test:8080' }),
      page('other', english, { url: 'http://nota.test/', hostKey: 'nota.test' }),
    ]);
    assert.deepEqual(urls(folder, 'river', { host: 'a.test' }), ['www.a.test/en']);
    assert.deepEqual(urls(folder, 'river', { host: 'b.test' }), ['b.test:8080/de']);
    assert.deepEqual(urls(folder, 'river', { host: 'b.test:81' }), []);
    assert.deepEqual(urls(folder, 'river', { language: 'de' }), ['b.test:8080/de']);
  });

  it('the embedded index ranks a page whose title equals the query first, then titles that begin with it', async () => {
    const folder = temporaryFolder();
    const noise = Array.from({ length: 30 }, (_, n) =>
      page(`noise${n}`, 'worker worker worker', { title: `The worker of worker ${n} - The Worker Manual` }),
    );
    const long = 'a page that says much of many other things and little of itself '.repeat(40);
    await index(folder, [
      ...noise,
      page('worker', long, { title: 'Worker - The Manual' }),
      page('class', long, { title: 'Worker (API 17)' }),
    ]);
    assert.deepEqual(urls(folder, 'worker the manual', { limit: 1 }), ['www.a.test/worker']);
    assert.deepEqual(urls(folder, 'Worker', { limit: 2 }).sort(), ['www.a.test/class', 'www.a.test/worker']);
    assert.equal(urls(folder, 'worker -api', { limit: 40 }).length, 31);
    // Words that are the same, and signs that are not.
    await index(folder, [page('a', 'short', { title: 'Worker: C++ /' }), page('b', long, { title: 'Worker: C++' })]);
    assert.deepEqual(urls(folder, 'worker: c++', { limit: 2 }), ['www.a.test/b', 'www.a.test/a']);
    assert.deepEqual(urls(folder, 'Worker (API 17)', { limit: 1 }), ['www.a.test/class']);
  });

  it('the embedded index uses a page’s declared language if its text does not decide', async () => {
    const folder = temporaryFolder();
    await index(folder, [page('nb', 'Elver i byen', { declaredLanguage: 'nb-NO' }), page('none', 'Elver i byen')]);
    assert.deepEqual(urls(folder, 'elver', { language: 'no' }), ['www.a.test/nb']);
  });

  it('the embedded index keeps no trace of purged pages, in its file neither, and accepts none of them again', async () => {
    const folder = temporaryFolder();
    const other = page('kept', 'meadow', { url: 'http://www.a.test.example/', hostKey: 'www.a.test.example' });
    await index(folder, [
      page('one', 'xylophone'),
      page('two', 'zeppelin'),
      goneAt('http://www.a.test/gone', 5),
      other,
    ]);
    await index(folder, [purgeOf('www.a.test', 50, 'http://www.a.test/one')]);
    assert.deepEqual(urls(folder, 'xylophone'), []);
    assert.deepEqual(urls(folder, 'zeppelin'), ['www.a.test/two']);
    const late = page('late', 'xylophone', { fetchedAtMs: 60 });
    const stays = page('stays', 'xylophone', { url: 'http://b.test/', hostKey: 'b.test' });
    await index(folder, [purgeOf('www.a.test', 50), late, goneAt('http://www.a.test/two', 70), stays]);
    assert.deepEqual(urls(folder, 'zeppelin'), []);
    assert.deepEqual(urls(folder, 'xylophone'), ['b.test/']);
    assert.deepEqual(urls(folder, 'meadow'), ['www.a.test.example/']);
    const bytes = readFileSync(join(folder, 'search.sqlite'), 'latin1');
    assert.ok(bytes.includes('meadow') && !bytes.includes('zeppelin') && !bytes.includes('www.a.test/'));
  });

  it('the embedded index excludes noindex pages, gone pages and duplicates; a former duplicate returns', async () => {
    const folder = temporaryFolder();
    const one = page('one', 'river', { fetchedAtMs: 10 });
    const two = page('two', 'river', { fetchedAtMs: 11 });
    await index(folder, [
      one,
      two,
      page('three', 'river', { noindex: true }),
      page('four', 'river', { fetchedAtMs: 12 }),
    ]);
    await index(folder, [
      goneAt('http://www.a.test/four', 20),
      duplicateOf(two.value as Page, 'http://www.a.test/one', 30),
    ]);
    assert.deepEqual(urls(folder, 'river'), ['www.a.test/one']);
    await index(folder, [duplicateOf(two.value as Page, 'http://www.a.test/two', 40)], [two.value as Page]);
    assert.deepEqual(urls(folder, 'river').sort(), ['www.a.test/one', 'www.a.test/two']);
    // A page fetched again after it was gone.
    await index(folder, [page('four', 'river', { fetchedAtMs: 50 })]);
    assert.equal(urls(folder, 'river').length, 3);
  });

  it('the embedded index is the same whatever the order of topics and whatever is read twice', async () => {
    const next = numbers(3);
    const history: Record[] = [];
    for (let n = 0; n < 120; n++) {
      const url = `http://www.a.test/${next() % 12}`;
      const fetchedAtMs = 10 * n;
      const made = pageRecord({ url, title: `v${n}`, text: `river ${n}`, fetchedAtMs, noindex: next() % 9 === 0 });
      const dice = next() % 4;
      if (dice === 0) history.push(goneAt(url, fetchedAtMs));
      else history.push(received('pages', made));
      if (dice === 1) history.push(duplicateOf(made, 'http://www.a.test/x', fetchedAtMs + 1 + (next() % 30)));
    }
    const state = (folder: string) =>
      searchFolder(folder, 'river', { limit: 100 })
        .map(({ url, title }) => `${url} ${title}`)
        .sort();
    const straight = temporaryFolder();
    await index(straight, history);
    assert.ok(state(straight).length > 3);
    for (let round = 0; round < 3; round++) {
      const folder = temporaryFolder();
      for (const topic of ['duplicates', 'pages', 'results'].slice(round)) {
        await index(
          folder,
          history.filter((one) => one.topic === topic),
        );
      }
      for (const one of history.toSorted(() => (next() % 3) - 1)) await index(folder, [one]);
      assert.deepEqual(state(folder), state(straight));
    }
  });

  it('the embedded index stores positions with the data read up to them', async () => {
    const folder = temporaryFolder();
    const opened = await openSqliteIndex(folder);
    const position = { topic: 'c.pages', partition: 3, offset: 7 };
    opened.applyAt(await changesOf([page('one', 'river')], async () => undefined), [position]);
    const broken = [{ kind: 'put', url: 'http://a.test/', version: 1, page: { hostKey: null } }] as never;
    assert.throws(() => opened.applyAt(broken, [{ ...position, offset: 9 }]));
    opened.close();
    const again = await openSqliteIndex(folder);
    assert.equal(await again.positions.load('c.pages', 3), 7);
    assert.equal(await again.positions.load('c.pages', 4), undefined);
    again.close();
  });

  it('the embedded index that does not exist is reported with the remedy', () => {
    assert.throws(() => searchFolder(temporaryFolder(), 'x', { limit: 1 }), /there is no index.*--with index/);
  });
});

it('the embedded index never takes a query for syntax', () => {
  assert.equal(ftsExpression('a AND "b c" NEAR(x)'), '"a" AND "AND" AND "b c" AND "NEAR x"');
  assert.equal(ftsExpression('state-of-the-art -b* title:x'), '("state of the art" AND "title x") NOT ("b"*)');
  for (const nothing of ['', '""', '-a', '* : ^']) assert.throws(() => ftsExpression(nothing), /has no word/);
});

it('the embedded index learns when a page was gone even from a result without requests', async () => {
  const gone = goneAt('http://a.test/', 20);
  const bare = { ...gone, value: { ...(gone.value as Result), requests: [], completedAtMs: 30 } } as Record;
  assert.deepEqual(await changesOf([bare], async () => undefined), [
    { kind: 'delete', url: 'http://a.test/', version: 30 },
  ]);
  const lost = duplicateOf(pageRecord({ url: 'http://a.test/' }), 'http://a.test/', 5) as Record & { value: Duplicate };
  assert.deepEqual(await changesOf([lost], async () => undefined), []);
});
