/** When a host's pages have shown that a value of its URLs does not matter. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Fetched, stepSummary } from '../../../../topology/policy/traps/step.ts';
import { emptySummary, type Trap, type TrapSummary } from '../../../../topology/policy/traps/summary.ts';
import { defaultTraps, type TrapConfig } from '../../../../topology/policy/traps/trap-config.ts';
import { noticeTrap } from '../../../../topology/policy/traps/traps.ts';
import { hasVariants } from '../../../../topology/policy/traps/variants.ts';

/** Texts apart by many bits, each with a near one (one bit) for every visit. */
const text = (n: number) => ((n * 0x9e3779b1) >>> 0).toString(16).padStart(8, '0').repeat(2);
const nearly = (n: number, visit: number) =>
  `${text(n).slice(0, 15)}${((Number.parseInt(text(n)[15]!, 16) ^ (visit % 2)) >>> 0).toString(16)}`;
const token = (n: number) => `8f${((n * 2654435761) >>> 0).toString(16).padStart(8, '0')}`;

function crawl(
  pages: readonly (readonly [path: string, signature: string, status?: number])[],
  config: TrapConfig = defaultTraps,
) {
  let summary: TrapSummary = emptySummary;
  const traps: Trap[] = [];
  for (const [at, [path, textSignature, status = 200]] of pages.entries()) {
    const contentHash = (at + 1).toString(16).padStart(8, '0');
    const event: Fetched = { kind: 'fetched', url: `http://a.test${path}`, status, contentHash, textSignature };
    summary = stepSummary(summary, event);
    const trap = noticeTrap(config, summary, event, { trapped: traps, released: [] });
    if (trap !== null) traps.push(trap);
  }
  return { traps, summary };
}

const rounds = (
  count: number,
  pages: number,
  one: (page: number, round: number) => readonly [string, string, number?],
) => Array.from({ length: count * pages }, (_, n) => one(n % pages, Math.floor(n / pages)));

describe('a value that does not matter', () => {
  it('a session in the links of a few pages is noticed after six pages that came again', () => {
    const { traps } = crawl(rounds(3, 5, (page, round) => [`/p${page}?zz=${token(5 * round + page)}`, text(page)]));
    assert.deepEqual(
      traps.map(({ reason, detail }) => [reason, detail]),
      [['sameContent', '6 pages had the same text under another value']],
    );
    assert.equal(traps[0]!.pattern, `{zz}=${token(10)}`);
  });

  it('a session in the path, in two parameters and in a path parameter is noticed as well', () => {
    const places = (one: (page: number, n: number) => string) =>
      crawl(rounds(3, 5, (page, round) => [one(page, 5 * round + page), text(page)])).traps.map(({ pattern }) =>
        pattern.replace(/=[^ ]*/g, ''),
      );
    assert.deepEqual(
      places((page, n) => `/s/${token(n)}/p${page}`),
      ['{/s/~}'],
    );
    assert.deepEqual(
      places((page, n) => `/p${page}?a=${token(n)}&b=${token(n + 99)}`),
      ['{a} {b}'],
    );
    assert.deepEqual(
      places((page, n) => `/p${page};x=${token(n)}`),
      ['{;x}'],
    );
  });

  it('texts with a date or a visitor’s number in them are the same', () => {
    const { traps } = crawl(
      rounds(3, 5, (page, round) => [`/p${page}?zz=${token(5 * round + page)}`, nearly(page, round)]),
    );
    assert.equal(traps.length, 1);
  });

  it('a number needs four times as many, on three pages, and equal texts', () => {
    const counters = (pages: number, sign: (page: number, round: number) => string) =>
      crawl(
        rounds(Math.ceil(30 / pages) + 1, pages, (page, round) => [
          `/p${page}?n=${round * pages + page}`,
          sign(page, round),
        ]),
      ).traps;
    assert.equal(counters(5, text).length, 1);
    assert.equal(counters(2, text).length, 0, 'two pages');
    assert.equal(counters(5, nearly).length, 0, 'texts that differ a little');
  });
});

describe('a value that matters', () => {
  it('a page for each id, thread or step of a calendar contradicts it', () => {
    const ids = Array.from({ length: 500 }, (_, n) => [`/item?id=${token(n)}`, text(n)] as const);
    assert.deepEqual(crawl(ids).traps, []);
    const threads = rounds(40, 5, (page, round) => [`/forum/${page}?page=${round}`, text(100 * page + round)]);
    assert.deepEqual(crawl(threads).traps, []);
  });

  it('texts that are nearly the same for one page alone are the pages of a template', () => {
    const template = Array.from({ length: 100 }, (_, n) => [`/item?id=${token(n)}`, nearly(1, n)] as const);
    assert.deepEqual(crawl(template).traps, []);
  });

  it('one contradiction among many proofs is a page that changed, two among few are not', () => {
    const changed = (when: (n: number) => boolean) =>
      crawl(
        rounds(5, 5, (page, round) => [
          `/p${page}?zz=${token(5 * round + page)}`,
          text(page + (when(5 * round + page) ? 1_000 : 0)),
        ]),
      ).traps.length;
    assert.equal(
      changed((n) => n === 24),
      1,
    );
    assert.equal(
      changed((n) => n % 3 === 0),
      0,
    );
  });

  it('errors and texts without signatures prove nothing', () => {
    assert.deepEqual(
      crawl(rounds(5, 5, (page, round) => [`/p${page}?zz=${token(5 * round + page)}`, text(page), 404])).traps,
      [],
    );
    assert.deepEqual(crawl(rounds(5, 5, (page, round) => [`/p${page}?zz=${token(5 * round + page)}`, ''])).traps, []);
  });

  it('nothing is noticed where the policy says so', () => {
    const pages = rounds(5, 5, (page, round) => [`/p${page}?zz=${token(5 * round + page)}`, text(page)] as const);
    assert.deepEqual(crawl(pages, { ...defaultTraps, sameContent: null }).traps, []);
    const { sameContent: _, ...older } = defaultTraps;
    assert.equal(crawl(pages, older).traps.length, 1, 'policies of earlier versions');
  });
});

describe('texts are compared', () => {
  it('only where URLs differ in one value, until they have shown that it matters', () => {
    const some = (pages: readonly (readonly [string, string])[]) => hasVariants(crawl(pages).summary);
    assert.equal(
      some([
        ['/a?x=1', ''],
        ['/b?x=2', ''],
      ]),
      false,
    );
    assert.equal(
      some([
        ['/a?x=1', ''],
        ['/a?x=2', ''],
      ]),
      true,
    );
    assert.equal(some(Array.from({ length: 6 }, (_, n) => [`/a?x=${n}`, text(n)] as const)), false);
  });
});
