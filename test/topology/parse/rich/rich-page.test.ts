import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FieldType, fieldValue } from '../../../../topology/parse/rich/field-value.ts';
import { metadataJson } from '../../../../topology/parse/rich/metadata.ts';
import { richLimits } from '../../../../topology/parse/rich/rich-limits.ts';
import { type RichWanted, readRichPage } from '../../../../topology/parse/rich/rich-page.ts';
import { srcsetUrls as srcsetUrlsUpTo } from '../../../../topology/parse/srcset.ts';
import { articlePage, layoutNames, overlap } from './article-pages.ts';

const everything: RichWanted = {
  mainText: true,
  markdown: true,
  language: true,
  metadata: true,
  mediaLinks: { images: true, scripts: true },
  tidyMarkup: true,
};
const base = 'http://a.test/docs/';
const read = (html: string) => readRichPage(html, everything, base, () => false);

for (const script of ['latin', 'han'] as const) {
  test(`main text is distinguished from its surroundings, in every layout, in ${script} script`, () => {
    for (const layout of layoutNames) {
      let f1 = 0;
      let all = 0;
      const pages = 40;
      for (let seed = 0; seed < pages; seed++) {
        const { html, main } = articlePage(seed, layout, script);
        const one = overlap(read(html).mainText, main).f1;
        assert.ok(one >= 0.85, `${layout} ${seed}: ${one}`);
        f1 += one / pages;
        all += overlap(html.replace(/<head>.*?<\/head>/s, '').replace(/<[^>]*>/g, ' '), main).f1 / pages;
      }
      assert.ok(f1 >= 0.94, `${layout}: F1 ${f1.toFixed(3)}`);
      assert.ok(all < 0.9, `${layout}: all of the text would do as well, ${all.toFixed(3)}`);
    }
  });
}

test('main text has the short sections of a reference, and the lines under its title', () => {
  const html =
    '<div><a href=/1>Previous</a> <a href=/2>Next page</a></div><h2>SPI_palloc</h2><p>SPI_palloc — allocate memory</p>' +
    `<h2>Description</h2><p>${'It allocates memory in the upper context. '.repeat(4)}</p>` +
    '<h2>Arguments</h2><p>size in bytes</p><h2>Return Value</h2><p>a pointer</p><h2>See</h2><p><a href=/a>all others</a></p>';
  const text = read(html).mainText;
  for (const part of ['SPI_palloc — allocate memory', 'size in bytes', 'Return Value', 'a pointer'])
    assert.ok(text.includes(part), part);
  for (const part of ['Previous', 'all others']) assert.ok(!text.includes(part), part);
});

test('a page of few words is its whole text, whichever short line looks like main text', () => {
  const html =
    '<nav><a href=/>Home</a></nav><div><h1>Constant <a href=/std>std</a> <a href=/f32>f32</a> PI_8</h1><pre>pub const PI_8: f32 = 0.39;</pre>' +
    '<p>Expand description</p><div><p>One eighth of pi</p></div></div>';
  const text = read(html).mainText;
  for (const part of ['pub const PI_8: f32 = 0.39;', 'One eighth of pi']) assert.ok(text.includes(part), part);
  assert.ok(!text.includes('Home'));
});

test('an index that HTML calls the main part is its links; lists of links beside sentences are dropped', () => {
  const links = Array.from({ length: 60 }, (_, n) => `<li><a href=/${n}>entry number ${n}</a></li>`).join('');
  assert.match(read(`<main><h1>Index</h1><ul>${links}</ul></main>`).mainText, /entry number 7\n/);
  assert.doesNotMatch(read(`<h1>Index</h1><ul>${links}</ul><p>${'word '.repeat(60)}</p>`).mainText, /entry number/);
  const reported = read(`<main><h1>About</h1><p>${'word '.repeat(60)}</p><ul>${links}</ul></main>`).mainText;
  assert.doesNotMatch(reported, /entry number/);
});

test('a heading that links to itself is a heading', () => {
  const html = `<h2><a href="#part">Part one</a></h2><p>${'word '.repeat(40)}</p><p><a href=/next>Next part</a></p>`;
  assert.match(read(html).mainText, /^Part one\nword/);
});

test('a sentence that is nearly half a link stays if HTML or its element calls everything main', () => {
  const sentence = '<p>If you have a connection, you can <a href=/old>find a copy with the old release</a>.</p>';
  const prose = `<p>${'word '.repeat(40)}</p>`;
  assert.match(read(`<main>${prose}${sentence}</main>`).mainText, /old release/);
  assert.match(read(`<div>${prose}${sentence}</div>`).mainText, /old release/);
  assert.doesNotMatch(read(`${prose}${sentence}`).mainText, /old release/);
});

test('main text keeps the order and the headings, a line per block', () => {
  const long = 'word '.repeat(30).trim();
  const html = `<nav><a href=/>Home</a></nav><h1>Title</h1><p>${long}</p><h2>Part &amp; parcel</h2><p>${long}</p><footer>${long}</footer>`;
  assert.equal(read(html).mainText, ['Title', long, 'Part & parcel', long].join('\n'));
});

test('a page of links has no main text', () => {
  assert.equal(read(`<ul>${'<li><a href=/x>somewhere else entirely</a></li>'.repeat(40)}</ul>`).mainText, '');
});

test('an anchor is no link, closed or not, and an unclosed link ends with its block', () => {
  const long = 'word '.repeat(30).trim();
  for (const anchor of ['<a name=top>', '<a id="x">', '<a class=anchor name="#y">'])
    assert.equal(
      read(`${anchor}<h1>Title</h1><p>${long}</p><p>${long}</p>`).mainText,
      ['Title', long, long].join('\n'),
      anchor,
    );
  assert.equal(read(`<div><a href=/x>Next</div><p>${long}</p>`).mainText, long);
  assert.equal(read(`<p><a href=/x>one<a name=y>${long}</p>`).mainText, `one${long}`);
});

test('content between two paragraphs is main text: bullets, code, the rows of a table', () => {
  const long = 'word '.repeat(45).trim();
  const html =
    `<p>${long}</p><ul><li>one short thing</li><li>another</li></ul><pre>x = 1</pre>` +
    `<table><tr><th>Name</th><th>Meaning</th></tr><tr><td>size</td><td>in bytes</td></tr></table>` +
    `<dl><dt>path</dt><dd>where it lies</dd></dl><ul><li><a href=/>elsewhere</a></li></ul><p>${long}</p>`;
  const lines = ['one short thing', 'another', 'x = 1', 'Name Meaning', 'size in bytes', 'path where it lies'];
  assert.equal(read(html).mainText, [long, ...lines, long].join('\n'));
});

test('a page too short to judge is its text, without its lists of links', () => {
  const html =
    '<nav><a href=/>Home</a> of all</nav><h1>size()</h1><p>Gives the size.</p><ul><li><a href=/a>Other</a></ul><table><tr><td>Since<td>1.2</table>';
  assert.equal(read(html).mainText, ['size()', 'Gives the size.', 'Since 1.2'].join('\n'));
});

test('language is detected in the main text, or else taken from the page', () => {
  const german =
    'Der Wind weht über die Felder und es ist nicht kalt, aber auch nicht warm, wie es im Winter oft ist. ';
  assert.equal(read(`<html lang=en><nav>the of and to in is that</nav><p>${german.repeat(3)}</p>`).language, 'de');
  const short = read('<html lang="pt-BR"><p>Oi</p>');
  assert.deepEqual([short.language, short.declaredLanguage], ['pt', 'pt-br']);
});

test('Open Graph and JSON-LD are taken as written; invalid JSON is counted', () => {
  const { metadata } = read(
    `<META PROPERTY="og:title" CONTENT="A &amp; B"><meta property=og:image content=/1.png><meta property=og:image content=/2.png>
     <meta name="twitter:card" content=summary><meta name=viewport content=x>
     <script type="application/ld+json">{"@type":"Product","name":"<b>x</b>"}</script>
     <SCRIPT TYPE="application/ld+json; charset=utf-8"><!-- [1] --></SCRIPT>
     <script type="application/ld+json">{broken</script><script>{"not":"linked"}</script>`,
  );
  assert.deepEqual(metadata, {
    openGraph: { 'og:title': ['A & B'], 'og:image': ['/1.png', '/2.png'], 'twitter:card': ['summary'] },
    jsonLd: [{ '@type': 'Product', name: '<b>x</b>' }, [1]],
    jsonLdBroken: 1,
  });
});

test('metadata in a record is bounded, and stays JSON for any page', () => {
  const block = `<script type="application/ld+json">${JSON.stringify('x'.repeat(30_000))}</script>`;
  const json = metadataJson(read(block.repeat(5)).metadata);
  assert.ok(json.length <= richLimits.metadataCharsMax);
  assert.equal(JSON.parse(json).jsonLd.length, 2);
  assert.equal(metadataJson(read('<p>none').metadata), '');
});

const srcsetUrls = (srcset: string) => srcsetUrlsUpTo(srcset, 100);

test('srcset is split where the standard splits it', () => {
  assert.deepEqual(srcsetUrls('a.png, b.png 2x,c.png 3x'), ['a.png', 'b.png', 'c.png']);
  assert.deepEqual(srcsetUrls('/w_300,h_200/a.png 300w, data:image/png;base64,AA== 1x'), [
    '/w_300,h_200/a.png',
    'data:image/png;base64,AA==',
  ]);
  assert.deepEqual(srcsetUrls(' ,, a.png,, b.png'), ['a.png', 'b.png']);
  assert.deepEqual(srcsetUrls('a.png x(1,2) y, b.png'), ['a.png', 'b.png']);
  assert.deepEqual(srcsetUrls(''), []);
});

test('images, their candidates and URLs in scripts become links', () => {
  const { mediaLinks } = read(
    `<img src="/a.png" srcset="/b.png 2x"><picture><source srcset=/c.webp></picture><script src=/app.js></script>
     <script>load("https:\\/\\/cdn.test\\/d.json"); other('http://e.test/f'); broken("https://")</script><style>u("http://no.test")</style>`,
  );
  assert.deepEqual(mediaLinks, [
    '/a.png',
    '/b.png',
    '/c.webp',
    '/app.js',
    'https://cdn.test/d.json',
    'http://e.test/f',
  ]);
});

test('tidy markup is closed, in lower case, within its depth limit, and without scripts', () => {
  assert.equal(
    read('<DIV Class=A><p>one<p>two<ul><li>x<li>y</ul><br/><script>if (a < b) "</div>"</script></DIV>').tidyMarkup,
    '<div class="A"><p>one</p><p>two</p><ul><li>x</li><li>y</li></ul><br><script></script></div>',
  );
  const deep = read(`${'<b>'.repeat(5_000)}text`).tidyMarkup;
  assert.equal(deep.match(/<b>/g)?.length, richLimits.depthMax);
  assert.ok(deep.includes('text') && deep.endsWith('</b>'));
});

for (const [type, text, value] of [
  ['number', '€ 1,299.00', '1299'],
  ['number', '1.299,50 EUR', '1299.5'],
  ['number', "CHF 1'299.–", '1299'],
  ['number', '12,5', '12.5'],
  ['number', '1,299', '1299'],
  ['number', '0.125', '0.125'],
  ['number', '1 234 567', '1234567'],
  ['number', '−3', '-3'],
  ['number', '3 of 5', null],
  ['number', 'none', null],
  ['integer', '3 reviews', '3'],
  ['integer', '3.5', null],
  ['boolean', 'Yes', 'true'],
  ['boolean', 'perhaps', null],
  ['date', '2026-11-21', '2026-11-21T00:00:00.000Z'],
  ['date', '2026-11-21T10:00:00+01:00', '2026-11-21T09:00:00.000Z'],
  ['date', '2026-11-21 10:00', '2026-11-21T10:00:00.000Z'],
  ['date', '01/02/2026', null],
  ['date', '2026-13-45', null],
  ['url', '/p?q=1', 'http://a.test/p?q=1'],
  ['url', 'javascript:alert(1)', null],
  ['string', '  a \n b ', 'a b'],
] as const satisfies readonly (readonly [FieldType, string, string | null])[]) {
  test(`as ${type}, ${JSON.stringify(text)} is ${value ?? 'no value'}`, () => {
    const read = fieldValue(text, type, 'http://a.test/x');
    assert.deepEqual('value' in read ? read.value : null, value);
    if ('problem' in read) assert.match(read.problem, new RegExp(`is not a valid ${type}$`));
  });
}

test('hostile pages cost time in proportion to their size', () => {
  const size = 20_000;
  for (const evil of [
    '<div>',
    '<a href=x>',
    '</div>',
    '<div>x</p>',
    '<',
    '&amp',
    '<p',
    '<img srcset="a,b">',
    '<table><tr><td>x y<br>',
  ]) {
    // Four times the page within sixteen times the work: only what is quadratic is beyond.
    const work = (times: number) => {
      let looks = 0;
      const started = process.cpuUsage();
      readRichPage(evil.repeat(times), everything, base, () => ++looks < 0);
      const { user, system } = process.cpuUsage(started);
      return user + system;
    };
    work(size);
    const once = Math.min(work(size), work(size));
    assert.ok(work(size * 4) < Math.max(once, 20_000) * 16, evil);
  }
});

test('addresses in data attributes are links if asked for, and words are not', () => {
  const html =
    '<a data-href="/more" href="#">x</a><div data-src="https://b.test/p.html" data-id=7 data-name="and/or" data-json=\'{"a":"/b"}\'>' +
    '<img data-srcset="/s.png 1x, ../l.png 2x" data-target="#x">';
  const asked = (data: boolean) =>
    readRichPage(html, { ...everything, mediaLinks: { images: false, scripts: false, data } }, base, () => false)
      .mediaLinks;
  assert.deepEqual(asked(true), ['/more', 'https://b.test/p.html', '/s.png', '../l.png']);
  assert.deepEqual(asked(false), []);
});
