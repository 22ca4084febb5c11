/** Lists of URLs in XML, element by element: what is an item, its location, its date. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFeedReader } from '../../../topology/parse/feed.ts';

function read(xml: string) {
  const reader = createFeedReader();
  reader.write(xml);
  const before = reader.take();
  reader.end();
  const found = [...before, ...reader.take()];
  assert.deepEqual(reader.take(), [], 'each is given once');
  return { form: reader.form, pollMs: reader.pollMs, found, before: before.length };
}

/** `location`, `location@ms` with its date, `location*` an alternate. */
const reported = (xml: string) =>
  read(xml).found.map(({ location, lastModifiedMs, alternate }) => {
    assert.ok(Number.isSafeInteger(lastModifiedMs) && lastModifiedMs >= 0);
    return `${location}${alternate === true ? '*' : ''}${lastModifiedMs > 0 ? `@${lastModifiedMs}` : ''}`;
  });

const map = (items: string) => `<urlset>${items}</urlset>`;
const rss = (items: string) => `<rss><channel>${items}</channel></rss>`;
const day = Date.UTC(2020, 1, 2);

describe('an item of a list', () => {
  it('an item of a list has its location without blanks, whatever stands in or around it', () => {
    assert.deepEqual(reported(map('<url><loc> /1\n</loc></url><url><loc><a>/2</a></loc></url>')), ['/1', '/2']);
    assert.deepEqual(reported(map('<url><loc><![CDATA[/1]]></loc><loc> </loc></url>')), ['/1']);
    assert.deepEqual(
      reported(map('<url>/1</url><url> </url><url><x/>/2</url>')),
      ['/1', '/2'],
      'written into the item itself',
    );
    assert.deepEqual(reported(map('<url><loc>/1</loc>more</url>')), ['/1']);
    assert.deepEqual(
      reported(map('<loc>/0</loc><url><loc>/1</loc></url><loc>/2</loc>')),
      ['/1'],
      'outside of items is none',
    );
  });

  it('an item of a list has no other text in its location', () => {
    assert.deepEqual(reported(map('<url>junk<loc><a>/1</a>2</loc>junk</url>')), ['/12']);
    assert.deepEqual(reported(map('<url><loc>/1<i:loc>2</i:loc>3</loc></url>')), ['/123']);
    assert.deepEqual(reported(map('<url>/1<url>/2</url>')), ['/2'], 'an item that another interrupts');
    assert.deepEqual(reported(map('<url><loc>/1</loc><lastmod>2020-02-02<i/></lastmod></url>')), [`/1@${day}`]);
  });

  it('an item of a list exists once it has ended, by its end or by the next one’s beginning', () => {
    const { found, before } = read('<urlset><url><loc>/1</loc><url><loc>/2</loc></url><url><loc>/3</loc>');
    assert.deepEqual([before, found.length], [2, 3]);
    assert.equal(read('<urlset><url><loc>/1</loc></url>').before, 1);
  });

  it('an item of a list may have several locations, at most sixty-four', () => {
    const locs = Array.from({ length: 70 }, (_, n) => `<loc>/${n}</loc>`).join('');
    assert.equal(reported(map(`<url>${locs}</url>`)).length, 64);
    const links = Array.from({ length: 70 }, (_, n) => `<xhtml:link rel="alternate" href="/${n}"/>`).join('');
    assert.equal(reported(map(`<url><loc>/</loc>${links}</url>`)).length, 64);
    assert.deepEqual(reported(map(`<url>${locs}</url><url><loc>/x</loc></url>`)).at(-1), '/x');
  });

  it('an item of a list has its date before or behind its location, and not its neighbour’s', () => {
    const [before, behind] = [
      '<lastmod>2020-02-02</lastmod><loc>/1</loc>',
      '<loc>/1</loc><lastmod>2020-02-02</lastmod>',
    ];
    for (const item of [before, behind])
      assert.deepEqual(reported(map(`<url>${item}</url><url><loc>/2</loc></url>`)), [`/1@${day}`, '/2'], item);
    assert.deepEqual(
      reported(map('<url><loc>/1</loc><lastmod>2020-02-02</lastmod><lastmod>2020-02-03</lastmod></url>')),
      [`/1@${day}`],
      'the first of two',
    );
    assert.deepEqual(
      reported(map('<url><lastmod>2020-02-02</lastmod><lastmod>2020-02-03</lastmod><loc>/1</loc></url>')),
      [`/1@${day}`],
    );
    for (const none of ['soon', '', '1970-01-01', '1960-01-01'])
      assert.deepEqual(reported(map(`<url><loc>/1</loc><lastmod>${none}</lastmod></url>`)), ['/1'], none);
    assert.deepEqual(
      reported(map('<url><loc>/1</loc><url><lastmod>2020-02-02</lastmod><loc>/2</loc></url>')),
      ['/1', `/2@${day}`],
      'not of an item that it interrupts',
    );
    assert.deepEqual(reported(map('<url><lastmod>2020-02-02</lastmod><url><loc>/2</loc></url>')), ['/2']);
    assert.deepEqual(
      reported(map('<lastmod>2020-02-02</lastmod><url><loc>/1</loc></url>')),
      ['/1'],
      'of the list itself',
    );
  });

  it('an item of a list has alternates with it, which have no date', () => {
    const item = '<loc>/1</loc><xhtml:link rel="alternate" href=" /de "/><lastmod>2020-02-02</lastmod>';
    assert.deepEqual(reported(map(`<url>${item}</url>`)), [`/1@${day}`, '/de*']);
    for (const none of [
      '<xhtml:link href="/x"/>',
      '<xhtml:link rel="self" href="/x"/>',
      '<xhtml:link rel="alternate" href=""/>',
    ])
      assert.deepEqual(reported(map(`<url><loc>/1</loc>${none}</url>`)), ['/1'], none);
    assert.deepEqual(reported(map('<xhtml:link rel="alternate" href="/x"/><url><loc>/1</loc></url>')), ['/1']);
    const index = '<sitemap><loc>/1</loc><xhtml:link rel="alternate" href="/x"/></sitemap>';
    assert.deepEqual(reported(`<sitemapindex>${index}</sitemapindex>`), ['/1'], 'a sitemap’s pages alone have some');
  });
});

describe('the vocabulary of a list', () => {
  it('the vocabulary of a sitemap is the root’s, by its prefix', () => {
    assert.deepEqual(reported('<s:urlset><s:url><s:loc>/1</s:loc><loc>/2</loc><i:loc>/3</i:loc></s:url></s:urlset>'), [
      '/1',
    ]);
    assert.deepEqual(reported(map('<s:url><s:loc>/1</s:loc></s:url><url><loc>/2</loc></url>')), ['/2']);
    assert.deepEqual(reported(map('<url><loc>/1</loc><i:x></i:url></url><url><loc>/2</loc></url>')), ['/1', '/2']);
  });

  it('the vocabulary of a feed may vary, except for links', () => {
    const item = '<link>/1</link><atom:link href="/self"/><media:link>/m</media:link><dc:date>2020-02-02</dc:date>';
    assert.deepEqual(reported(rss(`<item>${item}</item>`)), [`/1@${day}`]);
    assert.deepEqual(
      reported('<a:feed><a:entry><a:link href="/1"/><link href="/2"/><b:link href="/3"/></a:entry></a:feed>'),
      ['/1', '/2'],
    );
  });

  it('the vocabulary of a list determines its form', () => {
    const forms = { urlset: 'sitemap', sitemapindex: 'index', rss: 'feed', rdf: 'feed', feed: 'feed', html: null };
    for (const [root, form] of Object.entries(forms)) assert.equal(read(`<${root}></${root}>`).form, form, root);
    assert.deepEqual(reported('<html><url><loc>/1</loc></url></html>'), []);
    assert.deepEqual(reported(`<html>${map('<url><loc>/1</loc></url>')}</html>`), [], 'the root alone counts');
  });
});

describe('a link of a feed', () => {
  it('a link of a feed is its text, or its address if it leads to the page', () => {
    const entry = (links: string) => reported(`<feed><entry>${links}</entry></feed>`);
    assert.deepEqual(entry('<link href="/1"/><link rel="alternate" href="/2"/><link rel="edit" href="/3"/>'), [
      '/1',
      '/2',
    ]);
    assert.deepEqual(entry('<link>/1</link><updated>2020-02-02</updated>'), [`/1@${day}`]);
    assert.deepEqual(entry('<title>/0</title><link href="/1"/>text'), ['/1']);
  });

  it('a link of a channel does not belong to an item', () => {
    assert.deepEqual(reported(rss('<link>/home</link><item><link>/1</link></item><link>/end</link>')), ['/1']);
  });
});

describe('a feed’s polling interval', () => {
  const [minute, day] = [60_000, 86_400_000];
  const pollOf = (hints: string) => read(rss(hints)).pollMs;

  it('a feed’s polling interval is given by the channel, beside its items', () => {
    assert.equal(pollOf('<item><link>/1</link></item><ttl>5</ttl>'), 5 * minute);
    assert.equal(pollOf('<item><ttl>5</ttl><link>/1</link></item>'), 0);
    assert.equal(read('<urlset><ttl>5</ttl></urlset>').pollMs, 0, 'a sitemap has no such word');
    assert.equal(pollOf('<ttl>1234567890</ttl>'), 0, 'nobody means so long');
  });

  it('a feed’s polling interval is once per period, and daily, if only one of both is given', () => {
    assert.equal(pollOf('<sy:updatePeriod>weekly</sy:updatePeriod>'), 7 * day);
    assert.equal(pollOf('<sy:updateFrequency>2</sy:updateFrequency>'), day / 2);
    for (const odd of ['0', '-1', 'often', '1234567890'])
      assert.equal(pollOf(`<sy:updateFrequency>${odd}</sy:updateFrequency>`), day, odd);
  });
});

describe('a file that was cut', () => {
  it('a file that was cut keeps its last location if some markup ended it, and none that may continue', () => {
    const whole = '<urlset><url><loc>/1</loc></url><url><loc>/2';
    assert.deepEqual(reported(whole), ['/1']);
    for (const end of ['<', '</', '</lo', '</loc>', '</loc></url'])
      assert.deepEqual(reported(whole + end), ['/1', '/2'], end);
    assert.deepEqual(reported('<urlset><url><loc>/1</loc><lastmod>2020-02-02<'), ['/1'], 'a date that was cut is none');
    assert.deepEqual(reported('<html><loc>/1<'), []);
  });
});
