/** The candidates of a srcset (HTML standard §4.8.4.2.2). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { srcsetUrls } from '../../../../topology/parse/rich/media-links.ts';
import { richLimits } from '../../../../topology/parse/rich/rich-limits.ts';

it('candidates are apart by white space of the standard’s, which is no vertical tab and no other blank', () => {
  for (const blank of [' ', '\t', '\n', '\f', '\r']) {
    assert.deepEqual(
      srcsetUrls(`${blank}a.png${blank}1x,${blank}b.png${blank}`),
      ['a.png', 'b.png'],
      JSON.stringify(blank),
    );
  }
  for (const none of ['\v', '\b', '\x0e', '\u00a0']) assert.deepEqual(srcsetUrls(`a${none}b 1x`), [`a${none}b`]);
});

it('descriptors end with a comma that stands in no parentheses', () => {
  assert.deepEqual(srcsetUrls('a.png x(1,2), b.png'), ['a.png', 'b.png']);
  assert.deepEqual(srcsetUrls('a.png x((1),2), b.png'), ['a.png', 'b.png']);
  assert.deepEqual(srcsetUrls('a.png ), b.png'), ['a.png', 'b.png']);
  assert.deepEqual(srcsetUrls('a.png x(1, b.png'), ['a.png']);
});

it('commas behind an address end it, and alone are none', () => {
  assert.deepEqual(srcsetUrls('a.png,,, b.png,'), ['a.png', 'b.png']);
  assert.deepEqual(srcsetUrls(', ,'), []);
  assert.deepEqual(srcsetUrls(''), []);
  assert.deepEqual(srcsetUrls('a,b 1x'), ['a,b']);
});

it('so many are taken at most', () => {
  const all = Array.from({ length: richLimits.srcsetMax + 3 }, (_, n) => `${n}.png`);
  assert.deepEqual(srcsetUrls(all.join(', ')), all.slice(0, richLimits.srcsetMax));
});
