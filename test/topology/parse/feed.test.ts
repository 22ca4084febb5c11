/** Feeds beyond their entries' links and dates, which are with the sitemaps: JSON Feed, hints, and being told from pages. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maxAgeMs } from '../../../topology/fetch/cache-control.ts';
import { looksLikeFeed } from '../../../topology/parse/looks-like-feed.ts';
import { parseLimits } from '../../../topology/parse/parse-limits.ts';
import { parseSitemap } from '../../../topology/parse/sitemap.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseSitemap(bytes(text), null, 'https://a.test/blog/feed');
const jsonFeed = (...items: unknown[]) => JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items });

describe('an Atom feed', () => {
  it('an Atom feed omits addresses that are too long, and attributes without a value', () => {
    const feed = (...links: string[]) =>
      `<feed>${links.map((link) => `<entry><link ${link}/></entry>`).join('')}</feed>`;
    const [fits, long] = [0, 1].map((more) => `https://a.test/${'x'.repeat(parseLimits.hrefCharsMax - 15 + more)}`);
    const { entries } = parse(
      feed(`href="${fits}"`, `href="${long}"`, 'href', 'href=""', 'rel href="/1"', 'rel="edit" href="/2"'),
    );
    assert.deepEqual(
      entries.map(({ url }) => url.length),
      [parseLimits.hrefCharsMax, 'https://a.test/1'.length],
    );
  });
});

describe('a JSON Feed', () => {
  it('a JSON Feed gives its items’ pages, with the date they were modified or else published', () => {
    const { form, entries } = parse(
      jsonFeed(
        { id: '1', url: '/1', date_published: '2020-02-01T00:00:00Z', date_modified: '2020-02-02T00:00:00Z' },
        { id: '2', external_url: 'https://b.test/2', date_published: '2020-02-01T01:00:00+01:00' },
        { id: 'https://a.test/3' },
        { id: 'tag:a.test,4' },
        'junk',
        null,
      ),
    );
    assert.equal(form, 'feed');
    assert.deepEqual(
      entries.map(({ url, lastModifiedMs }) => [url, lastModifiedMs]),
      [
        ['https://a.test/1', Date.UTC(2020, 1, 2)],
        ['https://b.test/2', Date.UTC(2020, 1, 1)],
        ['https://a.test/3', 0],
      ],
    );
  });

  it('a JSON Feed that is cut, too long, or other JSON gives nothing', () => {
    const long = jsonFeed({ url: '/1', content_text: 'x'.repeat(parseLimits.jsonFeedCharsMax) });
    for (const text of [jsonFeed({ url: '/1' }).slice(0, -1), long, '{"items":[{"url":"/1"}]}', '{"version":1}']) {
      assert.deepEqual([parse(text).form, parse(text).entries], [null, []]);
    }
  });
});

describe('a feed’s requested interval', () => {
  const rss = (hints: string) => parse(`<rss><channel>${hints}<item><link>/1</link></item></channel></rss>`).pollMs;
  const minute = 60_000;

  it('a feed’s requested interval is its ttl in minutes, or its period over its frequency, whichever is longer', () => {
    assert.equal(rss('<ttl> 90 </ttl>'), 90 * minute);
    assert.equal(
      rss('<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>'),
      360 * minute,
    );
    assert.equal(rss('<sy:updatePeriod>\n hourly\n</sy:updatePeriod>'), 60 * minute);
    assert.equal(rss('<ttl>30</ttl><sy:updatePeriod>hourly</sy:updatePeriod>'), 60 * minute);
    assert.deepEqual(
      ['daily', 'weekly', 'monthly', 'yearly'].map((period) => rss(`<sy:updatePeriod>${period}</sy:updatePeriod>`)),
      [1, 7, 30, 365].map((days) => days * 24 * 60 * minute),
    );
  });

  it('a feed’s requested interval is unknown if it says nothing sensible', () => {
    for (const hints of ['', '<ttl>soon</ttl>', '<ttl>-5</ttl>', '<sy:updatePeriod>now</sy:updatePeriod>']) {
      assert.equal(rss(hints), 0, hints);
    }
    assert.equal(parse('<rss><item><link>/1</link><ttl>60</ttl></item></rss>').pollMs, 0);
  });

  it('a feed’s requested interval is its server’s max-age too', () => {
    assert.equal(maxAgeMs('public, Max-Age=3600'), 3_600_000);
    for (const value of ['', 'no-cache, max-age=60', 'max-age=soon', 's-maxage=60']) assert.equal(maxAgeMs(value), 0);
  });
});

describe('a sitemap’s alternates', () => {
  it('a sitemap’s alternates are pages too, without its date; images, videos and apps are none', () => {
    const { entries } = parse(
      `<urlset><url><loc>https://a.test/en</loc><lastmod>2020-02-02</lastmod>
        <xhtml:link rel="alternate" hreflang="de" href="https://a.test/de"/>
        <xhtml:link rel="alternate" href="android-app://a.test/en"/>
        <image:image><image:loc>https://a.test/i.png</image:loc></image:image>
        <video:video><video:player_loc>https://a.test/v</video:player_loc></video:video>
        <news:news><news:publication_date>2020-03-03</news:publication_date></news:news></url></urlset>`,
    );
    assert.deepEqual(
      entries.map(({ url, lastModifiedMs, alternate = false }) => [url, lastModifiedMs, alternate]),
      [
        ['https://a.test/en', Date.UTC(2020, 1, 2), false],
        ['https://a.test/de', 0, true],
      ],
    );
  });
});

describe('the type of a body', () => {
  it('the type of a body is feed or sitemap by its root, whatever stands before it', () => {
    for (const text of [
      '<rss version="2.0">',
      '\ufeff \n<?xml version="1.0"?><!-- <html> --><?xml-stylesheet href="x"?>\n<feed xmlns="x">',
      '<?xml version="1.0"?><!DOCTYPE rss PUBLIC "x" "y"><rss>',
      '<rdf:RDF xmlns="x">',
      '<atom:feed>',
      '<urlset>',
      '<sh:feed>',
      '\ufeff<rss>',
      '\t<rss>',
      '\r<rss>',
      ' \n\v\f<rss>',
      '<RSS>',
      '<?xml version="1.0"?>\t\r<rss>',
      '<sitemapindex xmlns="x">',
      jsonFeed(),
      '{"title":"x","version":"https:\\/\\/jsonfeed.org\\/version\\/1"}',
    ]) {
      assert.equal(looksLikeFeed(bytes(text)), true, text);
    }
  });

  it('the type of a body is otherwise neither', () => {
    for (const text of [
      '',
      '<',
      '<!DOCTYPE html><html>',
      '<html><rss>',
      '<HTML><rss>',
      '\b<rss>',
      '\x0e<rss>',
      'x\ufeff<rss>',
      '<?xml version="1.0"?><!DOCTYPE html><html><rss>',
      '<?xml',
      '<!-- <rss> ',
      '<p><rss>',
      '<feedback>',
      '{"version":"1"}',
      'rss',
    ]) {
      assert.equal(looksLikeFeed(bytes(text)), false, text);
    }
  });

  it('the type of a body allows a byte order mark of three bytes, or none', () => {
    for (const start of [
      [0xef, 0x61, 0x62],
      [0x61, 0xbb, 0x62],
      [0x61, 0xbb, 0xbf],
      [0xef, 0xbb, 0x62],
      [0xef, 0x61, 0xbf],
      [0x61, 0x62, 0xbf],
    ])
      assert.equal(looksLikeFeed(Uint8Array.of(...start, ...bytes('<rss>'))), false, start.join());
    assert.equal(looksLikeFeed(Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes('<rss>'))), true);
  });
});
