import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { element } from '../../../topology/parse/elements.ts';
import { parseLimits } from '../../../topology/parse/parse-limits.ts';
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
  it('tags are read in any case, with blanks where the standard allows them', () => {
    assert.deepEqual(scan('<A\n HREF = x>y</A >'), [`<${a}x`, 'y', `>${a}`]);
    assert.deepEqual(scan('<a/href=x>'), [`<${a}x`]);
    assert.deepEqual(scan(`<a title='>' href="a>b">`), [`<${a}a>b`]);
  });
  it('tags use the first attribute of a name', () => {
    assert.deepEqual(scan('<a href=1 href=2>'), [`<${a}1`]);
    assert.deepEqual(scan('<a href href=2>'), [`<${a}`]);
    assert.deepEqual(scan('<a href=1><a>'), [`<${a}1`, `<${a}`]);
  });
  it('tags that the input cuts off are ignored', () => {
    for (const cut of ['<a href=x', '<a href="x>y', '<a', '</a']) assert.deepEqual(scan(`t${cut}`), ['t'], cut);
  });
  it('tags have names that are compared whole', () => {
    assert.deepEqual(scan('<ab><a1><titles><iframes>'), Array(4).fill(`<${block}`));
  });
});

describe('attributes', () => {
  const names = ['href', 'src', 'rel', 'name', 'content', 'http-equiv', 'charset', 'type', 'lang', 'xlink:href'];
  /** What each of them is, in that order, in the first tag. */
  function valuesOf(html: string): string {
    let values: string[] = [];
    const open = (_: unknown, value: (name: (typeof attribute)[keyof typeof attribute]) => string) => {
      if (values.length === 0) values = Object.values(attribute).map(value);
    };
    scanHtml(html, { open, close: () => {}, text: () => {} }, () => false);
    return values.join('|');
  }

  it('attributes are separate, in any order and case, and empty if absent', () => {
    assert.deepEqual(Object.values(attribute), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const written = names.map((name, n) => `${n % 2 === 0 ? name : name.toUpperCase()}=${n}`);
    for (const all of [written, [...written].reverse()])
      assert.equal(valuesOf(`<meta ${all.join(' ')}>`), '0|1|2|3|4|5|6|7|8|9');
    assert.equal(valuesOf('<meta xml:lang=x title=y namex=1 nam=2 http-equivx=3>'), '||||||||x|');
    assert.equal(valuesOf('<meta>'), '|||||||||');
  });

  it('attributes are read and decoded in elements with wanted ones', () => {
    for (const name of ['a', 'area', 'link', 'meta', 'base', 'frame', 'iframe', 'html'])
      assert.equal(valuesOf(`<${name} href='x&amp;y'>`), 'x&y|||||||||', name);
    for (const name of ['p', 'title', 'script', 'svg', 'main', 'span', 'nav'])
      assert.equal(valuesOf(`<${name} href=x>`), '|||||||||', name);
  });

  it('attributes may have quotes, blanks around the sign, and signs in them', () => {
    for (const [written, expected] of [
      ['href = "a b"', 'a b'],
      ["href= 'a\"b'", 'a"b'],
      ['href=a/b/', 'a/b/'],
      ['href=a=b', 'a=b'],
      ['href=""', ''],
      ['href src=x', ''],
      ['=href=x', ''],
      ['href=a"b', 'a"b'],
      ['/href=a', 'a'],
    ] as const)
      assert.equal(valuesOf(`<a ${written}>`).split('|')[0], expected, written);
  });
});

describe('an element that closes itself', () => {
  const rawOf = (html: string) => {
    const raws: boolean[] = [];
    scanHtml(html, { open: (_, __, raw) => raws.push(raw), close: () => {}, text: () => {} }, () => false);
    return raws;
  };

  it('a self-closing element has no raw text; a slash that ends a value does not close it', () => {
    const closed = ['<iframe/>', '<iframe />', '<iframe src="x"/>', '<iframe src=x />'];
    const open = ['<iframe>', '<iframe src=x/>', '<iframe src="/">', '<iframe / >'];
    assert.deepEqual(
      [...closed, ...open].map((html) => rawOf(html)[0]),
      [false, false, false, false, true, true, true, true],
    );
  });
});

describe('the input of the scanner', () => {
  it('the input of the scanner is passed on in non-empty pieces', () => {
    assert.deepEqual(scan('<!-- --><?x?><p></p><!x>'), [`<${block}`, `>${block}`]);
    assert.deepEqual(scan(''), []);
    assert.deepEqual(scan('x'), ['x']);
  });

  it('the input of the scanner is read until its deadline, checked at the first tag behind each slice', () => {
    const { sliceChars } = parseLimits;
    const asked = (html: string, answer = false) => {
      let count = 0;
      const texts: number[] = [];
      const events = { open: () => {}, close: () => {}, text: (start: number, end: number) => texts.push(start, end) };
      const whole = scanHtml(html, events, () => {
        count += 1;
        return answer;
      });
      return [count, whole, texts];
    };
    const text = 'x'.repeat(sliceChars - 3);
    assert.deepEqual(asked(`<b>${text.slice(1)}<b>`), [0, true, [3, sliceChars - 1]]);
    assert.deepEqual(asked(`<b>${text}<b><b>`), [1, true, [3, sliceChars]]);
    assert.deepEqual(asked(`<b>${text}<b>y<b>`, true), [1, false, [3, sliceChars]]);
    assert.deepEqual(asked(`<b>${text}</b>${text}${text}<b>`), [
      2,
      true,
      [3, sliceChars, sliceChars + 4, sliceChars * 3 - 2],
    ]);
    assert.deepEqual(asked(`${'<'.repeat(sliceChars)}<b>`, true), [1, false, [0, sliceChars]]);
  });
});

describe('invalid markup', () => {
  it('invalid markup is skipped', () => {
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
  it('invalid markup is text if it opens nothing', () => {
    assert.deepEqual(scan('1 < 2 <3 <'), ['1 < 2 <3 <']);
  });
});

describe('raw text', () => {
  it('raw text ends at its own end tag', () => {
    assert.deepEqual(scan('<script>"</b>" < <a></SCRIPT\n>x'), [`<${hiddenRaw}`, '"</b>" < <a>', `>${hiddenRaw}`, 'x']);
    assert.deepEqual(scan('<title></titles></title>'), [`<${title}`, '</titles>', `>${title}`]);
  });
  it('raw text without an end tag continues to the end of the input', () => {
    assert.deepEqual(scan('<script><a>'), [`<${hiddenRaw}`, '<a>']);
  });
  it('raw text does not begin in a self-closing element', () => {
    assert.deepEqual(scan('<iframe src="x"/><a>'), [`<${iframe}`, `<${a}`]);
  });
});

describe('collected text', () => {
  const gather = (charsMax: number, ...parts: string[]) => {
    const text = createText(charsMax);
    for (const part of parts) text.add(part, 0, part.length);
    return text.finish();
  };
  it('collected text has one blank for many, and none at its ends', () => {
    assert.equal(gather(99, ' \n a\t\u00a0 b', 'c ', ' d\u2003', ' '), 'a bc d');
  });
  it('collected text continues at the first wide character', () => {
    assert.equal(gather(99, 'é ', 'a\u3000日本', '&amp; &#x1f600;!'), 'é a 日本& 😀!');
  });
  it('collected text is cut at its bound, never inside a character', () => {
    assert.equal(gather(3, 'a b c'), 'a b');
    assert.equal(gather(3, 'ab😀'), 'ab');
    assert.equal(gather(4, 'ab😀c'), 'ab😀');
    assert.equal(gather(2, '&amp;&lt;&gt;'), '&<');
  });
  it('collected text of one page does not affect the next', () => {
    assert.equal(gather(9, '日本日本'), '日本日本');
    assert.equal(gather(9, 'ab'), 'ab');
  });
});
