import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseLimits } from '../../../topology/parse/parse-limits.ts';
import { parseSitemap } from '../../../topology/parse/sitemap.ts';
import { parseSitemapDate } from '../../../topology/parse/sitemap-date.ts';

const url = 'http://example.com/maps/sitemap.xml';
const parse = (text: string, type: string | null = null) => parseSitemap(new TextEncoder().encode(text), type, url);
const urls = (text: string) => parse(text).entries.map((entry) => entry.url);
const urlset = (inner: string) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${inner}</urlset>`;

describe('a sitemap', () => {
  it('a sitemap gives its URLs once each, with their dates', () => {
    const { index, entries } = parse(
      urlset(
        '<url><loc> http://example.com/maps/a?b=1&amp;c#d </loc><lastmod>2005-01-01</lastmod></url>' +
          '<url><lastmod>junk</lastmod><loc><![CDATA[http://example.com/maps/e]]></loc></url><url><loc>http://example.com/maps/e</loc></url>',
      ),
    );
    assert.equal(index, false);
    assert.deepEqual(entries, [
      { url: 'http://example.com/maps/a?b=1&c', lastModifiedMs: Date.UTC(2005, 0, 1), coverage: 'covered' },
      { url: 'http://example.com/maps/e', lastModifiedMs: 0, coverage: 'covered' },
    ]);
  });
  it('a sitemap marks URLs outside its path', () => {
    const { entries } = parse(
      urlset('<url><loc>http://example.com/x</loc></url><url><loc>https://example.com/maps/y</loc></url>'),
    );
    assert.deepEqual(
      entries.map((entry) => entry.coverage),
      ['outside', 'elsewhere'],
    );
  });
  it('a sitemap may mix prefixes of its namespace, declared anywhere, or remove the default one', () => {
    const own = 'http://www.sitemaps.org/schemas/sitemap/0.9';
    const loc = (prefix: string, path: string) => `<${prefix}loc>http://a.test/${path}</${prefix}loc>`;
    for (const xml of [
      `<urlset xmlns="${own}" xmlns:s="${own}"><s:url>${loc('s:', '1')}</s:url><url>${loc('', '2')}</url></urlset>`,
      `<urlset xmlns="${own}"><s:url xmlns:s="${own}">${loc('s:', '1')}</s:url><url>${loc('', '2')}</url></urlset>`,
      `<s:urlset xmlns:s="${own}"><url xmlns="${own}">${loc('', '1')}</url><s:url>${loc('s:', '2')}</s:url></s:urlset>`,
      `<urlset xmlns="${own}"><url xmlns="">${loc('', '1')}</url><url><x:i xmlns:x="other">${loc('x:', '9')}</x:i>${loc('', '2')}</url></urlset>`,
      `<urlset xmlns="${own}"><url><i xmlns="other">${loc('', '9')}</i>${loc('', '1')}</url><url>${loc('', '2')}</url></urlset>`,
    ]) {
      const { entries } = parseSitemap(Buffer.from(xml), 'application/xml', 'http://a.test/s.xml');
      assert.deepEqual(
        entries.map((entry) => entry.url),
        ['http://a.test/1', 'http://a.test/2'],
        xml,
      );
    }
  });

  it('a sitemap may use a prefix, and locations of other vocabularies are ignored', () => {
    const inner = '<s:url><s:loc>http://example.com/a</s:loc><image:loc>http://example.com/b.png</image:loc></s:url>';
    assert.deepEqual(urls(`<s:urlset>${inner}</s:urlset>`), ['http://example.com/a']);
  });
  it('a sitemap of sitemaps is an index', () => {
    const { index, entries } = parse(
      '<sitemapindex><sitemap><loc>http://o.example/s.xml</loc></sitemap></sitemapindex>',
    );
    assert.equal(index, true);
    assert.deepEqual(
      entries.map((entry) => [entry.url, entry.coverage]),
      [['http://o.example/s.xml', 'covered']],
    );
  });
  it('a sitemap cut in the middle of a URL yields the whole URLs before it', () => {
    assert.deepEqual(urls('<urlset><url><loc>http://example.com/a</loc></url><url><loc>http://example.com/tr'), [
      'http://example.com/a',
    ]);
    assert.deepEqual(urls('<urlset><url><loc>http://example.com/a</lo'), ['http://example.com/a']);
  });
  it('a sitemap of plain text gives its lines that are URLs', () => {
    assert.deepEqual(urls('\ufeffhttp://example.com/a\r\n\njunk\n  https://example.com/b  \rmailto:x'), [
      'http://example.com/a',
      'https://example.com/b',
    ]);
  });
  it('a sitemap of plain text is read over slices, without lines too long for a URL', () => {
    const { sliceChars, hrefCharsMax } = parseLimits;
    const head = 'http://example.com/';
    const line = (chars: number) => `${head}${'x'.repeat(chars - head.length)}`;
    const many = Array.from({ length: 2_000 }, (_, n) => `${line(100)}${n}`);
    assert.ok(many.join('\n').length > sliceChars);
    assert.deepEqual(urls(many.join('\n')), many);
    const filling = `${'-'.repeat(sliceChars - 100)}\n`;
    const [fits, long] = [line(hrefCharsMax), line(hrefCharsMax + 1)];
    assert.deepEqual(urls(`${filling}${fits}\n${head}a`), [fits, `${head}a`]);
    assert.deepEqual(urls(`${filling}${long}\n${head}a`), [`${head}a`]);
    assert.deepEqual(urls(`${filling}${line(sliceChars * 2)}\n${head}a\n${line(sliceChars * 2)}`), [`${head}a`]);
  });
  it('a sitemap that lists a URL twice gives its first entry', () => {
    const listed = (...inner: string[]) => parse(urlset(inner.map((one) => `<url>${one}</url>`).join(''))).entries;
    const dated = (year: number) => `<loc>http://example.com/maps/a</loc><lastmod>${year}-01-01</lastmod>`;
    const alternate =
      '<loc>http://example.com/maps/b</loc><xhtml:link rel="alternate" href="http://example.com/maps/a"/>';
    const reported = (...inner: string[]) =>
      listed(...inner).map(({ url, lastModifiedMs, alternate }) => [
        url.at(-1),
        new Date(lastModifiedMs).getUTCFullYear(),
        alternate,
      ]);
    assert.deepEqual(reported(dated(2005), dated(2006)), [['a', 2005, undefined]]);
    assert.deepEqual(reported(alternate, dated(2006), dated(2007)), [
      ['b', 1970, undefined],
      ['a', 2006, undefined],
    ]);
    assert.deepEqual(reported(dated(2005), alternate), [
      ['a', 2005, undefined],
      ['b', 1970, undefined],
    ]);
    assert.deepEqual(reported(alternate, alternate), [
      ['b', 1970, undefined],
      ['a', 1970, true],
    ]);
  });
  it('an invalid sitemap gives nothing', () => {
    for (const text of ['', 'junk', '<html><a href="http://example.com/">', '<urlset>', '<<<', '{}']) {
      assert.deepEqual(urls(text), [], text);
    }
  });
  it('a sitemap drops URLs that are relative, or neither http nor https', () => {
    assert.deepEqual(urls(urlset('<url><loc>/a</loc></url><url><loc>ftp://example.com/</loc></url>')), []);
  });
});

describe('a feed', () => {
  it('a feed of RSS gives its items’ links and dates, not the channel’s', () => {
    const { entries } = parse(
      '<rss><channel><link>http://example.com/</link><item><title>t</title><link>/1</link>' +
        '<atom:link href="http://example.com/c"/><pubDate>Thu, 05 Jan 2017 13:34:51 +0100</pubDate></item></channel></rss>',
    );
    const at = Date.UTC(2017, 0, 5, 12, 34, 51);
    assert.deepEqual(
      entries.map((entry) => [entry.url, entry.lastModifiedMs]),
      [['http://example.com/1', at]],
    );
  });
  it('a feed of Atom gives its entries’ own links', () => {
    const entry =
      '<entry><link rel="self" href="/s"/><link href="/1"/><link rel="edit" href="/e"/><updated>2020-02-02T00:00:00Z</updated></entry>';
    const { entries } = parse(`<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/>${entry}</feed>`);
    assert.deepEqual(
      entries.map(({ url, lastModifiedMs }) => [url, lastModifiedMs]),
      [['http://example.com/1', Date.UTC(2020, 1, 2)]],
    );
  });
  it('a feed of RDF gives its items', () => {
    const rdf =
      '<rdf:RDF><channel><link>http://example.com/</link></channel><item><link>http://example.com/1</link></item></rdf:RDF>';
    assert.deepEqual(urls(rdf), ['http://example.com/1']);
  });
});

describe('hostile XML', () => {
  it('entities are not expanded, declared or external', () => {
    const lol = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
    const doctype = `<!DOCTYPE urlset [<!ENTITY l0 "lol"><!ENTITY x SYSTEM "file:///etc/passwd">${lol}]>`;
    const found = urls(
      `${doctype}<urlset><url><loc>http://example.com/&l9;</loc></url><url><loc>&x;</loc></url></urlset>`,
    );
    assert.ok(found.every((link) => link.length < 50 && !link.includes('root')));
  });
  it('entries above the protocol’s limit are dropped', () => {
    const many = Array.from({ length: parseLimits.sitemapEntriesMax + 10 }, (_, i) => `http://example.com/${i}`);
    assert.equal(urls(many.join('\n')).length, parseLimits.sitemapEntriesMax);
    assert.equal(
      urls(urlset(many.map((link) => `<url><loc>${link}</loc></url>`).join(''))).length,
      parseLimits.sitemapEntriesMax,
    );
  });
  const megabytes: Record<string, string> = {
    'nested elements': `<urlset>${'<url>'.repeat(500_000)}`,
    'a location without end': `<urlset><url><loc>${'x'.repeat(3_000_000)}`,
    'many small pieces of text': `<urlset><url><loc>${'<![CDATA[x]]>'.repeat(300_000)}`,
    'attributes without end': `<urlset ${'a="b" '.repeat(500_000)}`,
    'blank lines': '\n \r'.repeat(1_000_000),
  };
  for (const [name, text] of Object.entries(megabytes)) {
    it(`hostile XML is read in well under two seconds: ${name}`, () => {
      const cpu = process.cpuUsage();
      parse(text);
      const { user, system } = process.cpuUsage(cpu);
      assert.ok((user + system) / 1000 < 2000, `${(user + system) / 1000} ms`);
    });
  }
  it('the first slice is read however late it is: a busy machine loses no feed', () => {
    const body = Buffer.from('<rss><channel><item><link>https://a.test/1</link></item></channel></rss>');
    const late = parseSitemap(body, 'application/rss+xml', 'https://a.test/rss', () => true);
    assert.deepEqual(
      late.entries.map(({ url }) => url),
      ['https://a.test/1'],
    );
  });

  it('the deadline ends the parsing of hostile XML', () => {
    let asked = 0;
    const text = urlset(`<url><loc>http://example.com/maps/a</loc></url>${' '.repeat(parseLimits.sliceChars * 4)}`);
    const found = parseSitemap(new TextEncoder().encode(text), null, url, () => ++asked > 1);
    assert.deepEqual([found.entries.length, asked], [1, 2]);
  });
});

describe('dates of sitemaps', () => {
  it('dates of sitemaps are read in the W3C forms', () => {
    assert.equal(parseSitemapDate('1997'), Date.UTC(1997, 0));
    assert.equal(parseSitemapDate('1997-07-16'), Date.UTC(1997, 6, 16));
    assert.equal(parseSitemapDate('1997-07-16T19:20:30.45+01:00'), Date.UTC(1997, 6, 16, 18, 20, 30, 450));
    assert.equal(parseSitemapDate('1997-07-16T19:20Z'), Date.UTC(1997, 6, 16, 19, 20));
  });
  it('dates of sitemaps are read in the RSS forms', () => {
    assert.equal(parseSitemapDate('05 Jan 17 12:34:53 EST'), Date.UTC(2017, 0, 5, 17, 34, 53));
    assert.equal(parseSitemapDate('Thu, 5 Jan 2017 12:34 -0100'), Date.UTC(2017, 0, 5, 13, 34));
  });
  it('dates of sitemaps that are invalid are ignored', () => {
    for (const value of [
      '',
      'x',
      '1997-13',
      '2025-02-29',
      '1997-07-16T25:00Z',
      '99',
      '5 Foo 2017',
      `1997${' '.repeat(99)}x`,
    ]) {
      assert.equal(parseSitemapDate(value), null, value);
    }
  });
});
