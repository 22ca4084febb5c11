/** Which markup a tree is built of. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readMarkup } from '../../../../topology/parse/rich/markup.ts';
import { richLimits } from '../../../../topology/parse/rich/rich-limits.ts';
import { createTidyMarkup } from '../../../../topology/parse/rich/tidy-markup.ts';

function tidied(html: string): string {
  const tidy = createTidyMarkup();
  const text = (text: string, raw: boolean) => {
    if (!raw) tidy.text(text);
  };
  readMarkup(html, { open: tidy.open, close: tidy.close, text }, () => false);
  return tidy.finish();
}

describe('tidy markup', () => {
  it('tidy markup has names in lower case, and text and values escaped', () => {
    assert.equal(
      tidied(`<DIV ID="a" title='"b" &amp; <c>' x>1 &lt; 2 &amp; 3</DIV>`),
      '<div id="a" title="&quot;b&quot; &amp; &lt;c&gt;" x="">1 &lt; 2 &amp; 3</div>',
    );
  });

  it('tidy markup has names that a tree accepts', () => {
    assert.equal(
      tidied('<x-y1 a.b-c:d=1 @click=2 :e=3 _f=4 1g=5 [h]=6><a:b>x</a:b>'),
      '<x-y1 a.b-c:d="1" @click="2" :e="3" _f="4">x</x-y1>',
    );
  });

  it('tidy markup closes every element in order, and none twice', () => {
    assert.equal(tidied('<div><b>x</div>y</b></p>'), '<div><b>x</b></div>y');
    assert.equal(tidied('<div><p>x<br>y<img>'), '<div><p>x<br>y<img></p></div>');
  });

  it('tidy markup has what follows an element that closes itself beside it, not in it', () => {
    assert.equal(tidied('<div><iframe src="/x"/><p>a</div>'), '<div><iframe src="/x"></iframe><p>a</p></div>');
    assert.equal(tidied('<div><script src="/x"/></script><p>a</div>'), '<div><script src="/x"></script><p>a</p></div>');
    assert.equal(tidied('<svg><script/><style/><g/></svg>a'), '<svg><script></script><style></style><g></g></svg>a');
  });

  it('tidy markup ends a paragraph where a block begins', () => {
    const blocks =
      'address article aside blockquote details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header main nav ol p pre section table ul';
    for (const name of blocks.split(' ')) assert.equal(tidied(`<p>x<${name}>`), `<p>x</p><${name}></${name}>`);
    assert.equal(tidied('<p>x<hr>y'), '<p>x</p><hr>y');
    assert.equal(tidied('<p>x<span>y<div>'), '<p>x<span>y<div></div></span></p>');
  });

  it('tidy markup ends an item, a cell or a row where the next begins', () => {
    assert.equal(tidied('<ul><li>a<li>b</ul>'), '<ul><li>a</li><li>b</li></ul>');
    assert.equal(
      tidied('<dl><dt>a<dd>b<dt>c<dt>d<dd>e<dd>f'),
      '<dl><dt>a</dt><dd>b</dd><dt>c</dt><dt>d</dt><dd>e</dd><dd>f</dd></dl>',
    );
    assert.equal(
      tidied('<tr><td>a<th>b<td>c<td>d<th>e<th>f'),
      '<tr><td>a</td><th>b</th><td>c</td><td>d</td><th>e</th><th>f</th></tr>',
    );
    assert.equal(
      tidied('<table><tr><td>a<tr><th>b<tr><tr><td>c</table>d'),
      '<table><tr><td>a</td></tr><tr><th>b</th></tr><tr></tr><tr><td>c</td></tr></table>d',
      'a row with its last cell',
    );
    assert.equal(
      tidied('<ul><li><p>a<li>b</ul><table><tr><td><p>a<td>b<p>c<tr><td>d'),
      '<ul><li><p>a</p></li><li>b</li></ul><table><tr><td><p>a</p></td><td>b<p>c</p></td></tr><tr><td>d</td></tr></table>',
      'and with its paragraph',
    );
    assert.equal(tidied('<div><p>a<li>b'), '<div><p>a<li>b</li></p></div>');
    assert.equal(tidied('<tr><tr>a'), '<tr></tr><tr>a</tr>');
    assert.equal(tidied('<select><option>a<option>b'), '<select><option>a</option><option>b</option></select>');
    assert.equal(tidied('<ul><li><b>a<li>b'), '<ul><li><b>a<li>b</li></b></li></ul>', 'the innermost alone');
  });

  it('tidy markup has a maximum depth, and deeper elements keep their text', () => {
    const most = richLimits.depthMax;
    const deep = (count: number) => tidied(`${'<b>'.repeat(count)}x`);
    const expected = `${'<b>'.repeat(most)}x${'</b>'.repeat(most)}`;
    assert.deepEqual([deep(most), deep(most + 1)], [expected, expected]);
  });

  it('tidy markup looks up to a depth for the element of an end tag', () => {
    const closed = (between: number) => tidied(`<div>${'<b>'.repeat(between)}</div>x`).endsWith('x');
    assert.equal(closed(richLimits.closeDepthMax - 1), true);
    assert.equal(closed(richLimits.closeDepthMax), false);
  });

  it('tidy markup has a maximum length, except its end tags', () => {
    const most = richLimits.tidyCharsMax;
    const tidy = createTidyMarkup();
    tidy.open('p', new Map());
    tidy.text('x'.repeat(most - 4));
    tidy.text('yy');
    tidy.text('z');
    tidy.text('z');
    tidy.open('b', new Map());
    assert.equal(tidy.finish(), `<p>${'x'.repeat(most - 4)}z</b></p>`);
  });
});
