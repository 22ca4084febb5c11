/** Which events a document gives: names, attributes, texts, what closes what, and the bounds of each. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readMarkup } from '../../../../topology/parse/rich/markup.ts';
import { richLimits } from '../../../../topology/parse/rich/rich-limits.ts';

const { sliceChars, nameCharsMax, attributesMax, valueCharsMax } = richLimits;

/** `<name attribute=value>`, `</name>`, a text as it is, a raw one in brackets. */
function eventsOf(html: string, expired = () => false): string[] {
  const events: string[] = [];
  readMarkup(
    html,
    {
      open(name, attributes) {
        events.push(`<${[name, ...[...attributes].map(([key, value]) => `${key}=${value}`)].join(' ')}>`);
      },
      close: (name) => events.push(`</${name}>`),
      text: (text, raw) => events.push(raw ? `[${text}]` : text),
    },
    expired,
  );
  return events;
}
const eventsIn = (html: string) => eventsOf(html).join(' ');
const attributesOf = (html: string) => eventsOf(html)[0]!.slice(1, -1).split(' ').slice(1);

describe('elements', () => {
  it('elements have names in lower case, and texts with entities decoded', () => {
    assert.equal(eventsIn('a<P>b &amp; c</P>d < e'), 'a <p> b & c </p> d < e');
    assert.equal(eventsIn('a<!-- x -->b<!doctype html>c<?x?>d'), 'a b c d');
    assert.equal(eventsIn('<svg>a<![CDATA[x]]>b</svg>c<![CDATA[x]]>d'), '<svg> a b </svg> c d');
  });

  it('scripts and similar elements have raw text', () => {
    for (const name of ['script', 'style', 'noembed', 'noframes', 'iframe', 'xmp'])
      assert.equal(eventsIn(`<${name}>a&amp;b</${name}>c&amp;d`), `<${name}> [a&amp;b] </${name}> c&d`);
    assert.equal(eventsIn('<script>a<b>c</script>'), '<script> [a<b>c] </script>');
    for (const name of ['script', 'style', 'iframe', 'xmp', 'title', 'textarea', 'plaintext'])
      assert.equal(eventsIn(`<${name} x=1 /><p>a&amp;b`), `<${name} x=1> <p> a&b`, 'closes itself');
  });

  it('elements are closed only by end tags in HTML', () => {
    assert.equal(eventsIn('<br><br/><div/></p></DIV>'), '<br> <br> <div> </p> </div>');
  });

  it('elements have bounded names', () => {
    const [most, more] = ['x'.repeat(nameCharsMax), 'x'.repeat(nameCharsMax + 1)];
    assert.equal(
      eventsIn(`<${most}></${most}><${more} ${more}></${more}>`),
      `<${most}> </${most}> <${most} ${most}=> </${most}>`,
    );
  });
});

describe('attributes', () => {
  it('attributes are decoded, and empty without a value', () => {
    assert.equal(eventsIn('<A HREF="a&amp;b" x y="" z=1 w=\'2\'>c<b>'), '<a href=a&b x= y= z=1 w=2> c <b>');
    assert.equal(eventsIn('<a x=1 y>'), '<a x=1 y=>');
  });

  it('the first attribute of a name counts, up to a maximum number', () => {
    assert.deepEqual(attributesOf('<a x=1 X=2>'), ['x=1']);
    const names = Array.from({ length: attributesMax + 1 }, (_, n) => `x${n}`);
    assert.deepEqual(
      attributesOf(`<a ${names.join(' ')}>`),
      names.slice(0, attributesMax).map((name) => `${name}=`),
    );
  });

  it('attributes have bounded values', () => {
    const most = 'v'.repeat(valueCharsMax);
    assert.deepEqual(attributesOf(`<a x="${most}" y="${most}v">`), [`x=${most}`, `y=${most}`]);
  });
});

describe('SVG and MathML', () => {
  it('SVG and MathML have self-closing elements', () => {
    assert.equal(eventsIn('<svg><path/><link/></svg><g/>'), '<svg> <path> </path> <link> </svg> <g>');
    assert.equal(eventsIn('<svg/><g/><math/><g/>'), '<svg> </svg> <g> <math> </math> <g>');
    assert.equal(eventsIn('<math><mi/></math><mi/>'), '<math> <mi> </mi> </math> <mi>');
    assert.equal(eventsIn('<svg><svg></svg><g/></svg><g/>'), '<svg> <svg> </svg> <g> </g> </svg> <g>');
    assert.equal(eventsIn('<svg><svg/><g/></svg><g/>'), '<svg> <svg> </svg> <g> </g> </svg> <g>');
    assert.equal(eventsIn('<svg><math></svg><g/>'), '<svg> <math> </svg> <g>', 'of the root first opened');
  });

  it('SVG and MathML are ended by an element of HTML', () => {
    const names =
      'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var';
    for (const name of names.split(' '))
      assert.equal(eventsIn(`<svg><g><${name}><g/>`), `<svg> <g> </svg> <${name}> <g>`);
    assert.equal(eventsIn('<svg><svg><p><g/>'), '<svg> <svg> </svg> </svg> <p> <g>');
    assert.equal(eventsIn('<svg><a><g/>'), '<svg> <a> <g> </g>', 'and by no other');
    assert.equal(eventsIn('<p><b>'), '<p> <b>');
  });

  it('SVG and MathML have places for HTML', () => {
    const within = '<svg> <foreignobject> <p> <g> </g>';
    assert.equal(eventsIn('<svg><foreignObject><p><g/>'), within);
    assert.equal(eventsIn('<math><annotation-xml><p><g/>'), '<math> <annotation-xml> <p> <g> </g>');
    assert.equal(eventsIn('<svg><foreignObject></g><p><g/>'), '<svg> <foreignobject> </g> <p> <g> </g>');
    assert.equal(
      eventsIn('<svg><foreignObject></foreignObject><p><g/>'),
      '<svg> <foreignobject> </foreignobject> </svg> <p> <g>',
    );
    assert.equal(eventsIn('<svg><foreignObject/><p><g/>'), '<svg> <foreignobject> </foreignobject> </svg> <p> <g>');
    assert.equal(eventsIn('<svg><path/><foreignObject><p><g/>'), '<svg> <path> </path> <foreignobject> <p> <g> </g>');
    assert.equal(
      eventsIn('<svg></foreignObject><foreignObject><p><g/>'),
      '<svg> </foreignobject> <foreignobject> <p> <g> </g>',
      'an end tag of none',
    );
    assert.equal(eventsIn('<svg><foreignObject></svg><svg><p>'), '<svg> <foreignobject> </svg> <svg> </svg> <p>');
    assert.equal(eventsIn('<foreignObject><svg><p>'), '<foreignobject> <svg> </svg> <p>');
    assert.equal(eventsIn('<foreignObject/><svg><foreignObject><p>'), '<foreignobject> <svg> <foreignobject> <p>');
  });
});

describe('a document of several slices', () => {
  const asked = (html: string, answer: boolean) => {
    let count = 0;
    const events = { open: () => {}, close: () => {}, text: () => {} };
    const complete = readMarkup(html, events, () => {
      count += 1;
      return answer;
    });
    return { complete, count };
  };

  it('a document of several slices gives one text', () => {
    const text = `${'a'.repeat(sliceChars)}b`;
    assert.deepEqual(eventsOf(`${text}<p>`), [text, '<p>']);
    assert.deepEqual(eventsOf(`${'a'.repeat(sliceChars - 1)}<div x=1>b`).slice(1), ['<div x=1>', 'b']);
    const value = 'v'.repeat(20);
    assert.equal(eventsOf(`${'a'.repeat(sliceChars - 10)}<div x="${value}">`)[1], `<div x=${value}>`);
  });

  it('a document of several slices can be ended between two', () => {
    assert.deepEqual(asked('a'.repeat(sliceChars), true), { complete: true, count: 0 });
    assert.deepEqual(asked('a'.repeat(sliceChars + 1), false), { complete: true, count: 1 });
    assert.deepEqual(asked('a'.repeat(sliceChars * 2 + 1), false), { complete: true, count: 2 });
    assert.deepEqual(asked('a'.repeat(sliceChars * 2 + 1), true), { complete: false, count: 1 });
  });
});
