/** What is read from pages, sitemaps and feeds of every form, whole, cut and damaged, as it was when it was kept. */
import { it } from 'node:test';
import { featuresOf } from '../../../topology/content/features.ts';
import { languageOf } from '../../../topology/content/language.ts';
import { simhash } from '../../../topology/content/simhash.ts';
import { textSignature } from '../../../topology/content/text-signature.ts';
import { createXmlDecoder, decodePage, decodeXml } from '../../../topology/parse/charset.ts';
import { guessCharset } from '../../../topology/parse/guess-charset.ts';
import { looksLikeFeed } from '../../../topology/parse/looks-like-feed.ts';
import { parsePage } from '../../../topology/parse/page.ts';
import { fieldTypes, fieldValue } from '../../../topology/parse/rich/field-value.ts';
import { metadataJson } from '../../../topology/parse/rich/metadata.ts';
import { readRichPage } from '../../../topology/parse/rich/rich-page.ts';
import { createSitemapReader, parseSitemap } from '../../../topology/parse/sitemap.ts';
import { isSoft404 } from '../../../topology/parse/soft-404.ts';
import { mutated } from '../../fuzz/mutate.ts';
import { assertKept } from '../../kept/assert-kept.ts';
import { bySeed, type Draw } from '../../kept/drawn.ts';
import { drawnPage, phrase } from './drawn-page.ts';

const kept = (name: string) => new URL(`${name}.json`, import.meta.url);
const words = ['<', '>', '</', '"', "'", '=', '<!--', '-->', '&', ';', '/', ' ', '<script>', '</title>', '\n'].map(
  (word) => Buffer.from(word),
);

/** After so many questions, time is up. */
function patience(questions: number): () => boolean {
  let left = questions;
  return () => left-- <= 0;
}

function options(draw: Draw) {
  return {
    url: draw.of(['https://a.example.org/folder/page?x=1', 'http://example.org/']),
    contentType: draw.of([
      null,
      'text/html',
      'text/html; charset=utf-8',
      'text/html; charset="ISO-8859-1"',
      'text/html;charset=x',
    ]),
    robotsTags: draw.of([[], [], ['noindex'], ['crawlstream: nofollow', 'other: none']]),
    productToken: 'crawlstream',
    linksMax: draw.of([3, 50]),
    textCharsMax: draw.of([60, 400, 50_000]),
    byteBudget: draw.of([500, 2 ** 20, 2 ** 20]),
    expired: draw.percent(90) ? () => false : patience(1),
  };
}

function* read(draw: Draw): Generator<unknown> {
  for (let page = 0; page < 4; page++) {
    const html = drawnPage(draw);
    const body = draw.percent(70) ? Buffer.from(html) : mutated(Buffer.from(html), draw.next, words, []);
    const parsed = parsePage(draw.percent(20) ? html : body, options(draw));
    yield parsed;
    const data = draw.percent(50);
    const wanted = {
      mainText: true,
      markdown: true,
      language: true,
      metadata: true,
      mediaLinks: { images: draw.percent(80), scripts: draw.percent(80), data },
      tidyMarkup: true,
    };
    const rich = readRichPage(
      body.toString('utf8'),
      wanted,
      'http://a.test/docs/',
      draw.percent(95) ? () => false : patience(2),
    );
    yield [rich, metadataJson(rich.metadata)];
    const { text } = parsed;
    yield [
      isSoft404(parsed.title),
      languageOf(text, parsed.declaredLanguage),
      textSignature(text),
      simhash(text, 7),
      distinctFeatures(text),
    ];
  }
}

/** Their arrays are used again, and hold what came before behind them. */
function distinctFeatures(text: string) {
  const { count, highs, lows } = featuresOf(text, 3);
  return [[...highs.subarray(0, count)], [...lows.subarray(0, count)]];
}

const charsets = ['utf-8', 'windows-1252', 'iso-8859-1', 'utf-16le', 'us-ascii', 'nonsense', 'UTF8', ' latin1 '];

function* decoded(draw: Draw): Generator<unknown> {
  for (let round = 0; round < 12; round++) {
    const label = draw.of(charsets);
    const text = `${draw.of(['', '\ufeff', ' ', `<?xml version="1.0" encoding="${label}"?>`])}<p>${phrase(draw, 12)} é € ’</p><meta charset=${draw.of(charsets)}>`;
    const bytes = Buffer.from(text, draw.of(['utf8', 'utf8', 'latin1', 'utf16le']));
    const body = draw.percent(70) ? bytes : mutated(bytes, draw.next, words, []).subarray(0, 3_000);
    const type = draw.of([null, 'text/html', `text/xml; charset=${label}`, `text/html; charset="${label}"`]);
    const stream = createXmlDecoder(type);
    const cuts = [draw.below(8), 8 + draw.below(40)].map((at) => Math.min(at, body.length));
    const pieces = [body.subarray(0, cuts[0]), body.subarray(cuts[0], cuts[1]), body.subarray(cuts[1])];
    yield [decodePage(body, type), decodeXml(body, type), pieces.map((piece) => stream.write(piece)), stream.end()];
  }
}

/** Letters of several scripts in encodings of one byte or two, with nothing that declares them. */
const unnamed: readonly ((draw: Draw) => number[])[] = [
  (draw) => [0xe0 + draw.below(32)],
  (draw) => [0xd0 + draw.below(32)],
  (draw) => [0xa1 + draw.below(80), 0xa1 + draw.below(80)],
  (draw) => [0x82, 0x9f + draw.below(80)],
  (draw) => [0xb0 + draw.below(24), 0xa1 + draw.below(90)],
  (draw) => [draw.of([0xe4, 0xf6, 0xfc, 0xdf, 0xe9])],
  (draw) => [0xc3, 0x80 + draw.below(60)],
];

function* guessed(draw: Draw): Generator<unknown> {
  for (let round = 0; round < 6; round++) {
    const deadLetter = draw.of(unnamed);
    const word = () =>
      draw.list(1 + draw.below(8), () => (draw.percent(75) ? deadLetter(draw) : [97 + draw.below(26)])).flat();
    const run = () => draw.list(draw.of([0, 1, 4, 60]), () => [...word(), 0x20]).flat();
    const piece = () => [
      ...Buffer.from(draw.of(['<p>', '<a href=x>', 'menu of words', '</p>'])),
      ...(draw.percent(60) ? run() : []),
    ];
    const body = Buffer.from(draw.list(draw.of([1, 6, 400]), piece).flat());
    const { charset, tentative, text } = decodePage(body, draw.of([null, 'text/html']));
    yield [charset, tentative, text.slice(0, 200), guessCharset(body)];
  }
}

const dates = [
  '2026-01-01',
  '2026-01-01T00:00:00+02:00',
  'Mon, 05 Jan 2026 00:00:00 GMT',
  '2026',
  '5.1.2026',
  '2026-13-40',
  '',
];

function entry(draw: Draw): string {
  const n = draw.below(20);
  const url = draw.of([
    `https://a.example.org/${n}`,
    `/rel/${n}`,
    ` https://a.example.org/s${n} `,
    `https://b.test/${n}?a=1&amp;b=2`,
    '<![CDATA[https://a.example.org/c]]>',
    'mailto:x',
    '',
  ]);
  const date = draw.of(dates);
  return draw.of([
    `<url><loc>${url}</loc><lastmod>${date}</lastmod><image:loc>https://i.test/</image:loc></url>`,
    `<url><lastmod>${date}</lastmod><loc>${url}</loc><xhtml:link rel="alternate" hreflang=de href="https://a.example.org/de/${n}"/></url>`,
    `<sitemap><loc>${url}</loc><lastmod>${date}</lastmod></sitemap>`,
    `<item rdf:about="${url}"><title>t</title><link>${url}</link><pubDate>${date}</pubDate><guid>${url}</guid></item>`,
    `<entry><link rel="${draw.of(['alternate', 'self', 'edit'])}" href="${url}"/><updated>${date}</updated><published>${date}</published></entry>`,
    `<!-- ${url} --><x:loc>${url}</x:loc>&amp;${url}\n`,
  ]);
}

const roots = [
  'urlset xmlns:image="i" xmlns:xhtml="x"',
  'sitemapindex',
  'rss version="2.0"',
  'rdf:RDF',
  'feed',
  'sm:urlset',
  'html',
];

function list(draw: Draw): string {
  const entries = draw.list(draw.below(8), () => entry(draw)).join(draw.of(['', '\n']));
  const root = draw.of(roots);
  const hint = draw.of([
    '',
    '<ttl>60</ttl>',
    '<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>',
    '<ttl>x</ttl>',
  ]);
  return draw.of([
    () => `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><${root}>${hint}${entries}</${root.split(' ')[0]}>`,
    () => `<${root}>${hint}${entries}`,
    () =>
      JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        items: draw.list(4, () => ({
          url: `https://a.example.org/${draw.below(9)}`,
          date_modified: draw.of(dates),
          external_url: draw.of([undefined, 'https://e.test/']),
        })),
      }),
    () =>
      draw
        .list(5, () => draw.of([`https://a.example.org/${draw.below(9)}`, '# no', '', ' /x ', 'http://b.test/ ok']))
        .join(draw.of(['\n', '\r\n'])),
  ])();
}

function* listed(draw: Draw): Generator<unknown> {
  for (let round = 0; round < 6; round++) {
    const text = list(draw);
    const body = draw.percent(70) ? Buffer.from(text) : mutated(Buffer.from(text), draw.next, words, []);
    const type = draw.of([null, 'application/xml', 'application/json', 'text/plain', 'text/xml; charset=iso-8859-1']);
    const url = draw.of(['https://a.example.org/sitemap.xml', 'https://a.example.org/dir/map.txt']);
    yield [parseSitemap(body, type, url), looksLikeFeed(body)];
    const reader = createSitemapReader(type, url);
    const taken: unknown[] = [];
    for (let at = 0; at < body.length; ) {
      const end = at + 1 + draw.below(60);
      reader.write(body.subarray(at, end));
      taken.push(reader.take());
      at = end;
    }
    reader.end();
    yield [taken, reader.take(), reader.form, reader.index, reader.pollMs, reader.full];
  }
}

const fields = [
  '12',
  '1,234.5',
  '-3e2',
  ' yes ',
  'off',
  '2026-01-02',
  '2026-01-02T03:04',
  '01/02/2026',
  '/x?y',
  'http://[',
  '$ 5.00',
  '1.234,50 €',
  'a  b',
  '',
  '9007199254740993',
  '12 apples',
];

it('pages keep their recorded links, text, main text, language and signatures', () => {
  assertKept(kept('pages'), bySeed(60, read));
});

it('encodings, declared and guessed, are read as recorded, in one piece and in several', () => {
  assertKept(kept('encodings'), bySeed(30, decoded));
});

it('undeclared encodings are guessed as recorded', () => {
  assertKept(kept('guessed'), bySeed(20, guessed));
});

it('sitemaps and feeds are read as recorded, in one piece and in several', () => {
  assertKept(kept('lists'), bySeed(100, listed));
});

it('fields of every type are read as recorded', () => {
  const values = fields.map((text) => fieldTypes.map((type) => fieldValue(text, type, 'https://a.test/b/')));
  assertKept(kept('fields'), new Map([['values', values]]));
});
