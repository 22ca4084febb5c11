/** Sites without traps: nothing of them may be taken for one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crawlThrough, type FakePage } from './crawl-through.ts';

const site = 'http://a.org';

/** Crawls to the end, by depth and by source, and finds no trap; returns how many pages there were. */
function assertNoTrap(pageAt: (url: string) => FakePage, seeds: readonly string[] = [`${site}/`]): number {
  let count = 0;
  for (const withSource of [false, true]) {
    const { fetched, trapped, deferred } = crawlThrough(pageAt, seeds, { withSource, most: 20_000 });
    assert.deepEqual([...trapped.values()], []);
    assert.equal(deferred, 0);
    assert.ok(fetched.length < 20_000);
    count = fetched.length;
  }
  return count;
}

const count = (n: number) => Array.from({ length: n }, (_, i) => i);
const numberOf = (url: string, pattern: RegExp): number => Number(pattern.exec(url)?.[1] ?? Number.NaN);

test('a thousand ordinary pages are no trap', () => {
  const words = ['about', 'team', 'docs', 'guide', 'api', 'news', 'press', 'jobs', 'legal', 'help'];
  const pages = count(1_000).map(
    (n) => `${site}/${words[n % 10]}/${words[Math.floor(n / 10) % 10]}-v${n % 7}/page${n}.html`,
  );
  const crawled = assertNoTrap((url) => {
    const n = Number.isNaN(numberOf(url, /page(\d+)/)) ? 0 : numberOf(url, /page(\d+)/);
    return {
      links: [...count(4).map((i) => pages[4 * n + i + 1]), pages[(n * 31) % 1_000], pages[0]].filter(
        (one) => one !== undefined,
      ),
    };
  });
  assert.ok(crawled >= 1_000);
});

test('a manual in several nearly equal languages is no trap, whichever one is entered first', () => {
  const languages = ['', 'da/', 'de/', 'en/', 'es/', 'fr/', 'ja/', 'ko/', 'pt-br/', 'tr/', 'zh-cn/'];
  const names = count(230).map((n) => (n < 115 ? `page${n}.html` : `mod/module${n}.html`));
  for (const entered of languages) {
    const crawled = assertNoTrap(
      (url) => {
        const [, language, name] = /org\/((?:[a-z]{2}(?:-[a-z]{2})?\/)?)(.*)$/.exec(url) ?? [];
        const n = names.indexOf(name!);
        // One page in ten is translated; the others are the English one.
        const isOwn = n % 10 === 0 && language !== 'en/' && language !== '';
        return {
          contentHash: (isOwn ? 0x10000 * (1 + languages.indexOf(language!)) + n : n + 2).toString(16).padStart(8, '0'),
          links: [
            ...languages.map((other) => `${site}/${other}${name}`),
            ...names.slice(0, n < 0 ? 40 : 0).map((other) => `${site}/${language}${other}`),
            ...names.slice(n + 1, n + 8).map((other) => `${site}/${language}${other}`),
          ],
        };
      },
      [`${site}/${entered}`],
    );
    assert.equal(crawled, languages.length * (names.length + 1), entered);
  }
});

test('a blog of twenty years, with chained monthly archives and chained posts, is no trap', () => {
  const months = 240;
  const monthPath = (n: number) => `${site}/${2025 - Math.floor(n / 12)}/${String(12 - (n % 12)).padStart(2, '0')}/`;
  const post = (n: number, i: number) => `${monthPath(n)}some-words-of-a-title-${i}`;
  const crawled = assertNoTrap((url) => {
    const [, year, month, at] = /org\/(\d+)\/(\d+)\/(?:some-words-of-a-title-(\d+))?$/.exec(url) ?? [];
    if (year === undefined) return { links: [monthPath(0), `${site}/about`] };
    const n = (2025 - Number(year)) * 12 + 12 - Number(month);
    const older = n + 1 < months ? [monthPath(n + 1)] : [];
    if (at === undefined) return { links: [...count(3).map((i) => post(n, i)), ...older] };
    return {
      links: [post(n, Number(at) - 1), post(n, Number(at) + 1)].filter((one) => !/-1$|-3$/.test(one)).slice(0, 2),
    };
  });
  assert.ok(crawled > months * 3);
});

test('a blog whose posts are reached only one from another is no trap', () => {
  assert.ok(
    assertNoTrap((url) => {
      const n = Number.isNaN(numberOf(url, /title-of-it-(\d+)/)) ? -1 : numberOf(url, /title-of-it-(\d+)/);
      const day = (i: number) =>
        `${2000 + Math.floor(i / 300)}/${String((Math.floor(i / 28) % 12) + 1).padStart(2, '0')}`;
      return { links: n < 800 ? [`${site}/${day(n + 1)}/title-of-it-${n + 1}`] : [] };
    }) > 800,
  );
});

test('a shop with page=1 to 200, twelve articles each, and two filters is no trap', () => {
  const crawled = assertNoTrap((url) => {
    const page = numberOf(url, /[?&]page=(\d+)/);
    const item = numberOf(url, /\/item\/(\d+)/);
    if (!Number.isNaN(item)) return { links: [`${site}/item/${(item * 7) % 2_400}`, `${site}/`] };
    if (url.includes('sort=') || url.includes('stock=')) return { links: [] };
    const n = Number.isNaN(page) ? 1 : page;
    const filters = ['sort=price', 'sort=name', 'stock=1', 'sort=price&stock=1'].map(
      (query) => `${site}/list?${query}`,
    );
    const next = n < 200 ? [`${site}/list?page=${n + 1}`] : [];
    return { links: [...next, ...count(12).map((i) => `${site}/item/${12 * (n - 1) + i}`), ...filters] };
  });
  assert.ok(crawled > 2_600);
});

test('a thread of 200 pages with nothing but words is no trap', () => {
  const crawled = assertNoTrap(
    (url) => {
      const page = Number.isNaN(numberOf(url, /page=(\d+)/)) ? 1 : numberOf(url, /page=(\d+)/);
      return { links: page < 200 ? [`${site}/thread.php?id=4711&page=${page + 1}`] : [] };
    },
    [`${site}/thread.php?id=4711`],
  );
  assert.equal(crawled, 200);
});

test('numbers within one date are no calendar: messages of a month, pages of a day, pictures of another', () => {
  for (const spell of [
    (n: number) => `/list/2024/05/msg${String(n).padStart(5, '0')}.html`,
    (n: number) => `/t/2024/05/title?page=${n}`,
    (n: number) => `/hansard/2024/05/14/page/${n}`,
    (n: number) => `/gallery/2024-05-14/DSC_${String(n).padStart(4, '0')}`,
    (n: number) => `/log?year=2024&month=5&entry=${n}`,
  ]) {
    assertNoTrap((url) => {
      const n = count(200).findIndex((i) => url.endsWith(spell(i)));
      return { links: n < 199 ? [`${site}${spell(n + 1)}`] : [] };
    });
  }
});

test('two years of an events calendar with empty months are no trap', () => {
  const crawled = assertNoTrap((url) => {
    const [, year, month] = /(\d{4})-(\d\d)$/.exec(url) ?? ['', '2025', '12'];
    const n = (Number(year) - 2026) * 12 + Number(month);
    return {
      links:
        n < 24 ? [`${site}/events?month=${2026 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}`] : [],
    };
  });
  assert.equal(crawled, 25);
});

test('a library whose records have ids for names, on several paths, is no trap', () => {
  const id = (n: number) => `${((n * 2654435761) >>> 0).toString(16).padStart(8, '0')}${n.toString(16)}`;
  const crawled = assertNoTrap((url) => {
    const n = url.endsWith('/') ? 0 : Number.parseInt(url.slice(url.lastIndexOf('=') + 9), 16);
    const links = count(5)
      .map((i) => 5 * n + i + 1)
      .filter((next) => next < 1_500);
    return { links: links.map((next) => `${site}/${['record', 'author', 'cover'][next % 3]}?id=${id(next)}`) };
  });
  assert.ok(crawled >= 1_500);
});
