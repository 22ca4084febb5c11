import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { element } from '../../../topology/parse/elements.ts';
import { attribute, scanHtml } from '../../../topology/parse/scan.ts';
import { createText } from '../../../topology/parse/text.ts';

/** Events as short strings: `<kind href`, `>kind`, and the text itself. */
function scan(html: string): string[] {
  const events: string[] = [];
  scanHtml(
    html,
    {
      open: (kind, value) => events.push(`<${kind}${value(attribute.href)}`),
      close: (kind) => events.push(`>${kind}`),
      text: (start, end) => events.push(html.slice(start, end)),
    },
    () => false,
  );
  return events;
}
const { a, block, hiddenRaw, title, iframe } = element;

describe('tags', () => {
  it('are read in any case, with blanks where the standard has them', () => {
    assert.deepEqual(scan('<A\n HREF = x>y</A >'), [`<${a}x`, 'y', `>${a}`]);
    assert.deepEqual(scan('<a/href=x>'), [`<${a}x`]);
    assert.deepEqual(scan(`<a title='>' href="a>b">`), [`<${a}a>b`]);
  });
  it('give the first attribute of a name', () => {
    assert.deepEqual(scan('<a href=1 href=2>'), [`<${a}1`]);
    assert.deepEqual(scan('<a href href=2>'), [`<${a}`]);
    assert.deepEqual(scan('<a href=1><a>'), [`<${a}1`, `<${a}`]);
  });
  it('that the input cuts off are none', () => {
    for (const cut of ['<a href=x', '<a href="x>y', '<a', '</a']) assert.deepEqual(scan(`t${cut}`), ['t'], cut);
  });
  it('have names that are compared whole', () => {
    assert.deepEqual(scan('<ab><a1><titles><iframes>'), Array(4).fill(`<${block}`));
  });
});

describe('markup that is no tag', () => {
  it('is passed over', () => {
    for (const other of [
      '<!doctype html>',
      '<?php echo ?>',
      '</>',
      '</ p>',
      '<!-- <a> -->',
      '<!-->',
      '<!--->',
      '<!--a--!>',
    ]) {
      assert.deepEqual(scan(`x${other}y`), ['x', 'y'], other);
    }
  });
  it('is text where it opens nothing', () => {
    assert.deepEqual(scan('1 < 2 <3 <'), ['1 < 2 <3 <']);
  });
});

describe('raw text', () => {
  it('ends at its own end tag', () => {
    assert.deepEqual(scan('<script>"</b>" < <a></SCRIPT\n>x'), [`<${hiddenRaw}`, '"</b>" < <a>', `>${hiddenRaw}`, 'x']);
    assert.deepEqual(scan('<title></titles></title>'), [`<${title}`, '</titles>', `>${title}`]);
  });
  it('without an end tag is the rest', () => {
    assert.deepEqual(scan('<script><a>'), [`<${hiddenRaw}`, '<a>']);
  });
  it('does not begin where the element closes itself', () => {
    assert.deepEqual(scan('<iframe src="x"/><a>'), [`<${iframe}`, `<${a}`]);
  });
});

describe('text', () => {
  const gather = (charsMax: number, ...parts: string[]) => {
    const text = createText(charsMax);
    for (const part of parts) text.add(part, 0, part.length);
    return text.finish();
  };
  it('has one blank for many, and none at its ends', () => {
    assert.equal(gather(99, ' \n a\t\u00a0 b', 'c ', ' d\u2003', ' '), 'a bc d');
  });
  it('goes on where the first wide character stands', () => {
    assert.equal(gather(99, 'é ', 'a\u3000日本', '&amp; &#x1f600;!'), 'é a 日本& 😀!');
  });
  it('is cut at its bound, never inside a character', () => {
    assert.equal(gather(3, 'a b c'), 'a b');
    assert.equal(gather(3, 'ab😀'), 'ab');
    assert.equal(gather(4, 'ab😀c'), 'ab😀');
    assert.equal(gather(2, '&amp;&lt;&gt;'), '&<');
  });
  it('of one page says nothing of the next', () => {
    assert.equal(gather(9, '日本日本'), '日本日本');
    assert.equal(gather(9, 'ab'), 'ab');
  });
});
