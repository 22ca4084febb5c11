/** Which bodies are taken for feeds and sitemaps, by how they begin. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looksLikeFeed } from '../../../topology/parse/looks-like-feed.ts';

const looks = (body: string | Uint8Array) => looksLikeFeed(Buffer.from(body));

test('a body is a feed or a sitemap by its root, in any case and with a prefix', () => {
  for (const root of [
    'rss',
    'RDF',
    'rdf:RDF',
    'feed',
    'atom:feed',
    'Channel',
    'urlset',
    'sm:urlset',
    'sitemapindex',
    'SitemapIndex',
  ]) {
    assert.equal(looks(`<${root}>`), true, root);
    assert.equal(looks(`<${root} a="b">`), true, root);
    assert.equal(looks(`<${root}\n>`), true, root);
  }
  for (const root of [
    'rssx',
    'rss/',
    'html',
    'x',
    'a-b:rss',
    `${'p'.repeat(21)}:rss`,
    'Html',
    'h:rss',
    'H:rss',
    'opml',
  ])
    assert.equal(looks(`<${root}>`), false, root);
  assert.equal(looks(`<${'p'.repeat(20)}:rss>`), true);
});

test('a root may stand behind a byte order mark, blanks, declarations, comments and a doctype', () => {
  for (const before of [
    '\ufeff',
    ' ',
    ' \t\r\n\f\v',
    '\ufeff \n',
    '<?xml version="1.0"?>',
    '<?xml version="1.0"?>\n<?xml-stylesheet href="x"?> <!-- <html> > --><!DOCTYPE rss>\n',
    '<?x?><!-- -->',
    '<!-- -->',
    '<!DOCTYPE rss>',
  ])
    assert.equal(looks(`${before}<rss>`), true, before);
  for (const before of ['x', '\0', '\x08', '\x0e', '\x1f', '!', '<?x', '<?x?><!-- > ', '\ufeff\ufeff'])
    assert.equal(looks(`${before}<rss>`), false, before);
  for (const part of [
    [0xef, 0xbb],
    [0xef, 0x41, 0xbf],
    [0x41, 0xbb, 0xbf],
  ])
    assert.equal(looks(Buffer.concat([Buffer.from(part), Buffer.from('<rss>')])), false, 'no whole mark');
});

test('a root is found behind a prolog of any length', () => {
  for (const bytes of [2_043, 2_044, 2_047, 2_048, 2_049, 10_000, 100_000]) {
    assert.equal(looks(`<?x${' '.repeat(bytes - 5)}?><rss>`), true, `${bytes}`);
    assert.equal(looks(`${' '.repeat(bytes)}<rss>`), true, `${bytes}`);
  }
});

test('a body is a JSON feed by its version', () => {
  const version = (url: string, before = '{') => looks(`${before}"title":"x","version" : "${url}1"}`);
  assert.equal(version('https://jsonfeed.org/version/'), true);
  assert.equal(version('http:\\/\\/www.jsonfeed.org\\/version\\/'), true);
  assert.equal(version('https://jsonfeed.org/version/', ' \n{'), true);
  assert.equal(version('https://jsonfeed.org/version/', '[{'), false);
  assert.equal(version('https://jsonfeed.example/version/'), false);
  assert.equal(looks('{}'), false);
});

test('an empty body is no feed', () => {
  for (const body of ['', ' ', '<', '\ufeff', '<?xml?>', '<?xml?> ', 'rss']) assert.equal(looks(body), false, body);
});
