/** XML as a stream of elements and text. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseLimits } from '../../../topology/parse/parse-limits.ts';
import { createXmlScanner } from '../../../topology/parse/xml.ts';

/** `<p:name a=…>`, `</p:name>` and text in turn; neighbouring text as one. `size`: of the pieces it comes in. */
function scanned(xml: string, attributes: readonly string[] = [], size = xml.length || 1) {
  const events: string[] = [];
  let text = '';
  const endText = () => {
    if (text !== '') events.push(text);
    text = '';
  };
  const named = (prefix: string, name: string) => (prefix === '' ? name : `${prefix}:${name}`);
  const scanner = createXmlScanner({
    open(prefix, name, value) {
      endText();
      events.push(`<${named(prefix, name)}${attributes.map((one) => ` ${value(one)}`).join('')}>`);
    },
    close(prefix, name) {
      endText();
      events.push(`</${named(prefix, name)}>`);
    },
    text: (piece) => (text += piece),
  });
  for (let at = 0; at < xml.length; at += size) scanner.write(xml.slice(at, at + size));
  const isCut = scanner.end();
  endText();
  return { events, isCut };
}

const eventsOf = (...given: Parameters<typeof scanned>) => scanned(...given).events;

describe('elements of XML', () => {
  it('elements of XML have names in lower case, with the prefix as written', () => {
    assert.deepEqual(eventsOf('<A:B><c/></A:B><d />'), ['<a:b>', '<c>', '</c>', '</a:b>', '<d>', '</d>']);
    assert.deepEqual(eventsOf('<:a></a:b:c>'), ['<a>', '</a:b:c>']);
  });

  it('elements of XML have attributes, the first of a name, decoded; an absent or empty one is empty', () => {
    const xml = `<a x="1 &amp; 2" X='3' y='&#x20ac;&lt;' z="" w><b/><c x=4 v="">`;
    assert.deepEqual(eventsOf(xml, ['x', 'y', 'z', 'w', 'v']), ['<a 1 & 2 €<   >', '<b     >', '</b>', '<c 4    >']);
  });

  it('elements of XML drop attributes that are too long, and keep a maximum number of others', () => {
    const long = 'x'.repeat(parseLimits.hrefCharsMax);
    assert.deepEqual(eventsOf(`<a x="${long}">`, ['x']), [`<a ${long}>`]);
    assert.deepEqual(eventsOf(`<a x="${long}x" y="1">`, ['x', 'y']), ['<a  1>']);
    const many = Array.from({ length: 33 }, (_, n) => `a${n}="${n}"`).join(' ');
    assert.deepEqual(eventsOf(`<a ${many}>`, ['a0', 'a31', 'a32']), ['<a 0 31 >']);
  });

  it('elements of XML have names of at most 256 characters', () => {
    const name = 'n'.repeat(256);
    assert.deepEqual(eventsOf(`<${name}m ${name}m="1"/>`, [name, `${name}m`]), [`<${name} 1 >`, `</${name}>`]);
  });
});

describe('text of XML', () => {
  it('text of XML may stand before and behind all elements', () => {
    assert.deepEqual(eventsOf('x &amp; y<a>z</a>w'), ['x & y', '<a>', 'z', '</a>', 'w']);
    assert.deepEqual(eventsOf('x'), ['x']);
  });

  it('text of XML has the predefined references decoded, and no other expanded', () => {
    assert.deepEqual(eventsOf('<a>x &amp;&#65;&#x42; y</a>z'), ['<a>', 'x &AB y', '</a>', 'z']);
    const bomb = '<!DOCTYPE a [<!ENTITY e "eeee"><!ENTITY f SYSTEM "file:///etc/passwd">]><a>&e;&f;</a>';
    assert.doesNotMatch(eventsOf(bomb).join(), /eeee|root/);
  });

  it('text of XML in CDATA is unchanged, beside other text', () => {
    assert.deepEqual(eventsOf('<a>x<![CDATA[<b>&amp;]]>y</a>'), ['<a>', 'x<b>&amp;y', '</a>']);
  });

  it('text of XML excludes comments and instructions', () => {
    assert.deepEqual(eventsOf('<?xml version="1.0"?><!-- <b> --><a>x<!-- y -->z<?p q?></a>'), ['<a>', 'xz', '</a>']);
  });
});

describe('an XML document', () => {
  it('an XML document is the same in pieces of any size', () => {
    const line = '<item n="1 &amp; 2">caf\u00e9 &amp;&#x20ac; <![CDATA[<raw>]]> text</item>\n';
    const xml = `<?xml version="1.0"?><p:list>${line.repeat(3)}</p:list>`;
    const whole = eventsOf(xml, ['n']);
    assert.equal(whole.filter((event) => event === '<item 1 & 2>').length, 3);
    for (const size of [1, 2, 3, 7, 64]) assert.deepEqual(eventsOf(xml, ['n'], size), whole, `${size}`);
    const { sliceChars } = parseLimits;
    const padded = `<a>${'x'.repeat(sliceChars - 9)}<b c="12345678901234567890">y</b>${'z'.repeat(2 * sliceChars)}</a>`;
    const events = eventsOf(padded, ['c']);
    assert.deepEqual(
      events.map(({ length }) => length),
      ['<a >'.length, sliceChars - 9, '<b 12345678901234567890>'.length, 1, 4, 2 * sliceChars, 4],
    );
    assert.deepEqual(events, eventsOf(padded, ['c'], 1_000));
  });

  it('an XML document is cut if it breaks off inside markup', () => {
    for (const xml of ['<', '<a', '<a>x</', '<a>x</a', '<a b="']) assert.equal(scanned(xml).isCut, true, xml);
    for (const xml of ['', 'x', '<a>', '<a>x', '<a>x</a>', 'a > b']) assert.equal(scanned(xml).isCut, false, xml);
  });
});
