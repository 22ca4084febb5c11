/** Reads of a crawl's topics about one URL, page or host. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DroppedLink,
  droppedLinks,
  followedLinks,
  pageThatLeftOut,
} from '../../../../services/runtime/crawl/dropped-links.ts';
import { finishedUrls } from '../../../../services/runtime/crawl/finished-urls.ts';
import { hostFailures } from '../../../../services/runtime/crawl/host-failures.ts';
import { leftOutText } from '../../../../services/runtime/crawl/left-out.ts';
import { nofollowPages } from '../../../../services/runtime/crawl/nofollow-pages.ts';
import { addTakenBack } from '../../../../services/runtime/crawl/taken-back.ts';
import { linksTo } from '../../../../services/runtime/crawl/url-links.ts';
import type { Change } from '../../../../topology/frontier/changes/changes.ts';
import { compilePolicy, defaultPolicy } from '../../../../topology/policy/policy.ts';
import { hostKeyOf, partitionKeyOf } from '../../../../topology/url/host-key.ts';
import { partitionOf } from '../../../../topology/url/partition.ts';
import { everyChange } from '../../../topology/frontier/changes/every-change.ts';
import { memoryCrawl } from '../../cli/inspect/memory-crawl.ts';

const partitions = 4;
const partitionFor = (host: string) => partitionOf(partitionKeyOf(host, 'host'), partitions);
/** Two hosts of different partitions, neither of them the first or the last. */
const [own, other] = pairOfHosts();

function pairOfHosts(): readonly [string, string] {
  const names = Array.from({ length: 100 }, (_, n) => `h${n}.test`).filter((name) =>
    [1, 2].includes(partitionFor(name)),
  );
  const second = names.find((name) => partitionFor(name) !== partitionFor(names[0]!));
  return [names[0]!, second!];
}

const withoutFragment = (url: string) => (url.startsWith('http') ? url.replace(/#.*/, '') : null);

test('links to a URL are listed oldest first in each spelling that is the same page, with their pages', async () => {
  const { crawl, discovered, close } = await memoryCrawl(partitions);
  const url = `http://${own}/x?a=1`;
  const other = `http://${own}/y`;
  await discovered(own, [url, other], { sourceUrl: 'http://s.test/1', depth: 2, hop: 1, discoveredAtMs: 10 });
  await discovered(own, [other, `${url}#part`, 'ftp://x/'], { sourceUrl: 'http://s.test/2', discoveredAtMs: 11 });
  await discovered(own, [`http://${own}/x?a=1&b=`], { discoveredAtMs: 12 });
  await discovered(own, [`http://${own}/x?a=1&a=1`], { intent: 'refresh', discoveredAtMs: 13 });
  const linksOf = (most: number) => linksTo(crawl.log, crawl.codec, crawl.topics, url, withoutFragment, most);
  const plain = { sourceUrl: '', depth: 0, hop: 0, intent: 'discover', lastModifiedMs: 0 };
  const all = [
    { ...plain, url, sourceUrl: 'http://s.test/1', depth: 2, hop: 1, foundAtMs: 10 },
    { ...plain, url: `${url}#part`, sourceUrl: 'http://s.test/2', foundAtMs: 11 },
    { ...plain, url: `${url}&a=1`, intent: 'refresh', foundAtMs: 13 },
  ];
  assert.deepEqual(await linksOf(9), all);
  assert.deepEqual(await linksOf(3), all);
  assert.deepEqual(await linksOf(2), all.slice(0, 2));
  await close();
});

test('a page forbids a link for this link alone, or for all of its links; its newest record counts', async () => {
  const { crawl, page, close } = await memoryCrawl(partitions);
  const url = 'http://c.test/x';
  await page({ url: `http://${own}/1`, nofollowed: [url, 'http://c.test/y'], nofollow: true });
  await page({ url: `http://${own}/2`, nofollowed: ['http://c.test/xy'] });
  await page({ url: `http://${own}/3`, outlinks: [url] });
  await page({ url: `http://${other}/`, nofollowed: [url] });
  await page({ url: `http://${own}/1`, nofollowed: [url] });
  const pagesOf = (most: number) => nofollowPages(crawl.log, crawl.codec, crawl.topics, url, most);
  const all = [
    { page: `http://${own}/1`, whole: false },
    { page: `http://${other}/`, whole: false },
  ];
  const byName = (pages: Awaited<ReturnType<typeof pagesOf>>) => pages.toSorted((a, b) => (a.page < b.page ? -1 : 1));
  assert.deepEqual(byName(await pagesOf(9)), byName(all));
  assert.equal((await pagesOf(1)).length, 1);
  await page({ url: `http://${own}/1`, nofollowed: [url], nofollow: true });
  assert.equal((await pagesOf(9)).find((one) => one.page === `http://${own}/1`)?.whole, true);
  await close();
});

test('the newest failure of a host counts until the host answers, by any request', async () => {
  const { crawl, result, readings, close } = await memoryCrawl(partitions);
  const failures = async (only?: string) => {
    readings.splice(0);
    return Object.fromEntries(await hostFailures(crawl.log, crawl.codec, crawl.topics, only));
  };
  await result({ url: `http://${own}/`, kind: 'dnsFailed', detail: 'no such name' }, 1);
  await result({ url: `http://${own}/`, kind: 'connectionFailed', detail: 'refused' }, 2);
  await result({ url: `http://${other}/`, kind: 'tlsFailed', detail: 'expired' }, 3);
  const ofOwn = { [own]: { kind: 'connectionFailed', detail: 'refused', atMs: 2 } };
  const ofOther = { [other]: { kind: 'tlsFailed', detail: 'expired', atMs: 3 } };
  assert.deepEqual(await failures(), { ...ofOwn, ...ofOther });
  assert.deepEqual(await failures(own), ofOwn);
  assert.equal(readings.length, 1, 'only the partition of the host is read');
  // It says nothing of the host.
  await result({ url: `http://${own}/x`, kind: 'robotsDenied' }, 4);
  assert.deepEqual(await failures(own), ofOwn);
  await result({ url: `http://${own}/x`, kind: 'gone', status: 404 }, 5);
  assert.deepEqual(await failures(), ofOther);
  await result({ url: `http://${own}/`, kind: 'dnsFailed', detail: 'again' }, 6);
  assert.deepEqual(Object.keys(await failures(own)), [own]);
  await close();
});

async function all(links: AsyncIterable<DroppedLink>): Promise<DroppedLink[]> {
  const found: DroppedLink[] = [];
  for await (const link of links) found.push(link);
  return found.sort((a, b) => (a.url < b.url ? -1 : 1));
}

test('a link that is not followed has its rule: of the policy, of a trap, or of a plugin', async () => {
  const { crawl, discovered, result, commit, readings, close } = await memoryCrawl(partitions);
  const policy = compilePolicy({ ...defaultPolicy(), filters: { ...defaultPolicy().filters, exclude: ['no$'] } });
  const source = { log: crawl.log, codec: crawl.codec, topics: crawl.topics, policy };
  const group = { sourceUrl: `http://${other}/`, discoveredAtMs: 7 };
  await discovered(own, [`http://${own}/yes`, `http://${own}/no`], group);
  await discovered(other, [`http://${other}/no`, `http://${other}/yes`]);
  await commit(own, [
    { kind: 'trap', hostKey: own, pattern: '/cal/#', reason: 'calendar', detail: '', frontQueue: 16 },
    {
      ...{ kind: 'admit', hostKey: own, known: false },
      entries: [{ url: `http://${own}/cal/1`, depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue: 16 }],
    },
  ] satisfies Change[]);
  const detail = leftOutText([{ plugin: 'mine', links: 2, urls: [`http://${own}/ad`, `http://${other}/ad`] }]);
  await result({ url: `http://${other}/`, kind: 'fetched', status: 200, detail }, 8);
  const ofOwn = [
    { url: `http://${own}/ad`, rule: 'plugin', detail: 'mine', sourceUrl: `http://${other}/`, atMs: 8 },
    { url: `http://${own}/cal/1`, rule: 'trap', detail: '/cal/#', sourceUrl: '', atMs: 5_000 },
    { url: `http://${own}/no`, rule: 'exclude', detail: 'no$', sourceUrl: `http://${other}/`, atMs: 7 },
  ];
  assert.deepEqual(await all(droppedLinks(source, own)), ofOwn);
  assert.deepEqual(
    (await all(droppedLinks(source, ''))).map(({ url }) => url),
    [...ofOwn.map(({ url }) => url), `http://${other}/ad`, `http://${other}/no`].sort(),
  );
  readings.splice(0);
  assert.deepEqual(await all(followedLinks(source, own)), [
    { url: `http://${own}/yes`, rule: 'followed', detail: '', sourceUrl: `http://${other}/`, atMs: 7 },
  ]);
  assert.deepEqual(readings, ['c.discovered']);
  assert.deepEqual(
    (await all(followedLinks(source, ''))).map(({ url }) => url),
    [`http://${own}/yes`, `http://${other}/yes`].sort(),
  );
  const pageOf = (url: string) => pageThatLeftOut(source, url);
  assert.deepEqual(await pageOf(`http://${own}/ad`), { plugin: 'mine', page: `http://${other}/` });
  assert.equal(await pageOf(`http://${own}/a`), null);
  assert.equal(await pageOf(`http://${other}/`), null);
  await close();
});

test('finished URLs are read from the partition of a host, or from all', async () => {
  const { crawl, commit, readings, close } = await memoryCrawl(partitions);
  const { record } = everyChange.abandon[0]!;
  for (const host of [own, other])
    await commit(host, [{ kind: 'abandon', hostKey: host, record: { ...record, url: `http://${host}/` } }]);
  const urlsOf = async (hostKey: string) => {
    const found = await finishedUrls(crawl.log, crawl.topics, { hostKey, prefix: '', outcome: null });
    return found.map(({ url }) => hostKeyOf(url)).sort();
  };
  readings.splice(0);
  assert.deepEqual(await urlsOf(own), [own]);
  assert.equal(readings.length, 1);
  assert.deepEqual(await urlsOf(''), [own, other].sort());
  await close();
});

test('a deleted page has the offset of its newest tombstone, and reading continues where it ended', async () => {
  const { crawl, page, takenBack, close } = await memoryCrawl();
  const urls = ['http://a.test/1', 'http://a.test/2'] as const;
  const found = new Map<string, number>();
  const add = (from?: number) => addTakenBack(crawl.log, 'c', 0, found, from);
  await page({ url: urls[0] });
  await takenBack(urls[0]);
  assert.equal(await add(), 2);
  assert.deepEqual([...found], [[urls[0], 1]]);
  await page({ url: urls[0] });
  await takenBack(urls[0]);
  await takenBack(urls[1]);
  found.clear();
  assert.equal(await add(4), 5);
  assert.deepEqual([...found], [[urls[1], 4]]);
  assert.equal(await add(2), 5);
  assert.deepEqual(
    new Map(found),
    new Map([
      [urls[1], 4],
      [urls[0], 3],
    ]),
  );
  await close();
});
