/** Which groups the links of a page make, and which links are none. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FoundIn, LinkGroup } from '../../../../schemas/types.ts';
import type { LinkHooks } from '../../../../services/fetcher/hooks/run-hooks.ts';
import { createLinkCache } from '../../../../services/fetcher/publish/link-cache.ts';
import { gatherLinks, type LinkMaker, readLink } from '../../../../services/fetcher/publish/page-links.ts';

const plain = { depth: 2, hop: 0, front: false, share: 0 };
const cache = () => createLinkCache(64);
const normalize = (url: string) => (url.startsWith('http') ? url.replace(/#.*/, '') : null);
const makerOf = (more: Partial<LinkMaker> = {}): LinkMaker => ({ normalize, cache: cache(), ...more });
const originOf = ({ cache }: LinkMaker) => ({
  ...{ url: 'http://s.test/', sourceKey: 's.test', source: cache.source('s.test'), atMs: 9 },
  ...{ traceparent: 'trace', tags: ['t'] },
});
const gather = (maker: LinkMaker, urls: readonly string[], on = plain, places?: ReadonlyMap<string, FoundIn>) =>
  gatherLinks(maker, originOf(maker), urls, on, places);
const reported = (groups: readonly LinkGroup[]) =>
  groups.map(({ hostKey, foundIn, links }) => `${hostKey} ${foundIn}: ${links.map(({ url }) => url).join(' ')}`);

/** A plugin that wants no URL with `no`, reads `x:` as `http:`, and prefers those with `best`. */
function plugin() {
  const asked: unknown[] = [];
  const hooks = {
    normalize: (url: string) => (url.includes('null') ? null : url.replace(/^x:/, 'http:')),
    refuses: (link: { readonly url: string }) => {
      asked.push(link);
      return link.url.includes('no') ? 'mine' : null;
    },
    priority: ({ url }: { readonly url: string }) => (url.includes('best') ? 7 : null),
  } as unknown as LinkHooks;
  return { hooks, asked };
}

describe('links of a page', () => {
  it('links of a page are grouped by host and by position on the page', () => {
    const places = new Map<string, FoundIn>([
      ['http://a.test/1', 'content'],
      ['http://a.test/3#x', 'content'],
      ['http://a.test/2', 'navigation'],
    ]);
    const urls = [
      'http://a.test/1',
      'http://b.test/1',
      'http://a.test/2',
      'mailto:x',
      'http://a.test/3#x',
      'http://b.test/2',
    ];
    const { groups, count } = gather(makerOf(), urls, plain, places);
    assert.deepEqual(reported(groups), [
      'a.test content: http://a.test/1 http://a.test/3',
      'b.test unknown: http://b.test/1 http://b.test/2',
      'a.test navigation: http://a.test/2',
    ]);
    assert.equal(count, 5);
    assert.deepEqual(gather(makerOf(), []), { groups: [], pending: [], count: 0, leftOut: new Map() });
  });

  it('links of a page carry their source, depth and cash', () => {
    const { groups } = gather(makerOf(), ['http://a.test/1'], { depth: 3, hop: 1, front: true, share: 4 });
    assert.deepEqual(groups, [
      {
        ...{ hostKey: 'a.test', sourceUrl: 'http://s.test/', sourceKey: 's.test', depth: 3, hop: 1, front: true },
        ...{ intent: 'discover', discoveredAtMs: 9, share: 4, traceparent: 'trace', payload: '', foundIn: 'unknown' },
        ...{ tags: ['t'], links: [{ url: 'http://a.test/1', lastModifiedMs: 0, priority: -1, spelling: '' }] },
      },
    ]);
  });

  it('links of a page are published once, except redirects and links with cash; all are counted', () => {
    const maker = makerOf();
    const urls = ['http://a.test/1', 'http://a.test/2'];
    const first = gather(maker, urls);
    assert.equal(first.pending.length > 0, true);
    maker.cache.remember(first.pending);
    const again = gather(maker, urls);
    assert.deepEqual([again.groups, again.pending, again.count], [[], [], 2]);
    for (const on of [
      { ...plain, hop: 1 },
      { ...plain, share: 0.5 },
    ]) {
      const { groups, pending, count } = gather(maker, urls, on);
      assert.deepEqual(
        [reported(groups), pending, count],
        [['a.test unknown: http://a.test/1 http://a.test/2'], [], 2],
      );
    }
  });

  it('links of a page carry their first spelling if that is wanted', () => {
    const spelt = (more: Partial<LinkMaker>) => {
      const maker = makerOf({ normalize: (url) => url.replace('?', ''), ...more });
      return gather(maker, ['http://a.test/x?', 'http://a.test/y']).groups[0]!.links.map(({ spelling }) => spelling);
    };
    assert.deepEqual(spelt({ spellings: () => true }), ['/x?', '']);
    assert.deepEqual(spelt({ spellings: () => false }), ['', '']);
    assert.deepEqual(spelt({}), ['', '']);
  });

  it('links of a page are those that plugins keep, as plugins spell them', () => {
    const { hooks, asked } = plugin();
    const urls = [
      'x://a.test/1',
      'http://a.test/no',
      'http://a.test/null',
      'mailto:no',
      'http://a.test/best',
      'http://a.test/no2',
    ];
    const { groups, leftOut, count } = gather(makerOf({ hooks }), urls);
    assert.deepEqual(
      groups[0]!.links.map(({ url, priority }) => [url, priority]),
      [
        ['http://a.test/1', -1],
        ['http://a.test/best', 7],
      ],
    );
    assert.deepEqual(
      [[...leftOut], count],
      [[['mine', { links: 2, urls: ['http://a.test/no', 'http://a.test/no2'] }]], 2],
    );
    assert.deepEqual(asked[0], { url: 'http://a.test/1', depth: 2, sourceUrl: 'http://s.test/' });
  });

  it('redirect targets are not passed to link hooks', () => {
    const { hooks, asked } = plugin();
    const { groups, leftOut } = gather(makerOf({ hooks }), ['http://a.test/no-best'], { ...plain, hop: 1 });
    assert.deepEqual(reported(groups), ['a.test unknown: http://a.test/no-best']);
    assert.deepEqual([groups[0]!.links[0]!.priority, leftOut.size, asked], [-1, 0, []]);
  });
});

describe('one link', () => {
  it('one link is read by the plugins, or left as it is', () => {
    const { hooks } = plugin();
    const from = { depth: 0, sourceUrl: '' };
    const leftOut = new Map();
    const read = (maker: LinkMaker, url: string) => readLink(maker, url, from, leftOut);
    assert.deepEqual([read(makerOf(), 'http://a.test/no'), read(makerOf(), 'x:a')], ['http://a.test/no', null]);
    const urls = ['http://a.test/#y', 'http://null/', 'x:no', 'mailto:x'];
    assert.deepEqual(
      urls.map((url) => read(makerOf({ hooks }), url)),
      ['http://a.test/', null, null, null],
    );
    assert.deepEqual([...leftOut], [['mine', { links: 1, urls: ['http:no'] }]]);
  });
});
