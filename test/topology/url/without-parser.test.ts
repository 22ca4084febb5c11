/** Most URLs and links of the web need no parser, which costs ten times what a look at them does: those below use none. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { resolveLink } from '../../../topology/url/resolve.ts';

/** How often a URL is parsed meanwhile. */
function parsed(work: () => void): number {
  const Parser = globalThis.URL;
  let count = 0;
  globalThis.URL = class extends Parser {
    constructor(url: string, base?: string) {
      super(url, base);
      count += 1;
    }
  } as typeof URL;
  try {
    work();
  } finally {
    globalThis.URL = Parser;
  }
  return count;
}

const normal = ['http://a.test/', 'https://a.test:8443/x/y.html', 'https://www.a.test/A-b_c~/%C3%A9/?a=1&b=%20&c'];

it('normal or nearly normal URLs need no parser', () => {
  const nearly: readonly (readonly [url: string, normal: string])[] = [
    ...normal.map((url) => [url, url] as const),
    ['http://a.test/x#top', 'http://a.test/x'],
    ['http://a.test/x?a=1#top', 'http://a.test/x?a=1'],
    ['http://a.test/x?b=1&a=2', 'http://a.test/x?a=2&b=1'],
    ['http://a.test/x?utm_source=y', 'http://a.test/x'],
    ['http://a.test/x?', 'http://a.test/x'],
    ['http://a.test/x?#top', 'http://a.test/x'],
  ];
  const settings = [{}, { fragment: 'escape' }, { hosts: { 'a.test': { keep: ['a', 'b', 'c'] } } }] as const;
  for (const setting of settings) {
    const normalize = compileNormalizer(setting);
    for (const [url, wanted] of nearly) {
      assert.equal(
        parsed(() => assert.equal(normalize(url), wanted)),
        0,
        url,
      );
    }
    // The count counts.
    assert.equal(
      parsed(() => assert.equal(normalize('http://a.test/./x'), 'http://a.test/x')),
      1,
    );
  }
  const escaped = compileNormalizer({ fragment: 'escape' });
  assert.equal(
    parsed(() => assert.equal(escaped('http://a.test/#!x'), 'http://a.test/?_escaped_fragment_=x')),
    1,
  );
});

it('links of a page need no parser once its own URL is parsed', () => {
  const base = 'https://a.test/folder/page.html?q#f';
  const links: readonly (readonly [href: string, url: string])[] = [
    ...normal.map((url) => [url, url] as const),
    ['https://b.test/x#top', 'https://b.test/x'],
    ['/', 'https://a.test/'],
    ['/x/y?a=1&b#top', 'https://a.test/x/y?a=1&b'],
    ...['a', 'z', 'A', 'Z', '0', '9', 'x.html', 'x/y/?a#b', 'x?a=1'].map(
      (href) => [href, `https://a.test/folder/${href.split('#')[0]}`] as const,
    ),
  ];
  resolveLink('/', base);
  for (const [href, url] of links)
    assert.equal(
      parsed(() => assert.equal(resolveLink(href, base), url)),
      0,
      href,
    );
  for (const [href, url] of [
    ['../x', 'https://a.test/x'],
    ['x:y', 'x:y'],
    ['#f', 'https://a.test/folder/page.html?q'],
    ['?x', 'https://a.test/folder/page.html?x'],
    ['@x', 'https://a.test/folder/@x'],
    ['[x', 'https://a.test/folder/[x'],
  ] as const)
    assert.equal(
      parsed(() => assert.equal(resolveLink(href, base), url)),
      1,
      href,
    );
});
