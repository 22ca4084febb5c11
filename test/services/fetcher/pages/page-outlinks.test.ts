/** The links of a page in its record. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pageOutlinks } from '../../../../services/fetcher/pages/page-outlinks.ts';
import { richLimits } from '../../../../topology/parse/rich/rich-limits.ts';
import { compileNormalizer } from '../../../../topology/url/normalize.ts';

const normalize = compileNormalizer();

describe('the links of a page’s record', () => {
  it('the links of a page’s record are in normal form, each once, in page order', () => {
    const links = ['https://B.test/2', 'https://b.test/1#x', 'mailto:a@a.test', 'https://b.test/2', 'https://b.test/1'];
    assert.deepEqual(pageOutlinks(links, normalize), ['https://b.test/2', 'https://b.test/1']);
    assert.deepEqual(pageOutlinks([], normalize), []);
  });

  it('the links of a page’s record have a bound on their characters and end with the last that fits', () => {
    const [one, two, three] = ['https://b.test/1', 'https://b.test/22', 'https://b.test/3'] as const;
    const all = [one, one, two, three];
    const chars = one.length + two.length + three.length;
    assert.deepEqual(pageOutlinks(all, normalize, chars), [one, two, three], 'one that repeats costs nothing');
    assert.deepEqual(pageOutlinks(all, normalize, chars - 1), [one, two]);
    assert.deepEqual(
      pageOutlinks(all, normalize, one.length + two.length - 1),
      [one],
      'none behind one that is too long',
    );
    const long = `https://b.test/${'x'.repeat(richLimits.outlinkCharsMax)}`;
    assert.deepEqual(
      pageOutlinks([one, long], (url) => url),
      [one],
    );
  });
});
