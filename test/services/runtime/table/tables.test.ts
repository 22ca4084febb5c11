/** Tables of a crawl’s URLs and duplicates, from its topics. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import type { Outcome } from '../../../../schemas/types.ts';
import { readPurges } from '../../../../services/runtime/crawl/purges.ts';
import { clustersOf, duplicatesTable } from '../../../../services/runtime/table/duplicates-table.ts';
import type { Table } from '../../../../services/runtime/table/table.ts';
import { urlsTable } from '../../../../services/runtime/table/urls-table.ts';
import type { UrlRecord } from '../../../../topology/frontier/changes/changes.ts';
import { hostKeyOf } from '../../../../topology/url/host-key.ts';
import { memoryCrawl } from '../../cli/inspect/memory-crawl.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

type Crawl = Awaited<ReturnType<typeof memoryCrawl>>;

async function sourceOf({ crawl }: Crawl) {
  const { log, codec, topics } = crawl;
  return { log, codec, crawl: 'c', partitions: 1, purges: await readPurges(log, codec, topics) };
}

/** Rows as objects, without what is null. */
async function rowsOf({ columns, rows }: Table) {
  const all: Record<string, unknown>[] = [];
  for await (const row of rows)
    all.push(Object.fromEntries(columns.flatMap(({ name }, at) => (row[at] === null ? [] : [[name, row[at]]]))));
  return all;
}

const noneUnreadable = () => assert.fail('a record cannot be read');

test('a table of URLs has the newest outcome of each, in the order of URLs, and leaves no file', async () => {
  const memory = await memoryCrawl();
  const folder = temporaryFolder();
  await memory.result(
    { url: 'http://b.test/', kind: 'fetched', status: 200, bytes: 7, contentHash: 'ab', links: 3, tags: ['x', 'y'] },
    10,
  );
  await memory.result({ url: 'http://a.test/', kind: 'redirect', status: 301, redirectUrl: 'http://b.test/' }, 11);
  await memory.result({ url: 'http://b.test/', kind: 'clientError', status: 404, soft404: true, detail: 'gone' }, 12);
  await memory.result({ url: 'http://b.test/', kind: 'returned' }, 13);
  await memory.result({ url: 'http://c.test/', kind: 'fetched', status: 200 }, 14);
  await memory.purge('c.test', 20);
  const none = { bytes: 0, links: 0, noindex: false, soft404: false };
  assert.deepEqual(await rowsOf(urlsTable(await sourceOf(memory), folder, noneUnreadable)), [
    {
      ...{ url: 'http://a.test/', host: 'a.test', outcome: 'redirect', status: 301, at: 11 },
      ...{ ...none, redirectUrl: 'http://b.test/' },
    },
    {
      ...{ url: 'http://b.test/', host: 'b.test', outcome: 'clientError', status: 404, at: 12 },
      ...{ ...none, soft404: true, detail: 'gone' },
    },
  ]);
  assert.deepEqual(readdirSync(folder), []);
  await memory.close();
});

test('a table of URLs has all that a result says, and tags as JSON', async () => {
  const memory = await memoryCrawl();
  const outcome: Partial<Outcome> & { readonly url: string } = {
    ...{ url: 'http://b.test/', kind: 'fetched', status: 200, bytes: 7, contentHash: 'ab', links: 3 },
    ...{ noindex: true, tags: ['x', 'y'] },
  };
  await memory.result(outcome, 10);
  assert.deepEqual(await rowsOf(urlsTable(await sourceOf(memory), temporaryFolder(), noneUnreadable)), [
    {
      ...{
        url: 'http://b.test/',
        host: 'b.test',
        outcome: 'fetched',
        status: 200,
        at: 10,
        bytes: 7,
        contentHash: 'ab',
      },
      ...{ links: 3, noindex: true, soft404: false, tags: '["x","y"]' },
    },
  ]);
  await memory.close();
});

test('a URL that was given up with its host is in the table, unless it had an outcome of a request', async () => {
  const memory = await memoryCrawl();
  await memory.result({ url: 'http://a.test/1', kind: 'timeout' }, 10);
  const record: Omit<UrlRecord, 'url'> = {
    ...({ status: 'dead', outcome: 'dnsFailed' } as const),
    ...{ httpStatus: 0, atMs: 20, attempts: 1, depth: 0 },
    ...{ etag: '', lastModified: '', contentHash: '', soft404: false },
  };
  for (const name of ['1', '2'])
    await memory.commit('a.test', [
      { kind: 'abandon', hostKey: 'a.test', record: { ...record, url: `http://a.test/${name}` } },
    ]);
  const rows = await rowsOf(urlsTable(await sourceOf(memory), temporaryFolder(), noneUnreadable));
  assert.deepEqual(
    rows.map(({ url, outcome, at, detail }) => [url, outcome, at, detail]),
    [
      ['http://a.test/1', 'timeout', 10, undefined],
      ['http://a.test/2', 'dnsFailed', 20, 'given up with its host'],
    ],
  );
  await memory.close();
});

test('a table of duplicates has the newest verdict on each page, and none of pages that stand for themselves', async () => {
  const memory = await memoryCrawl();
  await memory.verdict('http://a.test/1', 'http://a.test/0', { atMs: 1 });
  await memory.verdict('http://a.test/2', 'http://a.test/0', { method: 'simhash', atMs: 2 });
  await memory.verdict('http://b.test/', 'http://a.test/0', { atMs: 3 });
  await memory.verdict('http://a.test/1', 'http://a.test/1', { atMs: 4 });
  await memory.verdict('http://c.test/', 'http://a.test/0', { atMs: 5 });
  await memory.purge('c.test', 20);
  const table = () => sourceOf(memory).then((source) => duplicatesTable(source, temporaryFolder(), noneUnreadable));
  assert.deepEqual(await rowsOf(await table()), [
    {
      ...{ url: 'http://a.test/2', host: 'a.test', duplicateOf: 'http://a.test/0', kind: 'near', method: 'simhash' },
      ...{ language: 'en', at: 2 },
    },
    {
      ...{ url: 'http://b.test/', host: 'b.test', duplicateOf: 'http://a.test/0', kind: 'syndicated', method: 'exact' },
      ...{ language: 'en', at: 3 },
    },
  ]);
  await memory.close();
});

test('clusters have all their counts, the first of their pages, and are wanted if a page is on the wanted host', async () => {
  const memory = await memoryCrawl();
  for (const name of ['1', '2', '3']) await memory.verdict(`http://a.test/${name}`, 'http://a.test/0');
  await memory.verdict('http://b.test/', 'http://a.test/0');
  await memory.verdict('http://d.test/1', 'http://d.test/0');
  const clusters = async (hostKey: string, pagesMax: number) => {
    const table = duplicatesTable(await sourceOf(memory), temporaryFolder(), noneUnreadable);
    const all = [];
    for await (const one of clustersOf(table, temporaryFolder(), { hostKey, hostOf: hostKeyOf, pagesMax }))
      all.push([one.representative, one.pages.map(({ url }) => url), { ...one.counts }, [...one.hosts], one.isWanted]);
    return all;
  };
  const pages = ['http://a.test/1', 'http://a.test/2', 'http://a.test/3', 'http://b.test/'];
  const counts = { exact: 3, near: 0, syndicated: 1 };
  const other = ['http://d.test/0', ['http://d.test/1'], { exact: 1, near: 0, syndicated: 0 }, ['d.test']];
  assert.deepEqual(await clusters('', 9), [
    ['http://a.test/0', pages, counts, ['a.test', 'b.test'], true],
    [...other, true],
  ]);
  assert.deepEqual(await clusters('b.test', 2), [
    ['http://a.test/0', pages.slice(0, 2), counts, ['a.test'], true],
    [...other, false],
  ]);
  assert.deepEqual(
    (await clusters('d.test', 9)).map((one) => one.at(-1)),
    [false, true],
  );
  await memory.close();
});
