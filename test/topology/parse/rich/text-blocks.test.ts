/** What a page's blocks are, where each stands, and what is counted in it, at each of the bounds. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createInlineReader } from '../../../../topology/parse/rich/inline-markdown.ts';
import { readMarkup } from '../../../../topology/parse/rich/markup.ts';
import { richLimits } from '../../../../topology/parse/rich/rich-limits.ts';
import { createBlockReader, type TextBlock, type TextElement } from '../../../../topology/parse/rich/text-blocks.ts';

const never = () => false;

function blocksOf(html: string, withCells = false): readonly TextBlock[] {
  const reader = createBlockReader(withCells ? createInlineReader() : undefined);
  readMarkup(html, reader, never);
  return reader.finish();
}
const textsOf = (html: string) => blocksOf(html).map(({ text }) => text);

/** `ul>li`; of the page itself: nothing. */
function pathOf(at: TextElement): string {
  const names: string[] = [];
  for (let one: TextElement | null = at; one.parent !== null; one = one.parent) names.unshift(one.name);
  assert.equal(at.depth, names.length);
  return names.join('>');
}
/** `ul>li a`: a text and where it stands. */
const placesOf = (html: string) => blocksOf(html).map(({ text, at }) => `${pathOf(at)} ${text}`);
const headingsOf = (html: string) => blocksOf(html).map(({ heading, text }) => `${heading} ${text}`);
/** Shares of words and of characters in links. */
const linksOf = (html: string) => blocksOf(html).map(({ linkDensity, linkShare }) => [linkDensity, linkShare]);
const densitiesOf = (html: string) => blocksOf(html).map(({ linkDensity }) => linkDensity);
const wordsOf = (text: string) => blocksOf(text).map(({ words }) => words)[0];

describe('a block', () => {
  it('a block ends where a block element begins or ends, and at no other', () => {
    assert.deepEqual(textsOf('a <b>b</b>\n c<div>d</div>e<br>f<hr>g'), ['a b c', 'd', 'e', 'f', 'g']);
    assert.deepEqual(textsOf('a<b> </b>b<i>c</i>'), ['a bc'], 'what is blank parts words');
    assert.deepEqual(placesOf('<p>a<br>b<div>c<hr>d'), ['p a', 'p b', 'div c', 'div d']);
    assert.deepEqual(textsOf('<p> </p><div></div> <table><tr><td></td><td> </td></tr></table>'), []);
  });

  it('a block is a row of cells, or a term and its definition', () => {
    assert.deepEqual(textsOf('<table><tr><th>a<td>b<td>c<tr><td>d</td><td>e</td></tr><tr><td>f</table>'), [
      'a b c',
      'd e',
      'f',
    ]);
    assert.deepEqual(textsOf('<dl><dt>a</dt><dd>b</dd><dt>c<dd>d<dd>e<dt>f<dt>g</dl>'), ['a b', 'c d', 'e', 'f', 'g']);
    assert.deepEqual(textsOf('<tr><td><div>a</div>b</td><td>c<br><td>d'), ['a', 'b c', 'd']);
    assert.deepEqual(textsOf('<tr><td>a</td>b'), ['a b']);
    assert.deepEqual(textsOf('<tr><td>a<dd>b'), ['a', 'b'], 'a definition belongs to a term alone');
  });

  it('a block has no text of drawings, which separate nothing', () => {
    assert.deepEqual(textsOf('a <svg><title>b</title>c<svg><g>d</g></svg>e</svg> f'), ['a f']);
  });

  it('a block keeps its cells with their marks if asked', () => {
    const cells = (html: string) =>
      blocksOf(html, true).map((block) => block.cells!.map(({ name, text }) => [name, ...text.parts]));
    assert.deepEqual(cells('a <p>b'), [[['', 'a ']], [['', 'b']]]);
    assert.deepEqual(cells('<tr><th>a<td>b<div>c'), [
      [
        ['th', 'a'],
        ['td', 'b'],
      ],
      [['', 'c']],
    ]);
    assert.deepEqual(cells('<dt>a<dd>b'), [
      [
        ['dt', 'a'],
        ['dd', 'b'],
      ],
    ]);
    assert.deepEqual(cells('a <b>b</b> c'), [[['', 'a ', { mark: 'strong', href: '', parts: ['b'] }, ' c']]]);
    assert.equal('cells' in blocksOf('a')[0]!, false);
  });

  it('a block is read up to twice the length of main text', () => {
    const reader = createBlockReader();
    reader.text('a'.repeat(richLimits.mainTextCharsMax * 2 - 1));
    reader.text('b');
    reader.text('c');
    assert.equal(reader.finish()[0]!.text.slice(-2), 'ab');
  });
});

describe('words of a block', () => {
  it('words of a block are separated by blanks', () => {
    assert.equal(wordsOf(' one two,three\nfour!five '), 3);
    assert.deepEqual(linksOf('<a href=/x>one\u00a0two</a> \tthree'), [[2 / 3, 7 / 13]]);
  });

  it('words of a block have two characters in scripts without spaces, which Hangul is not', () => {
    assert.equal(wordsOf('日本語'), 2);
    assert.equal(wordsOf('日本 one 語文'), 3);
    const first = [0x2e7f, 0x2e80, 0xabff, 0xac00, 0xd7a3, 0xd7a4, 0xd7af, 0xd7b0];
    assert.deepEqual(
      first.map((code) => wordsOf(String.fromCharCode(code).repeat(4))),
      [1, 2, 2, 1, 1, 2, 2, 1],
    );
  });
});

describe('links in a block', () => {
  it('links in a block are measured by their share of its words and characters', () => {
    assert.deepEqual(linksOf('foo(<a href=/x>String</a> s)<p>bar</p><a href=/y>baz</a> one'), [
      [1 / 2, 6 / 13],
      [0, 0],
      [1 / 2, 3 / 7],
    ]);
    assert.deepEqual(linksOf('<a href=/x>a</a><a href=/x>b  c   d</a>'), [[1, 1]], 'never above all');
  });

  it('links in a block exclude those without an address, and to itself in a heading', () => {
    assert.deepEqual(densitiesOf('<a name=top>one'), [0]);
    assert.deepEqual(densitiesOf('<p><a href=#x>one</a></p><h1><a href=#x>one</a></h1>'), [1, 0]);
    assert.deepEqual(densitiesOf('<h1><a href=/x>one</a></h1><p><a href=#x>two'), [1, 1]);
  });

  it('links in a block end with their end tag, with the next, or with the block that they began in', () => {
    assert.deepEqual(densitiesOf('<a href=/x>one <a name=y>two three four'), [1 / 4]);
    assert.deepEqual(densitiesOf('<div><a href=/x>one</div>two<p>three'), [1, 0, 0]);
    assert.deepEqual(densitiesOf('<a href=/x><div>one</div>two</a> three'), [1, 1 / 2]);
  });
});

describe('the heading of a block', () => {
  it('the heading of a block is its rank, 1 to 6, and applies to its content', () => {
    assert.deepEqual(headingsOf('<h1>a</h1>b<h6>c<div>d</div>e</h6><h7>f</h7>'), [
      '1 a',
      '0 b',
      '6 c',
      '6 d',
      '6 e',
      '0 f',
    ]);
    assert.deepEqual(headingsOf('<h0>a</h0><h12>b</h12><x2>c</x2><hx>d</hx>'), ['0 a', '0 b', '0 c', '0 d']);
  });
});

describe('the element of a block', () => {
  it('the element of a block is closed by the next one with an optional end tag, within its list or table', () => {
    assert.deepEqual(placesOf('<ul><li>a<li>b<ol><li>c<li>d</ol><li>e</ul>f'), [
      'ul>li a',
      'ul>li b',
      'ul>li>ol>li c',
      'ul>li>ol>li d',
      'ul>li e',
      ' f',
    ]);
    assert.deepEqual(placesOf('<dl><dt>a<p>x<dl><dd>b</dl><dd>c<dd>d'), [
      'dl>dt a',
      'dl>dt>p x',
      'dl>dt>dl>dd b',
      'dl>dd c',
      'dl>dd d',
    ]);
    assert.deepEqual(placesOf('<table><tr><td>a<div>b<table><tr><td>c</table><tr><th><div>d<td>e'), [
      'table>tr>td a',
      'table>tr>td>div b',
      'table>tr>td>div>table>tr>td c',
      'table>tr>th>div d',
      'table>tr>td e',
    ]);
    assert.deepEqual(placesOf('<select><option>a<option>b'), ['select>option a', 'select>option b']);
    assert.deepEqual(placesOf('<p>a<div>b<p>c<p>d'), ['p a', 'div b', 'div>p c', 'div>p d']);
    assert.deepEqual(placesOf('<ul><li><p>a<li><p>b</ul>c'), ['ul>li>p a', 'ul>li>p b', ' c'], 'two end tags at once');
  });

  it('the element of a block is closed with its open content, by a matching end tag', () => {
    assert.deepEqual(placesOf('<div><section><ul>a</section>b</p>c</div>d'), [
      'div>section>ul a',
      'div b',
      'div c',
      ' d',
    ]);
  });

  it('the element of a block is found by an end tag up to a depth, and no further', () => {
    const nested = (count: number) => placesOf(`<main>${'<div>'.repeat(count)}</main>a`)[0];
    assert.equal(nested(richLimits.closeDepthMax - 1), ' a');
    assert.equal(nested(richLimits.closeDepthMax), `main${'>div'.repeat(richLimits.closeDepthMax)} a`);
  });

  it('the element of a block is the last distinguished one, if more are open', () => {
    const most = richLimits.depthMax;
    const html = `${'<div>'.repeat(most)}a${'<div>b'.repeat(2)}${'</div>c'.repeat(3)}<div>d${'</div>'.repeat(most)}e`;
    assert.deepEqual(
      blocksOf(html).map(({ text, at }) => `${at.depth} ${text}`),
      [`${most} a`, `${most} b`, `${most} b`, `${most} c`, `${most} c`, `${most - 1} c`, `${most} d`, '0 e'],
    );
  });

  it('the element of a block has the first of its classes', () => {
    const classOf = (attributes: string) => blocksOf(`<div ${attributes}>a`)[0]!.at.class;
    assert.deepEqual(['class=" one two"', 'class=one', 'class=" "', 'id=x'].map(classOf), ['one', 'one', '', '']);
  });

  it('the element of a block names its role, or its ancestor’s, in HTML’s main part', () => {
    const inMain = (html: string) => blocksOf(`${html}a`)[0]!.at.inMain;
    for (const [html, expected] of [
      ['<div>', ''],
      ['<main>', 'main'],
      ['<div role=main>', 'main'],
      ['<article>', 'article'],
      ['<article><div>', 'article'],
      ['<main><article>', 'main'],
      ['<article><main><div>', 'main'],
    ] as const)
      assert.equal(inMain(html), expected, html);
  });

  it('the element of a block is apart by its name or attributes, unless HTML calls it main', () => {
    const apart = (html: string) => blocksOf(`${html}a`)[0]!.at.apart;
    for (const [html, expected] of [
      ['<div>', ''],
      ['<nav>', 'element'],
      ['<div class=menu>', 'named'],
      ['<main class=menu>', ''],
      ['<div role=main class=menu>', ''],
      ['<article class=menu>', ''],
      ['<header>', 'element'],
      ['<article><header>', ''],
    ] as const)
      assert.equal(apart(html), expected, html);
  });
});
