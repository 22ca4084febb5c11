/** Entries of RSS and Atom: which addresses are theirs, and what those resolve against. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSitemap } from '../../../topology/parse/sitemap.ts';

const found = (xml: string) =>
  parseSitemap(Buffer.from(xml), null, 'http://a.test/f/feed.xml').entries.map(({ url }) =>
    url.replace('http://a.test', ''),
  );
const A = 'xmlns="http://www.w3.org/2005/Atom"';
const atom = (entries: string, attributes = '') => found(`<feed ${A} ${attributes}>${entries}</feed>`);
const rss = (items: string, attributes = '') =>
  found(`<rss version="2.0" ${attributes}><channel>${items}</channel></rss>`);

describe('xml:base of a feed', () => {
  it('xml:base of a feed applies to the links within its element, nested and relative', () => {
    assert.deepEqual(atom('<entry><link href="p"/></entry>', 'xml:base="http://a.test/blog/"'), ['/blog/p']);
    assert.deepEqual(atom('<entry><link href="p" xml:base="/l/"/></entry>', 'xml:base="/blog/"'), ['/l/p']);
    assert.deepEqual(
      atom(
        '<entry xml:base="one/"><link xml:base="x/" href="p"/></entry><entry><link href="q"/></entry>',
        'xml:base="b/"',
      ),
      ['/f/b/one/x/p', '/f/b/q'],
    );
    assert.deepEqual(atom('<entry xml:base="a&amp;b/"><link href="p"/></entry>'), ['/f/a&b/p']);
    assert.deepEqual(rss('<item><link>one</link></item>', 'xml:base="/xb/"'), ['/xb/one']);
    assert.deepEqual(
      found('<rss><channel xml:base="/c/"><item><link>1</link></item></channel><item><link>2</link></item></rss>'),
      ['/c/1', '/f/2'],
    );
    assert.deepEqual(
      found(
        `<a:feed xmlns:a="http://www.w3.org/2005/Atom" xml:base="/b/"><a:entry><a:link href="p"/></a:entry></a:feed>`,
      ),
      ['/b/p'],
    );
  });

  it('xml:base of a feed that is no web address changes nothing', () => {
    for (const none of ['', 'urn:x', 'http://', 'mailto:a@b'])
      assert.deepEqual(atom('<entry><link href="p"/></entry>', `xml:base="${none}"`), ['/f/p'], none);
  });
});

describe('a link of a feed entry', () => {
  it('a link of a feed entry excludes those of its source, its image, its people and its content', () => {
    for (const part of [
      '<source><link href="/x"/></source>',
      '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><link href="/x"/><a href="/x"/></div></content>',
      '<content type="application/xml"><link href="/x"/><entry><link href="/y"/></entry></content>',
      '<title type="xhtml"><link href="/x"/></title>',
      '<author><link href="/x"/></author>',
      '<div xmlns="http://www.w3.org/1999/xhtml"><link href="/x"/></div>',
      '<h:link xmlns:h="http://www.w3.org/1999/xhtml" href="/x"/>',
    ]) {
      assert.deepEqual(atom(`<entry>${part}<link href="/own"/></entry>`), ['/own'], part);
      assert.deepEqual(atom(`<entry><link href="/own"/>${part}</entry>`), ['/own'], part);
    }
    for (const part of [
      '<image><url>/x</url><link>/x</link></image>',
      '<media:group><link>/x</link></media:group>',
      '<description><div><link>/x</link></div></description>',
      '<media:link xmlns:media="http://search.yahoo.com/mrss/">/x</media:link>',
    ])
      assert.deepEqual(rss(`<item>${part}<link>/own</link></item>`), ['/own'], part);
  });

  it('a link of a feed entry names its relation by name or by IRI', () => {
    const by = (rel: string) => atom(`<entry><link rel="${rel}" href="/x"/></entry>`).length;
    for (const rel of ['alternate', ' Alternate ', 'http://www.iana.org/assignments/relation/alternate'])
      assert.equal(by(rel), 1, rel);
    for (const rel of ['self', 'http://www.iana.org/assignments/relation/self', 'replies', 'http://x.test/alternate'])
      assert.equal(by(rel), 0, rel);
    const withText = (rel: string) => atom(`<entry><link rel="${rel}">/x</link></entry>`).length;
    assert.equal(withText('alternate'), 1, 'the address is the text');
    assert.equal(withText('enclosure'), 0, 'another relation, with the address as text');
  });

  it('a link of a feed entry is that of an item of RSS 1.1 or CDF', () => {
    const items = '<items><item><title>x</title><link> /1 </link></item><item><link>/2</link></item></items>';
    const rss11 = (p: string) =>
      `<Channel xmlns${p}="http://purl.org/net/rss1.1#" xmlns:r="x" r:about="u"><link>/home</link>${items}</Channel>`;
    assert.deepEqual(found(rss11('')), ['/1', '/2']);
    assert.deepEqual(found(rss11(':o').replaceAll(/<(\/?)(?=\w)/g, '<$1o:')), ['/1', '/2']);
    const cdf = '<CHANNEL HREF="/home"><A HREF="/a"/><ITEM HREF="/1"><A HREF="/x"/></ITEM><ITEM HREF="/2"/></CHANNEL>';
    assert.deepEqual(found(cdf), ['/1', '/2']);
    assert.deepEqual(rss('<item href="/x"><link>/1</link></item>'), ['/1'], 'not in RSS 2.0');
  });

  it('a link of a feed entry may be of Atom within RSS, under any prefix', () => {
    const declared = 'xmlns:t="http://www.w3.org/2005/Atom"';
    const item = (inner: string) => rss(`<item>${inner}</item>`, declared);
    assert.deepEqual(item('<title>x</title><t:link href="/1"/>'), ['/1']);
    assert.deepEqual(item('<link>/1</link><t:link rel="alternate" href="/2"/>'), ['/1', '/2']);
    assert.deepEqual(item('<link>/1</link><t:link href="/2"/><t:link rel="self" href="/3"/>'), ['/1']);
    assert.deepEqual(item(`<link xmlns="http://www.w3.org/2005/Atom" href="/1"/>`), ['/1']);
    assert.deepEqual(item('<t:link rel="self" href="/3"/>'), []);
  });

  it('a link of a feed entry is of RSS by its namespace, whatever its prefix', () => {
    const rdf = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"';
    assert.deepEqual(found(`<rdf:RDF ${rdf} xmlns="http://purl.org/rss/1.0/"><item><link>/1</link></item></rdf:RDF>`), [
      '/1',
    ]);
    assert.deepEqual(
      found(`<rdf:RDF ${rdf} xmlns:r="http://purl.org/rss/1.0/"><r:item><r:link>/1</r:link></r:item></rdf:RDF>`),
      ['/1'],
    );
  });

  it('a link of a feed entry is read even if the entry is not well formed', () => {
    assert.deepEqual(rss('<item><title>A<link>/1</link></item><item><link>/2</link></item>'), ['/1', '/2']);
    assert.deepEqual(rss('<item><description><p>A<br></description><link>/1</link></item>'), ['/1']);
    assert.deepEqual(rss('<item><link>/1</link><description>x<item><link>/2</link></item>'), ['/1', '/2']);
    assert.deepEqual(rss('</x></channel></rss><item><link>/1</link></item>'), ['/1']);
  });
});

describe('a feed entry without a link', () => {
  it('a feed entry without a link gets no address from its other text', () => {
    for (const item of [
      '<title>Note</title>',
      '<title>Episode 12</title><guid isPermaLink="false">ep-12</guid>',
      '<link></link><title>Draft</title>',
      '<link/><guid>yt:video:1</guid>',
      'words',
      '/path',
      'http://a.test/1 and words',
      '<guid isPermaLink="false">http://a.test/1</guid>',
      '<guid isPermaLink=" False ">http://a.test/1</guid>',
      '<guid isPermaLink="true">post-2</guid>Post',
      '<title>x</title>http://a.test/1',
    ])
      assert.deepEqual(rss(`<item>${item}</item>`), [], item);
    for (const entry of ['<id>http://a.test/1</id>', '<guid>http://a.test/1</guid>', '<summary>Other</summary>'])
      assert.deepEqual(atom(`<entry>${entry}</entry>`), [], entry);
  });

  it('a feed entry without a link uses its permalink, or its own text, as its address', () => {
    assert.deepEqual(rss('<item><guid> http://a.test/1 </guid></item>'), ['/1']);
    assert.deepEqual(rss('<item><guid isPermaLink="true"><![CDATA[http://a.test/1]]></guid><title>x</title></item>'), [
      '/1',
    ]);
    assert.deepEqual(rss('<item><link> </link><guid>https://a.test/1</guid></item>'), ['https://a.test/1']);
    assert.deepEqual(rss('<item> http://a.test/1 </item>'), ['/1']);
    assert.deepEqual(rss('<item><link>/2</link><guid>http://a.test/1</guid></item>'), ['/2'], 'a link comes first');
  });
});

describe('the date of a feed entry', () => {
  const dateOf = (xml: string) =>
    parseSitemap(Buffer.from(xml), null, 'http://a.test/f').entries.map(({ lastModifiedMs }) => lastModifiedMs);
  const [first, second] = [Date.UTC(2020, 0, 1), Date.UTC(2021, 0, 1)];

  it('the date of a feed entry is that of its last change, in any order of its dates', () => {
    const dates = '<published>2020-01-01</published><updated>2021-01-01</updated>';
    assert.deepEqual(dateOf(`<feed ${A}><entry><link href="/1"/>${dates}</entry></feed>`), [second]);
    assert.deepEqual(dateOf(`<feed ${A}><entry><published>2020-01-01</published><link href="/1"/></entry></feed>`), [
      first,
    ]);
  });

  it('the date of a feed entry is not that of its image or its source', () => {
    const image = '<image><pubDate>Fri, 01 Jan 2021 00:00:00 GMT</pubDate></image>';
    assert.deepEqual(dateOf(`<rss><channel><item>${image}<link>/1</link></item></channel></rss>`), [0]);
    const source = '<source><updated>2021-01-01</updated></source>';
    assert.deepEqual(dateOf(`<feed ${A}><entry>${source}<link href="/1"/></entry></feed>`), [0]);
  });
});
