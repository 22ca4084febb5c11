/** Paths that repeat a group of segments, against a plain reading of the same. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { repeatedSegments } from '../../../../topology/policy/traps/repeated-segments.ts';
import { drawFrom } from '../../../kept/drawn.ts';

/** Does a group of up to four segments stand there so many times in a row? Of numbers, or of a single letter, three times more. */
function repeats(path: string, times: number): boolean {
  const segments = path.slice(1).split('/');
  for (let group = 1; group <= 4; group++) {
    for (let first = 0; first < segments.length; first++) {
      const one = segments.slice(first, first + group);
      const isShort = one.every((segment) => /^\d+$/.test(segment) || (group === 1 && segment.length === 1));
      const all = segments.slice(first, first + group * (times + (isShort ? 3 : 0)));
      const isWhole = all.length === group * (times + (isShort ? 3 : 0));
      if (isWhole && all.every((segment, i) => segment === one[i % group])) return true;
    }
  }
  return false;
}

it('repeated segments are found wherever they begin, and others are not', () => {
  const draw = drawFrom(7);
  let found = 0;
  for (let round = 0; round < 20_000; round++) {
    const few = draw.of([
      ['a', 'bc'],
      ['bc', 'de', '1'],
      ['x', '12', 'long-name'],
      ['a', '1'],
    ]);
    const path = `/${draw.list(1 + draw.below(9), () => draw.of(few)).join('/')}${draw.of(['', '', '/'])}`;
    const url = `https://h.test${path}${draw.of(['', '?bc/bc/bc/bc'])}`;
    const times = 2 + draw.below(3);
    const plain = path.endsWith('/') ? path.slice(0, -1) : path;
    const is = repeatedSegments(url, times) !== null;
    assert.equal(is, repeats(plain, times), `${times} times in ${url}`);
    found += +is;
  }
  assert.ok(found > 3_000 && found < 17_000, `${found}`);
});
