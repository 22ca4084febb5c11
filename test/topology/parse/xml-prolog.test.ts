/** What may stand before the root element of XML, in pieces of any size. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFeedReader } from '../../../topology/parse/feed.ts';
import { looksLikeFeed } from '../../../topology/parse/looks-like-feed.ts';
import { parseSitemap } from '../../../topology/parse/sitemap.ts';

const feed = '<rss><channel><item><link>http://a.test/1</link></item></channel></rss>';
const prologs = [
  '<?xml version="1.0"?>',
  '<?xml version="1.0"?><?xml-stylesheet href="a>b"?>\n',
  '<!-- <html> > -- <rss> -->',
  `<!--${' a comment'.repeat(10_000)}-->`,
  '<!-- --><!-- -->',
  '<!DOCTYPE rss>',
  '<!doctype rss [ ]>',
  '<!DOCTYPE rss PUBLIC "-//Netscape//DTD>" \'x>y\'>',
  '<!DOCTYPE rss [<!ENTITY % x PUBLIC "-//W3C//ENTITIES" "http://dtd.test/x.ent"> %x;]>',
  '<!DOCTYPE rss [<!ENTITY x "<a><b>]]></b></a>"><!-- it\'s ]> <html> --><?p "?><!ELEMENT a (b)>]  >',
  '<?xml version="1.0"?>\n<!-- x --><!DOCTYPE rss [\n<!ENTITY nbsp "&#160;">\n]>\n<!-- y --><?z?>\n',
];

test('a feed is recognised and read behind any prolog', () => {
  for (const prolog of prologs) {
    const body = Buffer.from(prolog + feed);
    assert.equal(looksLikeFeed(body), true, prolog.slice(0, 80));
    assert.equal(parseSitemap(body, null, 'http://a.test/f').entries.length, 1, prolog.slice(0, 80));
  }
});

test('a prolog may be cut into pieces anywhere', () => {
  for (const prolog of prologs.filter(({ length }) => length < 500)) {
    const xml = prolog + feed;
    for (let at = 1; at < prolog.length + 5; at++) {
      const reader = createFeedReader();
      reader.write(xml.slice(0, at));
      reader.write(xml.slice(at));
      assert.equal(reader.take().length, 1, `${at} of ${prolog}`);
    }
    const reader = createFeedReader();
    for (const char of xml) reader.write(char);
    assert.equal(reader.take().length, 1, prolog);
  }
});

test('a feed in UTF-16 is recognised, with a byte order mark or by its beginning', () => {
  const le = (text: string) => Buffer.from(text, 'utf16le');
  const be = (text: string) => le(text).swap16();
  for (const xml of [feed, `<?xml version="1.0" encoding="utf-16"?>${feed}`, `<!-- ž -->\n${feed}`])
    for (const body of [le(`\ufeff${xml}`), be(`\ufeff${xml}`), le(xml), be(xml)]) {
      assert.equal(looksLikeFeed(body), true, xml);
      assert.equal(parseSitemap(body, null, 'http://a.test/f').entries.length, 1, xml);
    }
  assert.equal(looksLikeFeed(le('\ufeff<html>')), false);
});

test('a 16-bit label on 8-bit text is ignored', () => {
  for (const label of ['utf-16', 'UTF-16LE', 'utf-16be', 'ucs-2', 'unicode', 'iso-10646-ucs-2', 'utf-32', 'ucs-4'])
    for (const type of [null, 'application/rss+xml; charset=utf-16', 'text/xml; charset=utf-8']) {
      const body = Buffer.from(`<?xml version="1.0" encoding="${label}"?>${feed.replace('/1', '/é')}`);
      const { entries } = parseSitemap(body, type, 'http://a.test/f');
      assert.deepEqual(
        entries.map(({ url }) => url),
        ['http://a.test/%C3%A9'],
        `${label} ${type}`,
      );
    }
  const body = Buffer.from(feed, 'utf16le');
  assert.equal(parseSitemap(body, 'text/xml; charset=utf-16', 'http://a.test/f').entries.length, 1);
});

test('a page behind comments or declarations is no feed', () => {
  for (const page of [
    '<!-- saved --><!DOCTYPE html><html><rss>',
    '<!-- --><html><rss>',
    '<?xml version="1.0"?><!DOCTYPE html PUBLIC "x"><rss>',
    '<!DOCTYPE\nHTML><rss>',
    '<!DOCTYPE rss [ <rss>',
    '<!-- <rss>',
    '<!DOCTYPE rss "<rss>',
  ])
    assert.equal(looksLikeFeed(Buffer.from(page)), false, page);
});
