/** What a path segment or a parameter's value comes to in the shape of a URL. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shapeOf } from '../../../../topology/policy/traps/shape.ts';

const of = (tail: string) => {
  const shape = shapeOf(`https://a.test/${tail}`);
  return shape.slice(shape.lastIndexOf('/') + 1);
};

describe('a path segment', () => {
  const cases = [
    ['about', 'about'],
    ['about-us', 'about-us'],
    ['all-about-us', '*'],
    ['all_about_us', '*'],
    ['all+about+us', '*'],
    ['all.about.us', 'all.about.us'],
    ['all,about,us', 'all,about,us'],
    ['a'.repeat(23), 'a'.repeat(23)],
    ['a'.repeat(24), '*'],
    ['2026-01', '#-#'],
    ['2026-01-02', '#-#-#'],
    ['page12', 'page#'],
    ['page1', 'page#'],
    ['v2', 'v#'],
    ['8f3ab0c1', '~'],
    ['8f3ab0c', '#f#ab#c'],
    ['a123456b', '~'],
    ['a12345bb', 'a#bb'],
    ['a1bcdef2', '~'],
    ['8f3ab0c1.html', '~'],
    ['012345.html', '#.html'],
    ['123456789.jpeg', '#.jpeg'],
    ['1.2.3.tar', '#.#.#.tar'],
    ['all-about-9', '*'],
    ['all-about9', 'all-about#'],
    [`a1${'b'.repeat(21)}`, `a#${'b'.repeat(21)}`],
    [`a1${'b'.repeat(22)}`, '*'],
  ] as const;
  for (const [segment, shape] of cases) it(`${segment} is ${shape}`, () => assert.equal(of(segment), shape));
});
