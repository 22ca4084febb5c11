/** What a block's marks become: how marks nest and end, and which signs stand where CommonMark reads them back. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type CellName,
  createInlineReader,
  type InlineCell,
  inlineMarkdown,
  longestRun,
  type MarkedText,
  rawText,
} from '../../../../topology/parse/rich/inline-markdown.ts';
import { readMarkup } from '../../../../topology/parse/rich/markup.ts';

const never = () => false;
const cellNames = ['td', 'th', 'dt', 'dd'];

/** The cells of each block: `<take>` begins the next. */
function blocksOf(html: string): (readonly InlineCell[])[] {
  const reader = createInlineReader();
  const blocks: (readonly InlineCell[])[] = [];
  const open = (name: string, attributes: ReadonlyMap<string, string>) => {
    if (name === 'take') blocks.push(reader.take());
    else if (cellNames.includes(name)) reader.cell(name as CellName);
    else reader.open(name, attributes);
  };
  readMarkup(html, { open, close: reader.close, text: reader.text }, never);
  blocks.push(reader.take());
  return blocks;
}

/** `strong(one em(two))`, parts with `|` between. */
function shape({ mark, href, parts }: MarkedText): string {
  const inner = parts.map((part) => (typeof part === 'string' ? part : shape(part))).join('|');
  return mark === '' ? inner : `${mark}${href}(${inner})`;
}
/** `td=one th=two`, blocks with ` / ` between. */
const shapeOf = (html: string) =>
  blocksOf(html)
    .map((cells) => cells.map(({ name, text }) => (name === '' ? shape(text) : `${name}=${shape(text)}`)).join(' '))
    .join(' / ');

const resolve = (href: string) => (href.startsWith('/') ? `http://a.test${href}` : null);
const markdown = (html: string) => inlineMarkdown(blocksOf(html)[0]![0]!.text, resolve);

describe('inline marks', () => {
  it('inline marks are those of emphasis, code and links', () => {
    const names = 'b strong i em cite dfn var code kbd samp tt a span'.split(' ');
    assert.equal(
      names.map((name) => shapeOf(`<${name}>x</${name}>`)).join(' '),
      'strong(x) strong(x) em(x) em(x) em(x) em(x) em(x) code(x) code(x) code(x) code(x) a(x) x',
    );
  });

  it('inline marks end with their end tag, and end those inside; an unmatched one is skipped', () => {
    assert.equal(shapeOf('<b><i>x</i>y</b>z'), 'strong(em(x)|y)|z');
    assert.equal(shapeOf('<b><i>x</b>y</i>z'), 'strong(em(x))|yz');
    assert.equal(shapeOf('<b>x</i>y</strong>z</span>!'), 'strong(xy)|z!');
    assert.equal(shapeOf('<b>1<b>2</b>3</b>4'), 'strong(1|strong(2)|3)|4', 'the last of its kind');
    assert.equal(shapeOf('<b href=/x>1</b>'), 'strong(1)', 'links alone lead somewhere');
    assert.equal(shapeOf('<a href=/x>1<b>2<a href=/y>3</a>4'), 'a/x(1|strong(2))|a/y(3)|4');
  });

  it('inline marks are nested at most sixteen deep, and others are skipped with their end tags', () => {
    const most = 16;
    const nested = (inner: string) => `${'strong('.repeat(most)}${inner}`;
    assert.equal(shapeOf(`${'<b>'.repeat(most)}x`), nested(`x${')'.repeat(most)}`));
    assert.equal(shapeOf(`${'<b>'.repeat(most + 2)}x</b></b>y</b>z`), nested(`xy)|z${')'.repeat(most - 1)}`));
    assert.equal(
      shapeOf(`${'<b>'.repeat(most + 1)}x<span></span></b>y</b>z`),
      nested(`xy)|z${')'.repeat(most - 1)}`),
      'with no other',
    );
    assert.equal(shapeOf(`${'<b>'.repeat(most + 1)}<take><b>x</b>y`).split(' / ')[1], 'strong(x)|y');
  });

  it('inline marks end with the block, or the cell; a link continues', () => {
    assert.equal(shapeOf('<b>1<take>2'), 'strong(1) / 2');
    assert.equal(shapeOf('<b><a href=/x>1<take>2</a>3'), 'strong(a/x(1)) / a/x(2)|3');
    assert.equal(
      shapeOf('<td><i><a href=/x>1<td>2</a>3<th>4<b>5<dd>6'),
      'td=em(a/x(1)) td=a/x(2)|3 th=4|strong(5) dd=6',
    );
  });
});

describe('cells of inline Markdown', () => {
  it('cells of inline Markdown include text before the first, unless it is blank', () => {
    assert.equal(shapeOf('1<td>2<take> <b> </b> <td>3<take><b>4</b><td>5'), '1 td=2 / td=3 / strong(4) td=5');
    assert.equal(shapeOf('<td> <td> <td>1'), 'td=  td=  td=1', 'cells themselves may be blank');
    assert.equal(shapeOf('1<take>'), '1 / ', 'and of nothing come none');
  });
});

describe('the words without marks', () => {
  it('the words without marks are those of all marks', () => {
    assert.equal(rawText(blocksOf('1 <b>2 <code>3</code></b> 4')[0]![0]!.text), '1 2 3 4');
  });
});

const cases: Readonly<Record<string, readonly (readonly [html: string, markdown: string])[]>> = {
  blanks: [
    ['  a\n\n b\t ', 'a b'],
    ['a<b> b </b>c<a href=/x> d </a>e', 'a **b** c [d](http://a.test/x) e'],
    ['a<b> </b>b<i></i>c', 'a bc'],
  ],
  'emphasis within emphasis, which is left out': [
    ['<b>a <i>b</i> c</b> <i>d <b>e</b></i>', '**a b c** *d e*'],
    ['<b>a <a href=/x>b <i>c</i></a></b>', '**a [b c](http://a.test/x)**'],
    ['<a href=/x>a <b>b</b></a>', '[a **b**](http://a.test/x)'],
  ],
  'emphasis where its signs would flank nothing': [
    ['a<b>b</b>c', 'a**b**c'],
    ['a<b>.b</b> <b>c.</b>d', 'a.b c.d'],
    ['(<b>.b.</b>) <b>.c.</b>', '(**.b.**) **.c.**'],
    ['a<b> .b. </b>c', 'a **.b.** c'],
    ['a<b>€b</b> a<b>🎉b</b> 🎉<b>€b</b>', 'a€b a🎉b 🎉**€b**'],
    ['<b>c€</b>d <b>c€</b>🎉', 'c€d **c€**🎉'],
  ],
  'emphasis beside emphasis': [
    ['<b>a</b><b>b</b>', 'a**b**'],
    ['<b>a </b><i>b</i>', '**a** *b*'],
    ['*<b>a</b> *<b> b</b>', '\\*a \\* **b**'],
  ],
  'links that go nowhere': [['<a href=x>a <b>b</b></a> <a>c</a>', 'a **b** c']],
  'addresses with signs': [['<a href="/(\\<&gt;&#10; )">a</a>', '[a](http://a.test/%28%5C%3C%3E%0A%20%29)']],
  'exclamation marks, which make pictures of links': [
    ['a!<b>b</b> a!<code>c</code> a!<a href=/x>d</a>', 'a\\!**b** a\\!`c` a\\![d](http://a.test/x)'],
    ['<b>a!</b><a href=/x>b</a>', '**a\\!**[b](http://a.test/x)'],
    ['a! <b>b!</b> c!', 'a! **b!** c!'],
  ],
  code: [
    ['<code>a*  b</code> <code>c</code>', '`a* b` `c`'],
    ['x<code> a </code>y<code>  </code>z', 'x `a` y z'],
    ['<code>a``b`c</code> <code>`a</code> <code>a`</code>', '```a``b`c``` `` `a `` `` a` ``'],
    ['<code>a</code><code>b</code><b>c</b><code>d</code>', '`ab`**c**`d`'],
    ['`<code>a*</code>', '\\`a\\*'],
    ['<code>a</code><b><code>b*</code></b>', '`a`**b\\***'],
    ['<code>a<b>b</b></code>', '`ab`'],
  ],
  'signs that are none': [
    ['\\ ` * [ ] &lt; &gt; ~ |', '\\\\ \\` \\* \\[ \\] \\< \\> \\~ \\|'],
    ['&amp;amp; &amp;#65; & a&b', '\\&amp; \\&#65; & a&b'],
    ['a_b _c_ d_', 'a_b \\_c\\_ d\\_'],
  ],
};

for (const [about, each] of Object.entries(cases))
  describe('inline Markdown', () => {
    it(`inline Markdown of ${about}`, () => {
      for (const [html, expected] of each) assert.equal(markdown(html), expected, html);
    });
  });

describe('the beginning of a line', () => {
  it('the beginning of a line has no sign of a heading, a list or a rule', () => {
    for (const [text, expected] of [
      ['# a', '\\# a'],
      ['###### a', '\\###### a'],
      ['####### a', '####### a'],
      ['#a', '#a'],
      ['#', '\\#'],
      ['- a', '\\- a'],
      ['-a', '-a'],
      ['+', '\\+'],
      ['==', '\\=='],
      ['1. a', '1\\. a'],
      ['12) a', '12\\) a'],
      ['123456789.', '123456789\\.'],
      ['1234567890. a', '1234567890. a'],
      ['1.a', '1.a'],
    ] as const)
      assert.equal(markdown(text), expected);
  });
});

describe('the longest run of a character', () => {
  it('the longest run of a character is zero, or the longest of several', () => {
    assert.deepEqual(
      ['', 'b', 'a', 'aabaaaba', 'aab'].map((text) => longestRun(text, 'a')),
      [0, 0, 1, 3, 2],
    );
  });
});
