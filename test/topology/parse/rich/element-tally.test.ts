/** What elements hold, counted over blocks that are made here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elementTallies, isProse } from '../../../../topology/parse/rich/element-tally.ts';
import type { TextBlock, TextElement } from '../../../../topology/parse/rich/text-blocks.ts';

function of(name: string, parent: TextElement | null): TextElement {
  return { name, class: '', parent, depth: parent === null ? 0 : parent.depth + 1, apart: '', inMain: '' };
}
const block = (at: TextElement, words: number, linkDensity = 0, heading = 0): TextBlock => ({
  ...{ text: '', words, linkDensity, linkShare: linkDensity, heading, at },
});

test('prose has six words, at most a third of them in links', () => {
  const at = of('', null);
  assert.deepEqual([block(at, 5), block(at, 6), block(at, 6, 1 / 3), block(at, 6, 0.334)].map(isProse), [
    false,
    true,
    true,
    false,
  ]);
});

test('an element includes its own content and that of its descendants', () => {
  const page = of('', null);
  const outer = of('div', page);
  const inner = of('p', outer);
  const beside = of('nav', page);
  const tallies = elementTallies([
    block(inner, 10, 0.1, 2),
    block(outer, 7),
    block(inner, 5, 0.2),
    block(beside, 4, 1),
    block(page, 20, 0.5),
  ]);
  const reported = (element: TextElement) => {
    const { children, ...counts } = tallies.get(element)!;
    return { ...counts, children: children.map(({ name }) => name) };
  };
  assert.deepEqual(reported(inner), { words: 15, linked: 2, prose: 10, ownProse: 10, heading: 2, children: [] });
  assert.deepEqual(reported(outer), { words: 22, linked: 2, prose: 17, ownProse: 7, heading: 2, children: ['p'] });
  assert.deepEqual(reported(beside), { words: 4, linked: 4, prose: 0, ownProse: 0, heading: 0, children: [] });
  assert.deepEqual(reported(page), {
    ...{ words: 46, linked: 16, prose: 17, ownProse: 0, heading: 2, children: ['div', 'nav'] },
  });
});

test('an element includes content after its own', () => {
  const page = of('', null);
  const outer = of('div', page);
  const inner = of('p', outer);
  const tallies = elementTallies([block(page, 6), block(outer, 7), block(inner, 10)]);
  assert.deepEqual(
    [page, outer, inner].map((one) => [tallies.get(one)!.words, tallies.get(one)!.prose]),
    [
      [23, 23],
      [17, 17],
      [10, 10],
    ],
  );
});

test('an element without blocks is not counted', () => {
  const page = of('', null);
  assert.equal(elementTallies([]).size, 0);
  const deep = of('p', of('div', of('section', page)));
  assert.deepEqual(
    [...elementTallies([block(deep, 6), block(deep, 6)])].map(([{ name }, { words, children }]) => [
      name,
      words,
      children.length,
    ]),
    [
      ['p', 12, 0],
      ['div', 12, 1],
      ['section', 12, 1],
      ['', 12, 1],
    ],
  );
});
