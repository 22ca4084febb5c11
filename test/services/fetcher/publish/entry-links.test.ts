/** Entries of sitemaps and feeds as links: what of them is published, and how. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LinkHooks } from '../../../../services/fetcher/hooks/run-hooks.ts';
import { type EntryOrigin, gatherEntries } from '../../../../services/fetcher/publish/entry-links.ts';
import { createLinkCache } from '../../../../services/fetcher/publish/link-cache.ts';
import type { LinkMaker } from '../../../../services/fetcher/publish/page-links.ts';
import type { SitemapEntry } from '../../../../topology/parse/sitemap.ts';

const cache = () => createLinkCache(1_024);
const normalize = (url: string) => (url.startsWith('http') ? url.toLowerCase() : null);
const lists: EntryOrigin = { depth: 2, share: 0, foundIn: 'sitemap', speaksFor: () => true };
const entry = (url: string, lastModifiedMs = 0): SitemapEntry => ({ url, lastModifiedMs, coverage: 'covered' });

function gather(entries: readonly SitemapEntry[], more: Partial<EntryOrigin> = {}, maker: Partial<LinkMaker> = {}) {
  const links: LinkMaker = { normalize, cache: cache(), ...maker };
  const source = links.cache.source('of.test');
  const origin = { url: 'http://of.test/map', sourceKey: 'of.test', source, atMs: 77, traceparent: 'x', tags: ['t'] };
  return gatherEntries(links, origin, entries, { ...lists, ...more });
}

const shown = ({ groups }: ReturnType<typeof gather>) =>
  groups.map(({ intent, hostKey, links }) => [
    intent,
    hostKey,
    links.map(({ url, lastModifiedMs }) => [url, lastModifiedMs]),
  ]);

test('links of a sitemap are grouped by host, and apart if their dates count', () => {
  const found = gather([
    entry('http://a.test/1', 5),
    entry('http://b.test/1'),
    entry('http://a.test/2'),
    entry('http://a.test/3', 6),
    entry('ftp://a.test/'),
  ]);
  assert.deepEqual(shown(found), [
    [
      'refresh',
      'a.test',
      [
        ['http://a.test/1', 5],
        ['http://a.test/3', 6],
      ],
    ],
    ['discover', 'b.test', [['http://b.test/1', 0]]],
    ['discover', 'a.test', [['http://a.test/2', 0]]],
  ]);
  assert.equal(found.count, 4);
  const { links: _, ...group } = found.groups[0]!;
  assert.deepEqual(group, {
    ...{ hostKey: 'a.test', sourceUrl: 'http://of.test/map', sourceKey: 'of.test', depth: 2, hop: 0, front: false },
    ...{ intent: 'refresh', discoveredAtMs: 77, share: 0, traceparent: '', payload: '', foundIn: 'sitemap' },
    tags: ['t'],
  });
});

test('a list loses its dates, or its pages, if it has no authority for them', () => {
  const speaksFor = ({ url }: SitemapEntry) => (url.includes('mine') ? true : url.includes('other') ? null : false);
  const all = ['http://a.test/mine', 'http://a.test/known', 'http://a.test/other'].map((url) => entry(url, 5));
  const found = gather(all, { speaksFor });
  assert.deepEqual(shown(found), [
    ['refresh', 'a.test', [['http://a.test/mine', 5]]],
    ['discover', 'a.test', [['http://a.test/known', 0]]],
  ]);
  assert.equal(found.count, 2);
});

test('recently published links are left out, except those with a date or cash', () => {
  const links = { cache: cache() };
  const both = [entry('http://a.test/plain'), entry('http://a.test/dated', 5)];
  const first = gather(both, {}, links);
  assert.equal(first.pending.length, 3, 'a dated one is not remembered');
  links.cache.remember(first.pending);
  const again = gather(both, {}, links);
  assert.deepEqual(shown(again), [['refresh', 'a.test', [['http://a.test/dated', 5]]]]);
  assert.deepEqual([again.count, again.pending], [2, []]);
  const paid = gather(both, { share: 0.5 }, links);
  assert.deepEqual([paid.groups.map(({ share }) => share), paid.pending], [[0.5, 0.5], []]);
});

test('plugins drop links and set priorities, and spellings are published if they are wanted', () => {
  const asked: unknown[] = [];
  const hooks = {
    normalize: (url: string) => url,
    refuses: (link: { readonly url: string }) => {
      asked.push(link);
      return link.url.includes('ad') ? 'no-ads' : null;
    },
    priority: ({ url }: { readonly url: string }) => (url.includes('first') ? 1 : null),
  } as unknown as LinkHooks;
  const entries = [entry('http://a.test/FIRST'), entry('http://a.test/ad'), entry('http://a.test/x')];
  const found = gather(entries, {}, { hooks, spellings: () => true });
  assert.deepEqual([...found.leftOut], [['no-ads', { links: 1, urls: ['http://a.test/ad'] }]]);
  const links = found.groups.flatMap((group) => group.links);
  assert.deepEqual(
    links.map(({ priority, spelling }) => [priority, spelling]),
    [
      [1, '/FIRST'],
      [-1, ''],
    ],
  );
  assert.deepEqual(asked[0], { url: 'http://a.test/first', depth: 2, sourceUrl: 'http://of.test/map' });
  for (const spellings of [undefined, () => false]) {
    const [plain] = gather(entries, {}, spellings === undefined ? {} : { spellings }).groups;
    assert.equal(plain!.links[0]!.spelling, '');
  }
});
