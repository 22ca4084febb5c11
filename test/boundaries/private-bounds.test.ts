/**
 * Bounds of single functions, which stand beside what they bound and in no list of limits: what is just within is read, what is
 * just beyond is not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hubLinks } from '../../topology/extras/push/hub-links.ts';
import { maxAgeMs } from '../../topology/fetch/cache-control.ts';
import { quoteOf } from '../../topology/fetch/quote.ts';
import { parseSetCookie } from '../../topology/fetch/set-cookie.ts';
import { decodePage, decodeXml } from '../../topology/parse/charset.ts';
import { guessCharset } from '../../topology/parse/guess-charset.ts';
import { parseSitemap } from '../../topology/parse/sitemap.ts';
import { parseSitemapDate } from '../../topology/parse/sitemap-date.ts';
import { isSoft404 } from '../../topology/parse/soft-404.ts';
import { createXmlScanner } from '../../topology/parse/xml.ts';
import { knownView } from '../../topology/policy/traps/known-views.ts';
import { compileNormalizer, refusalOf } from '../../topology/url/normalize.ts';
import { seedNotes } from '../../topology/url/seed-notes.ts';
import { robotsTag } from '../../topology/usage/robots-tag.ts';

interface Bound {
  readonly of: string;
  readonly most: number;
  /** Is one of that size read? */
  readonly isRead: (size: number) => boolean;
}

const text = (text: string) => Buffer.from(text, 'latin1');
const padded = (text: string, size: number) => text.padEnd(size, ' ');

function attributesRead(names: readonly string[], wanted: string): boolean {
  let value = '';
  const scanner = createXmlScanner({ open: (_, __, read) => void (value = read(wanted)), close() {}, text() {} });
  scanner.write(`<a ${names.map((name) => `${name}="y"`).join(' ')}/>`);
  return value === 'y';
}

function offerOf(fields: Readonly<Record<string, unknown>>, before = 0) {
  const other = { scheme: 'upto' };
  const offer = { scheme: 'exact', network: 'n', asset: 'a', amount: '1', ...fields };
  const accepts = [...Array.from({ length: before }, () => other), offer];
  return quoteOf(['payment-required', Buffer.from(JSON.stringify({ accepts })).toString('base64')]).offers;
}

/** An offer whose terms are so long. */
function offerOfLength(chars: number) {
  const bare = JSON.stringify({ scheme: 'exact', network: 'n', asset: 'a', amount: '1', x: '' }).length;
  return offerOf({ x: 'x'.repeat(chars - bare) });
}

function jsonBody(bytes: number): Buffer {
  const body = JSON.stringify({ accepts: [{ scheme: 'exact', network: 'n', asset: 'a', amount: '1' }] });
  return text(padded(body, bytes));
}

const bounds: readonly Bound[] = [
  { of: 'depth of a seed', most: 1_000_000, isRead: (size) => typeof seedNotes([['depth', `${size}`]]) !== 'string' },
  {
    of: 'directives of Cache-Control',
    most: 32,
    isRead: (size) => maxAgeMs(`${'x,'.repeat(size - 1)}max-age=5`) === 5_000,
  },
  {
    of: 'attribute of a cookie',
    most: 1_024,
    isRead: (size) =>
      parseSetCookie(`a=b; Path=/${'x'.repeat(size - 1)}`, { host: 'a.test', path: '/p/q', isSecure: true }, 0)!
        .path !== '/p',
  },
  {
    of: 'tag of a hub’s link',
    most: 4_096,
    isRead: (size) => {
      const [begin, end] = ['<link rel="hub" ', 'href="/h"'];
      const tag = `${begin.padEnd(size - end.length, ' ')}${end}>`;
      return hubLinks([], tag, 'http://a.test/').hubs.length === 1;
    },
  },
  {
    of: 'names before a word of X-Robots-Tag',
    most: 8,
    isRead: (size) => {
      const ofAnother = `${'crawlstream: '.repeat(size - 1)}otherbot: noindex`;
      return robotsTag(ofAnother, 's', ['crawlstream']).length === 0;
    },
  },
  {
    of: 'date of a sitemap',
    most: 64,
    isRead: (size) => parseSitemapDate(`${`Mon, ${' '.repeat(100)}`.slice(0, size - 11)}02 Jan 2006`) !== null,
  },
  { of: 'title of a page that is not there', most: 60, isRead: (size) => isSoft404(`${padded('404', size - 1)}x`) },
  {
    of: 'elements around the entries of a feed whose xml:base is kept',
    most: 16,
    isRead: (size) => {
      const around = '<x>'.repeat(size - 2);
      const xml = `<feed>${around}<x xml:base="/b/"><entry><link href="p"/></entry>`;
      return parseSitemap(text(xml), null, 'http://a.test/').entries[0]?.url === 'http://a.test/b/p';
    },
  },
  {
    of: 'namespaces that are declared in a feed at once',
    most: 64,
    isRead: (size) => {
      const others = Array.from({ length: size - 1 }, (_, i) => `<x xmlns:n${i}="n">`).slice(0, 12);
      const rest = Array.from({ length: Math.max(0, size - 1 - 12) }, (_, i) => `xmlns:m${i}="m"`);
      const parts = [rest.slice(0, 30), rest.slice(30)].map((some) => `<y ${some.join(' ')}>`);
      const item = '<item><t:link xmlns:t="http://www.w3.org/2005/Atom" href="/p"/></item>';
      return (
        parseSitemap(text(`<rss>${others.join('')}${parts.join('')}${item}`), null, 'http://a.test/').entries.length ===
        1
      );
    },
  },
  {
    of: 'bytes of a page that name its charset',
    most: 1_024,
    isRead: (size) => {
      const meta = '<meta charset=koi8-r>';
      return decodePage(text(meta.padStart(size, ' ')), null).charset === 'koi8-r';
    },
  },
  {
    of: 'bytes of an XML declaration that name its encoding',
    most: 1_024,
    isRead: (size) => {
      const declaration = '<?xml version="1.0" encoding="koi8-r"';
      return decodeXml(text(`${declaration.padStart(size, ' ')}?>\xc1`), null).endsWith('а');
    },
  },
  { of: 'name of an XML attribute', most: 256, isRead: (size) => attributesRead(['x'.repeat(size)], 'x'.repeat(size)) },
  {
    of: 'attributes of an XML element',
    most: 32,
    isRead: (size) => attributesRead([...Array.from({ length: size - 1 }, (_, n) => `n${n}`), 'last'], 'last'),
  },
  {
    of: 'address of a view of known software',
    most: 512,
    isRead: (size) => knownView(`http://a.test${'/query?order=id&desc=1&x='.padEnd(size, 'x')}`) !== null,
  },
  { of: 'offers that are looked at', most: 7, isRead: (size) => offerOf({}, size).length === 1 },
  { of: 'network of an offer', most: 100, isRead: (size) => offerOf({ network: 'n'.repeat(size) }).length === 1 },
  { of: 'terms of an offer', most: 4_096, isRead: (size) => offerOfLength(size).length === 1 },
  {
    of: 'body with offers',
    most: 64 * 1_024,
    isRead: (size) => quoteOf(['content-type', 'application/json'], jsonBody(size)).offers.length === 1,
  },
  {
    of: 'URL of a licence',
    most: 500,
    isRead: (size) => quoteOf(['link', `<${'http://a.test/'.padEnd(size, 'x')}>; rel="license"`]).licence !== '',
  },
  {
    of: 'URL before it is made normal, over what it may have then',
    most: 4 * 2_048,
    isRead: (size) =>
      compileNormalizer()(`${`http://a.test/${'x/../'.repeat(3_000)}`.slice(0, size - 5)}/../x`) !== null,
  },
  {
    of: 'the same, where the reason is told',
    most: 4 * 2_048,
    isRead: (size) => refusalOf(`ftp:${'x'.repeat(size - 4)}`) !== 'length',
  },
];

for (const { of, most, isRead } of bounds)
  test(`${of}: at most ${most}`, () => {
    assert.equal(isRead(most - 1), true, `${most - 1}`);
    assert.equal(isRead(most), true, `${most}`);
    assert.equal(isRead(most + 1), false, `${most + 1}`);
  });

test('eight non-ASCII bytes reveal an encoding, seven do not', () => {
  const word = Buffer.from('f0d2c9d7c5d420cdc9d2', 'hex');
  const deadLetters = [...word].filter((byte) => byte >= 0x80).length;
  assert.ok(deadLetters >= 8);
  const cut = (count: number) => {
    let seen = 0;
    return Uint8Array.from(word, (byte) => (byte < 0x80 || ++seen <= count ? byte : 0x20));
  };
  assert.equal(guessCharset(cut(7)), null);
  assert.notEqual(guessCharset(cut(8)), null);
});
