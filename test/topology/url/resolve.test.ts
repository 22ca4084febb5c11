import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileNormalizer, resolveLink } from '../../../topology/url/normalize.ts';
import { urlGenerator } from './url-generator.ts';

test('links resolve as in browsers, without their fragment', () => {
  const base = 'https://a.org:8443/b/c?d';
  const rows: [string, string | null][] = [
    ['/x', 'https://a.org:8443/x'],
    ['x/y?z=1#f', 'https://a.org:8443/b/x/y?z=1'],
    ['../x', 'https://a.org:8443/x'],
    ['?q', 'https://a.org:8443/b/c?q'],
    ['#f', 'https://a.org:8443/b/c?d'],
    ['', 'https://a.org:8443/b/c?d'],
    ['//b.org/x', 'https://b.org/x'],
    [' \n/x\ty ', 'https://a.org:8443/xy'],
    ['\\x', 'https://a.org:8443/x'],
    ['http://b.org/#', 'http://b.org/'],
    ['mailto:me@a.org', 'mailto:me@a.org'],
    ['http://', null],
  ];
  for (const [href, wanted] of rows) assert.equal(resolveLink(href, base), wanted, JSON.stringify(href));
  assert.equal(resolveLink('/x', new URL(base)), 'https://a.org:8443/x');
  assert.equal(resolveLink('/x', 'no base'), null);
});

test('a given normaliser is applied to the resolved link', () => {
  const normalize = compileNormalizer();
  assert.equal(resolveLink('//x?b&a', 'http://a.org/', normalize), 'http://x/?a&b');
  assert.equal(resolveLink('mailto:me@a.org', 'http://a.org/', normalize), null);
});

test('the fast path agrees with the parser on any link and base', () => {
  const { absolute, href, next } = urlGenerator(5);
  let base = 'http://example.org/a/b?c';
  for (let i = 0; i < 150_000; i++) {
    if (next(20) === 0) base = absolute();
    const link = href();
    assert.equal(resolveLink(link, base), byParser(link, base), JSON.stringify([link, base]));
  }
});

function byParser(href: string, base: string): string | null {
  try {
    return new URL(href, base).href.replace(/^([^#]*)#(?!!).*$/s, '$1');
  } catch {
    return null;
  }
}
