/** When a host's pages have shown that a value of its URLs does not matter, and when they have not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Fetched, stepSummary } from '../../../../topology/policy/traps/step.ts';
import { emptySummary, type Trap, type TrapSummary } from '../../../../topology/policy/traps/summary.ts';
import { defaultTraps, type TrapConfig } from '../../../../topology/policy/traps/trap-config.ts';
import { noticeTrap } from '../../../../topology/policy/traps/traps.ts';
import { variantsAmong } from '../../../../topology/policy/traps/variants.ts';

/** Signatures of texts far apart, with the head of a page. */
const word = (n: number) => (Math.imul(n + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
const text = (n: number, head = n) => `${word(n)}${word(n + 0x5bd1e995)}.${word(head)}`;
/** The same, but for one bit at every second visit. */
const nearly = (n: number, visit: number) => {
  const signature = text(n);
  return `${signature.slice(0, 15)}${(Number.parseInt(signature[15]!, 16) ^ (visit % 2)).toString(16)}${signature.slice(16)}`;
};
const token = (n: number) => `8f${(Math.imul(n + 1, 2654435761) >>> 0).toString(16).padStart(8, '0')}a1`;

type Page = readonly [path: string, signature: string, more?: Partial<Fetched>];

function crawl(pages: readonly Page[], config: TrapConfig = defaultTraps) {
  let summary: TrapSummary = emptySummary;
  const traps: Trap[] = [];
  for (const [at, [path, textSignature, more]] of pages.entries()) {
    const contentHash = (at + 1).toString(16).padStart(8, '0');
    const url = `http://a.test${path}`;
    const event: Fetched = { kind: 'fetched', url, status: 200, contentHash, textSignature, ...more };
    summary = stepSummary(summary, event);
    const trap = noticeTrap(config, summary, event, { trapped: traps, released: [] });
    if (trap !== null) traps.push(trap);
  }
  return { traps, summary };
}

const placesOf = (pages: readonly Page[]) => crawl(pages).traps.map(({ pattern }) => pattern.replace(/=[^ ]*/g, ''));
const rounds = (count: number, pages: number, one: (page: number, round: number) => Page) =>
  Array.from({ length: count * pages }, (_, n) => one(n % pages, Math.floor(n / pages)));
const upTo = <T>(count: number, one: (n: number) => T) => Array.from({ length: count }, (_, n) => one(n));

describe('a value that does not matter', () => {
  it('a session in the links of a few pages is noticed after six pages that came again', () => {
    const { traps } = crawl(rounds(3, 5, (page, round) => [`/p${page}?zz=${token(5 * round + page)}`, text(page)]));
    assert.deepEqual(
      traps.map(({ reason, detail }) => [reason, detail]),
      [['sameContent', '6 pages were the same under another value']],
    );
    assert.equal(traps[0]!.pattern, `{zz}=${token(10)}`);
  });

  it('a session in the path, in two parameters and in a path parameter is noticed as well', () => {
    const sessions = (one: (page: number, n: number) => string) =>
      placesOf(rounds(3, 5, (page, round) => [one(page, 5 * round + page), text(page)]));
    assert.deepEqual(
      sessions((page, n) => `/s/${token(n)}/p${page}`),
      ['{/s/~}'],
    );
    assert.deepEqual(
      sessions((page, n) => `/p${page}?a=${token(n)}&b=${token(n + 99)}`),
      ['{a} {b}'],
    );
    assert.deepEqual(
      sessions((page, n) => `/p${page};x=${token(n)}`),
      ['{;x}'],
    );
  });

  it('sessions of capitals, small letters and digits are tokens', () => {
    const base62 = (n: number) =>
      Buffer.from(`${token(n)}${token(n + 7)}`)
        .toString('base64url')
        .slice(0, 22);
    assert.deepEqual(placesOf(rounds(3, 5, (page, round) => [`/s/${base62(5 * round + page)}/p${page}`, text(page)])), [
      '{/s/~}',
    ]);
  });

  it('a site of two hundred pages under two sessions each is noticed', () => {
    assert.deepEqual(
      placesOf(rounds(3, 200, (page, round) => [`/p${page}?zz=${token(200 * round + page)}`, text(page)])),
      ['{zz}'],
    );
  });

  it('texts with a date or a visitor’s number in them are the same', () => {
    const pages = rounds(
      3,
      5,
      (page, round) => [`/p${page}?zz=${token(5 * round + page)}`, nearly(page, round)] as const,
    );
    assert.deepEqual(placesOf(pages), ['{zz}']);
  });

  it('a number needs four times as many, and equal texts', () => {
    const counters = (sign: (page: number, round: number) => string) =>
      placesOf(rounds(8, 5, (page, round) => [`/p${page}?n=${round * 5 + page}`, sign(page, round)]));
    assert.deepEqual(
      counters((page) => text(page)),
      ['{n}'],
    );
    assert.deepEqual(counters(nearly), [], 'texts that differ a little');
  });

  it('a further value is noticed beside one that is known', () => {
    const pages = [
      ...rounds(3, 5, (page, round) => [`/p${page}?a=${token(5 * round + page)}`, text(page)] as const),
      ...rounds(3, 5, (page, round) => [`/p${page}?a=${token(10)}&z=${token(5 * round + page)}`, text(page)] as const),
    ];
    assert.deepEqual(placesOf(pages), ['{a}', '{z}']);
  });
});

describe('a value that matters', () => {
  it('a page for each id, thread or step of a calendar contradicts it', () => {
    assert.deepEqual(placesOf(upTo(500, (n) => [`/item?id=${token(n)}`, text(n)])), []);
    assert.deepEqual(
      placesOf(rounds(40, 5, (page, round) => [`/forum/${page}?page=${round}`, text(100 * page + round)])),
      [],
    );
  });

  it('pages of one template, thread or gallery are different ones', () => {
    assert.deepEqual(placesOf(upTo(100, (n) => [`/item?id=${token(n)}`, nearly(1, n)])), [], 'nearly the same');
    assert.deepEqual(
      placesOf(upTo(100, (n) => [`/showthread.php?p=${123_456_789 + n}`, text(Math.floor(n / 20))])),
      [],
    );
    assert.deepEqual(
      placesOf(upTo(100, (n) => [`/album/P10${10_000 + n}.html`, text(1, n)])),
      [],
      'one text, many titles',
    );
    const parts = rounds(40, 2, (tab, part) => [`/part/AB1234${part + 5_000}/${tab}`, text(tab, part)] as const);
    assert.deepEqual(placesOf(parts), []);
  });

  it('a login, a consent or an empty shell in place of all pages proves nothing', () => {
    const wall = (paths: readonly string[]) =>
      placesOf(rounds(40, paths.length, (path, n) => [`${paths[path]}?id=${token(n * 9 + path)}`, text(7)]));
    assert.deepEqual(wall(['/thread', '/user', '/item']), []);
    assert.deepEqual(wall(['/thread']), []);
  });

  it('empty days of a calendar prove nothing, and neither do pages that do not exist', () => {
    const days = rounds(
      30,
      12,
      (month, day) => [`/calendar/2026/${month}/${day}`, text(day % 9 === 8 ? 50 + month : 1)] as const,
    );
    assert.deepEqual(placesOf(days), []);
    const missing = rounds(
      9,
      5,
      (page, round) => [`/p${page}?zz=${token(5 * round + page)}`, text(page), { isWaste: true }] as const,
    );
    assert.equal(crawl(missing).summary.places.length, 0);
  });

  it('some pages that ignore an id do not decide for those that need it', () => {
    const views = ['/login', '/share', '/print', '/report'];
    const mixed = [
      ...upTo(2, (n) => [`/item?id=${token(900 + n)}`, text(900 + n)] as const),
      ...rounds(9, views.length, (view, n) => [`${views[view]}?id=${token(n * 9 + view)}`, text(view)] as const),
    ];
    assert.deepEqual(placesOf(mixed), []);
  });

  it('one contradiction among many proofs is a page that changed, many are not', () => {
    const changed = (when: (n: number) => boolean) =>
      placesOf(
        rounds(5, 5, (page, round) => [
          `/p${page}?zz=${token(5 * round + page)}`,
          text(page + (when(5 * round + page) ? 1_000 + round : 0)),
        ]),
      ).length;
    assert.equal(
      changed((n) => n === 5),
      1,
    );
    assert.equal(
      changed((n) => n % 3 === 0),
      0,
    );
  });

  it('errors and pages without signatures prove nothing', () => {
    const pages = (more: Partial<Fetched>, sign = text) =>
      placesOf(rounds(5, 5, (page, round) => [`/p${page}?zz=${token(5 * round + page)}`, sign(page), more]));
    assert.deepEqual(pages({ status: 404 }), []);
    assert.deepEqual(
      pages({}, () => ''),
      [],
    );
  });

  it('nothing is noticed where the policy says so', () => {
    const pages = rounds(5, 5, (page, round) => [`/p${page}?zz=${token(5 * round + page)}`, text(page)] as const);
    assert.deepEqual(crawl(pages, { ...defaultTraps, sameContent: null }).traps, []);
    const { sameContent: _, ...older } = defaultTraps;
    assert.equal(crawl(pages, older).traps.length, 1, 'policies of earlier versions');
  });
});

describe('texts are compared', () => {
  const compared = (pages: readonly Page[], paths: readonly string[]) => {
    const urls = paths.map((path) => `http://a.test${path}`);
    return [...variantsAmong(crawl(pages).summary, urls)].map((url) => url.slice('http://a.test'.length));
  };
  const differ: Page[] = [
    ['/a?x=1', ''],
    ['/a?x=2', ''],
  ];

  it('only if URLs differed in one value', () => {
    const others: Page[] = [
      ['/a?x=1', ''],
      ['/b?x=2', ''],
    ];
    assert.deepEqual(compared(others, ['/a?x=3']), []);
    assert.deepEqual(compared(differ, ['/a?x=3']), ['/a?x=3']);
  });

  it('only of URLs that have this value, on any path', () => {
    assert.deepEqual(compared(differ, ['/b?y=1&x=3', '/b?y=1', '/a']), ['/b?y=1&x=3']);
  });

  it('of all tokens of a lease, and of a few numbers that differ in nothing else', () => {
    const [numbers, tokens] = [upTo(100, (n) => `/a?x=${n}`), upTo(100, (n) => `/b?x=${token(n)}`)];
    assert.deepEqual(compared(differ, [...tokens, ...numbers]), [...tokens, ...numbers.slice(0, 4)]);
    const pages = upTo(100, (n) => `/p${n}?x=${n % 5}`);
    assert.deepEqual(compared(differ, pages), pages);
  });

  it('only until they have shown that it matters', () => {
    const shown = upTo(12, (n): Page => [`/a?x=${n}`, text(n)]);
    assert.deepEqual(compared(shown, ['/a?x=99']), []);
  });
});
