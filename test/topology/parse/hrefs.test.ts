/** A page's links, gathered as written. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FoundIn } from '../../../schemas/types.ts';
import { createHrefs, resolveHttp } from '../../../topology/parse/hrefs.ts';
import { parseLimits } from '../../../topology/parse/parse-limits.ts';

const page = 'https://a.test/d/page';

function resolved(hrefs: readonly (string | readonly [href: string, place: FoundIn])[], linksMax = 10, base = page) {
  const collector = createHrefs(linksMax);
  for (const one of hrefs) {
    if (typeof one === 'string') collector.add(one);
    else collector.add(...one);
  }
  const { links, places, dropped } = collector.resolve(base, page);
  return { links, places: [...places], dropped };
}

describe('the links of a page', () => {
  it('the links of a page are listed once each, in page order, without blanks and fragments, http and https only', () => {
    const hrefs = [' 1 ', '/2#x', '#top', '1', '../d/1#y', 'mailto:a@a.test', 'http://[', '//b.test', 'ftp://a.test/'];
    assert.deepEqual(resolved(hrefs), {
      links: ['https://a.test/d/1', 'https://a.test/2', page, 'https://b.test/'],
      places: [],
      dropped: 0,
    });
    assert.deepEqual(resolved(['1'], 10, 'https://c.test/e/').links, ['https://c.test/e/1']);
    assert.equal(resolveHttp('javascript:x', page), null);
  });

  it('the links of a page keep blanks that the URL standard does not strip', () => {
    const hrefs = ['\x00\x1f /1\n', '/2\u00a0', '\u3000/3', '/4 #f', '/5 ?q #f', '/6\t#f', ' #f', '/7#'];
    assert.deepEqual(
      resolved(hrefs).links.map((link) => link.replace('https://a.test', '')),
      ['/1', '/2%C2%A0', '/d/%E3%80%80/3', '/4%20', '/5%20?q%20', '/6', '/d/page', '/7'],
    );
  });

  it('the links of a page exclude those that are too long', () => {
    const long = 'x'.repeat(parseLimits.hrefCharsMax);
    assert.equal(resolved([long]).links.length, 1);
    assert.deepEqual(resolved([`${long}x`]), { links: [], places: [], dropped: 0 });
  });

  it('the links of a page above the limit are counted, and those to its own host are kept first', () => {
    const hrefs = ['//b.test/1', '//a.test:8080/', '/1', '//a.test', '//b.test/2', '//a.test?q'];
    assert.deepEqual(resolved(hrefs, 4), {
      links: ['https://a.test/1', 'https://a.test/', 'https://a.test/?q', 'https://b.test/1'],
      places: [],
      dropped: 2,
    });
    assert.deepEqual(resolved(hrefs, 6).links[0], 'https://b.test/1', 'as many as there may be stay in order');
  });

  it('the links of a page above the memory limit are counted as written', () => {
    const hrefs = Array.from({ length: 2 * parseLimits.hrefsPerLink + 3 }, (_, n) => `/${n}`);
    const { links, dropped } = resolved(hrefs, 2);
    assert.deepEqual([links, dropped], [['https://a.test/0', 'https://a.test/1'], hrefs.length - 2]);
    const spelt = hrefs.map((_, n) => `/${'./'.repeat(n)}x`);
    assert.deepEqual(resolved(spelt, 2), { links: ['https://a.test/x'], places: [], dropped: 3 });
    for (const path of ['/x', '']) {
      const anchors = hrefs.map((_, n) => `${path}#${n}`);
      assert.equal(resolved(anchors, 2).dropped, 0, 'fragments make no other link');
    }
    assert.equal(resolved([...hrefs.slice(0, 8), '/0', '/1'], 2).dropped, 6, 'one that is known takes no room');
  });

  it('the links of a page have their most meaningful position, in any order and spelling', () => {
    for (const pair of [
      [
        ['/1', 'footer'],
        ['/1', 'content'],
      ],
      [
        ['/1', 'content'],
        ['/1', 'footer'],
      ],
      [
        ['/1', 'navigation'],
        ['1/../../1', 'content'],
      ],
    ] as const)
      assert.deepEqual(resolved(pair).places, [['https://a.test/1', 'content']], pair.join());
    assert.deepEqual(resolved([['/1', 'navigation'], '/1', '/2', ['/3', 'footer']]).places, [
      ['https://a.test/3', 'footer'],
    ]);
    assert.deepEqual(resolved([['mailto:a@a.test', 'content'], '/1']).places, []);
  });
});
