/** What each element means to the extractor. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { element, elementOf, isRawText } from '../../../topology/parse/elements.ts';

const of = (name: string) => elementOf(`${' '.repeat(20)}<${name}>`, 21, 21 + name.length);

/** As the table of the extractor has it. */
const meanings: Readonly<Record<Exclude<keyof typeof element, 'block'>, string>> = {
  inline:
    'abbr acronym b bdi bdo big cite code data dfn em font i ins del kbd label mark nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr',
  a: 'a',
  area: 'area',
  link: 'link',
  meta: 'meta',
  base: 'base',
  frame: 'frame',
  iframe: 'iframe',
  html: 'html',
  title: 'title',
  hiddenRaw: 'script style textarea noembed noframes',
  shownRaw: 'xmp',
  plaintext: 'plaintext',
  hidden: 'noscript template datalist select audio video canvas',
  svg: 'svg',
  main: 'main article',
  nav: 'nav',
  footer: 'footer',
  aside: 'header aside',
};

test('elements have their meanings, in any case', () => {
  for (const [meaning, names] of Object.entries(meanings))
    for (const name of names.split(' '))
      for (const written of [name, name.toUpperCase()])
        assert.equal(of(written), element[meaning as keyof typeof element], written);
});

test('each meaning has a distinct value', () => {
  const all = Object.values(element);
  assert.equal(new Set(all).size, all.length);
});

test('an unlisted element breaks the text', () => {
  for (const name of [
    'p',
    'div',
    'section',
    'h1',
    'table',
    'aa',
    'scrip',
    'scripts',
    'blockquote',
    'figcaption',
    'x-link',
  ])
    assert.equal(of(name), element.block, name);
  // Names of which some bits are those of a listed one.
  for (const name of ['1', '!', '\x01', '{', '`', 'b1', 'a:', 'li{k', 'sp@n', '\u0161', 'constructor'])
    assert.equal(of(name), element.block, name);
  assert.equal(elementOf('<a b>', 1, 2), element.a, 'it ends where it is said to');
  assert.equal(elementOf('textareas', 0, 9), element.block);
});

test('text alone is in frames, titles, raw elements and invisible elements', () => {
  const raw = Object.entries(element).filter(([, kind]) => isRawText(kind));
  assert.deepEqual(raw.map(([name]) => name).sort(), ['hiddenRaw', 'iframe', 'plaintext', 'shownRaw', 'title']);
});
