import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { numbers } from '../../../../lab/web/random.ts';
import { InLinks } from '../../../../topology/frontier/state/in-links.ts';

describe('in-links', () => {
  it('in-links are counted exactly if few URLs are sighted, and never too small', () => {
    const word = numbers(5);
    const urls = Array.from({ length: 300 }, () => [word(), word()] as const);
    const inLinks = new InLinks();
    assert.equal(inLinks.countOf(...urls[0]!), 0, 'nothing was sighted yet');
    const counts = urls.map(() => 0);
    for (let discovery = 0; discovery < 2_000; discovery++) {
      const [one, other] = [word() % 300, word() % 300];
      inLinks.count([...urls[one]!, ...urls[other]!]);
      counts[one]! += 1;
      counts[other]! += 1;
    }
    assert.equal(inLinks.total, 4_000);
    const reported = urls.map((url) => inLinks.countOf(...url));
    for (const [at, count] of counts.entries()) assert.ok(reported[at]! >= count);
    assert.ok(reported.filter((count, at) => count === counts[at]).length >= 295);
    assert.equal(inLinks.countOf(word(), word()), 0, 'another URL');
  });

  it('in-links of two URLs that share a cell grow by the smaller one', () => {
    const inLinks = new InLinks();
    for (let n = 0; n < 5; n++) inLinks.count([1, 2]);
    inLinks.count([1, 3]);
    assert.deepEqual([inLinks.countOf(1, 2), inLinks.countOf(1, 3)], [5, 1]);
  });

  it('in-links are counted up to a cell’s maximum', () => {
    const inLinks = new InLinks();
    const many = Array.from({ length: 2 * 65_534 }, (_, at) => (at % 2 === 0 ? 7 : 9));
    inLinks.count(many);
    const counts = [inLinks.countOf(7, 9)];
    for (let n = 0; n < 3; n++) {
      inLinks.count([7, 9]);
      counts.push(inLinks.countOf(7, 9));
    }
    assert.deepEqual(counts, [65_534, 65_535, 65_535, 65_535]);
    assert.equal(inLinks.total, 65_537);
  });

  it('in-links are read back from checkpoint rows, each reported once', () => {
    const [inLinks, back] = [new InLinks(), new InLinks()];
    assert.deepEqual(inLinks.takeRows(), []);
    // First and last cells of blocks, and of all.
    const words = [0, 2_047, 2_048, 4_095, 2 ** 19 - 1, 2 ** 19, 2 ** 19 + 2_048];
    for (const [at, word] of words.entries()) for (let n = 0; n <= at; n++) inLinks.count([word, word + 5_000]);
    const rows = inLinks.takeRows();
    assert.deepEqual(
      rows.map(({ key }) => key.toString('hex')),
      ['69', '6900', '6901', '6902', '6903', '6904', '69ff'],
    );
    assert.deepEqual(inLinks.takeRows(), []);
    for (const { key, value } of rows) back.load(key, value);
    assert.equal(back.total, inLinks.total);
    for (const word of words) assert.equal(back.countOf(word, word + 5_000), inLinks.countOf(word, word + 5_000));
    inLinks.count([0, 5_000]);
    for (const { key, value } of inLinks.takeRows()) back.load(key, value);
    assert.equal(back.countOf(0, 5_000), inLinks.countOf(0, 5_000));
  });
});
