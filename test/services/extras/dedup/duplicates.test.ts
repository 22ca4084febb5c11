/** Duplicate pages as people see them: kinds, counts and clusters, from the verdicts of the dedup. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listDuplicates } from '../../../../services/extras/dedup/command/list-duplicates.ts';
import { DuplicateCounts, duplicatePagesText } from '../../../../services/runtime/crawl/duplicate-counts.ts';
import { memoryCrawl } from '../../cli/inspect/memory-crawl.ts';

const all = { hostKey: '', limit: 10 };

test('duplicate pages are counted by kind, each URL by its newest verdict', async () => {
  const { crawl, verdict, close } = await memoryCrawl(3);
  const counts = new DuplicateCounts(crawl);
  assert.equal(await counts.look(), null);
  await verdict('http://a.test/2', 'http://a.test/1');
  await verdict('http://a.test/3', 'http://a.test/1', { method: 'minhash' });
  // Another host of the same domain is no syndication; another domain is, even with equal bytes.
  await verdict('http://www.a.test/1', 'http://a.test/1');
  await verdict('http://b.test/1', 'http://a.test/1');
  await verdict('http://b.test/2', 'http://a.test/1', { method: 'simhash' });
  assert.deepEqual(await counts.look(), { exact: 2, near: 1, syndicated: 2 });
  await verdict('http://a.test/2', 'http://a.test/2', { method: 'none', atMs: 2 });
  await verdict('http://b.test/1', 'http://b.test/2', { method: 'minhash', atMs: 2 });
  assert.deepEqual(await counts.look(), { exact: 1, near: 2, syndicated: 1 });
  assert.equal(duplicatePagesText(await counts.look()), '4 duplicate pages: 1 exact, 2 near, 1 syndicated');
  await close();
});

test('a count of duplicate pages beyond its limit says that there are more', async () => {
  const { crawl, verdict, close } = await memoryCrawl();
  for (let n = 1; n <= 4; n++) await verdict(`http://a.test/${n}`, 'http://a.test/0');
  const counted = await new DuplicateCounts(crawl, 3).look();
  assert.deepEqual(counted, { exact: 3, near: 0, syndicated: 0, isLeast: true });
  assert.equal(duplicatePagesText(counted), 'at least 3 duplicate pages: 3 exact');
  await close();
});

test('clusters are listed by size, with the kind of each page, and by host', async () => {
  const { crawl, verdict, close } = await memoryCrawl(3);
  assert.equal((await listDuplicates(crawl, all)).isDeduped, false);
  await verdict('http://small.test/2', 'http://small.test/1', { method: 'minhash' });
  for (const host of ['b', 'c', 'd']) await verdict(`http://${host}.test/copy`, 'http://first.test/story');
  await verdict('http://first.test/print', 'http://first.test/story');
  await verdict('http://gone.test/2', 'http://gone.test/1');
  await verdict('http://gone.test/2', 'http://gone.test/2', { method: 'none', atMs: 2 });
  const { clusters, duplicates, listed } = await listDuplicates(crawl, all);
  assert.equal(clusters, 2);
  assert.deepEqual(duplicates, { exact: 1, near: 1, syndicated: 3 });
  assert.deepEqual(
    listed.map(({ representative }) => representative),
    ['http://first.test/story', 'http://small.test/1'],
  );
  assert.deepEqual(
    listed[0]!.pages.map(({ url, kind }) => `${kind} ${url}`),
    [
      'syndicated http://b.test/copy',
      'syndicated http://c.test/copy',
      'syndicated http://d.test/copy',
      'exact http://first.test/print',
    ],
  );
  assert.equal((await listDuplicates(crawl, { ...all, limit: 1 })).listed.length, 1);
  assert.equal((await listDuplicates(crawl, { ...all, hostKey: 'c.test' })).clusters, 1);
  assert.equal((await listDuplicates(crawl, { ...all, hostKey: 'first.test' })).clusters, 1);
  const typo = await listDuplicates(crawl, { ...all, hostKey: 'smal.test' });
  assert.deepEqual([typo.clusters, typo.similarHost, typo.isDeduped], [0, 'small.test', true]);
  await close();
});

test('a purged host is in no list and no count of duplicates', async () => {
  const { crawl, verdict, purge, close } = await memoryCrawl();
  await verdict('http://b.test/1', 'http://a.test/1');
  await verdict('http://c.test/1', 'http://a.test/1');
  await purge('c.test', 5);
  assert.deepEqual(await new DuplicateCounts(crawl).look(), { exact: 0, near: 0, syndicated: 1 });
  assert.deepEqual((await listDuplicates(crawl, all)).duplicates, { exact: 0, near: 0, syndicated: 1 });
  await close();
});
