import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addTrap, type HostTraps, noTraps, releaseTrap } from '../../../../topology/policy/traps/active-traps.ts';
import { shapeOf } from '../../../../topology/policy/traps/shape.ts';
import { stepSummary } from '../../../../topology/policy/traps/step.ts';
import { emptySummary, type Trap } from '../../../../topology/policy/traps/summary.ts';
import { defaultTraps } from '../../../../topology/policy/traps/trap-config.ts';
import { noticeTrap, trapOf } from '../../../../topology/policy/traps/traps.ts';
import { type Crawled, crawlThrough, type FakePage } from './crawl-through.ts';

const site = 'http://a.org';

function reasons({ trapped }: Crawled): string[] {
  return [...trapped.values()].map(({ pattern, reason }) => `${pattern} ${reason}`).sort();
}

test('a calendar with links both ways and pages for its days is left after two years', () => {
  const crawled = crawlThrough(
    (url) => {
      const [, year, month, day] = /\/events\/(\d+)\/(\d+)(?:\/(\d+))?$/.exec(url) ?? [];
      if (year === undefined) return { links: [`${site}/events/2026/01`, `${site}/about`] };
      if (day !== undefined) return { links: [`${site}/`, `${site}/events/${year}/${month}`] };
      const at = Number(year) * 12 + Number(month) - 1;
      const path = (n: number) => `${site}/events/${Math.floor(n / 12)}/${String((n % 12) + 1).padStart(2, '0')}`;
      const days = Array.from({ length: 28 }, (_, n) => `${path(at)}/${n + 1}`);
      return { links: [path(at - 1), path(at + 1), ...days] };
    },
    [`${site}/`],
  );
  assert.deepEqual(reasons(crawled), ['/events/#/# calendar']);
  assert.ok(crawled.fetched.length < 60 * 29, `${crawled.fetched.length}`);
});

test('calendars by parameters, and with the month in one word, are calendars', () => {
  for (const form of [
    (n: number) => `${site}/cal?month=${(n % 12) + 1}&year=${2026 + Math.floor(n / 12)}`,
    (n: number) => `${site}/cal?date=${2026 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}&view=month`,
  ]) {
    let month = 0;
    const crawled = crawlThrough(() => ({ links: [form(month++), `${site}/`] }), [`${site}/`]);
    assert.match(reasons(crawled).join(), /^\/cal\?[^ ]+ calendar$/);
    assert.ok(crawled.fetched.length <= 30, `${crawled.fetched.length}`);
  }
});

test('an endless counter is left, a chain of numbers that ends is not', () => {
  const counter = (last: number) => (url: string) => {
    const n = Number(/\d+$/.exec(url)?.[0] ?? 0);
    return { links: n < last ? [`${site}/n/${n + 1}`] : [] };
  };
  const endless = crawlThrough(counter(Infinity), [`${site}/`]);
  assert.deepEqual(reasons(endless), ['/n/# counter']);
  assert.ok(endless.fetched.length <= 260);
  assert.equal(crawlThrough(counter(200), [`${site}/`]).trapped.size, 0);
});

/** A site of twenty pages; each view hands out a new token, in the way that `spell` puts it into links. */
function sessionSite(spell: (page: number, token: string) => string) {
  let view = 0;
  return (): FakePage => {
    const token = ((view++ * 2654435761) >>> 0).toString(16).padStart(8, '0');
    return { links: Array.from({ length: 20 }, (_, page) => spell(page, `${token}a1b2`)) };
  };
}

const names = Array.from({ length: 20 }, (_, n) => `part${String.fromCharCode(97 + n)}`);

test('a session in an unlisted parameter is recognised by its values', () => {
  const crawled = crawlThrough(
    sessionSite((page, token) => `${site}/${names[page]}?visit=${token}`),
    [`${site}/`],
  );
  assert.deepEqual(reasons(crawled), ['&visit=~ tokens']);
  assert.ok(crawled.fetched.length < 500, `${crawled.fetched.length}`);
});

test('an endless session loop under one new token each time is left', () => {
  let view = 0;
  const crawled = crawlThrough(() => {
    const token = ((view++ * 2654435761) >>> 0).toString(16).padStart(8, '0');
    return { links: [`${site}/s/${token}c3d4/home`] };
  }, [`${site}/`]);
  assert.deepEqual(reasons(crawled), ['/s/~/home tokens']);
  assert.ok(crawled.fetched.length < 40, `${crawled.fetched.length}`);
});

test('relative links that pile up on their own path are refused from the third repetition on', () => {
  const crawled = crawlThrough((url) => ({ links: [`${url}news/`, `${url}more/news/`] }), [`${site}/`]);
  assert.ok(crawled.deferred > 0);
  assert.ok(crawled.fetched.every((url) => !url.includes('/news/news/news/')));
});

test('the repetition is named up to the end of its second occurrence', () => {
  const rows: [string, string | null][] = [
    ['/img/img/img/a.html', '/img/img'],
    ['/x/img/css/img/css/img/css', '/x/img/css/img/css'],
    ['/one/two/ten/one/two/ten/one/two/ten/?x', '/one/two/ten/one/two/ten'],
    ['/news/news/', null],
    ['/tiles/0/0/0.png', null],
    ['/1/1/1', null],
    ['/1/1/1/1/1/1', '/1/1'],
    ['/a/a/a', null],
    ['/a/b/a/b/a/b/', '/a/b/a/b'],
    ['/', null],
    ['///', null],
  ];
  for (const [path, pattern] of rows) {
    const trap = trapOf(defaultTraps, undefined, site + path);
    assert.equal(trap?.detail ?? null, pattern === null ? null : `paths that repeat themselves 3 times, as ${pattern}`);
    assert.equal(trap?.pattern, pattern === null ? undefined : '//');
  }
});

test('endlessly combining facets close the path to further parameters, not the path itself', () => {
  const facets = ['brand', 'color', 'fit', 'gender', 'material', 'price', 'rating', 'size'];
  const crawled = crawlThrough(
    (url) => {
      const { searchParams } = new URL(url);
      return {
        links: facets
          .filter((name) => !searchParams.has(name))
          .flatMap((name) =>
            [1, 2, 3].map((value) => {
              const next = new URLSearchParams(searchParams);
              next.set(name, String(value));
              next.sort();
              return `${site}/shoes?${next}`;
            }),
          ),
      };
    },
    [`${site}/shoes`],
  );
  assert.deepEqual(reasons(crawled), ['/shoes? parameterExplosion']);
  assert.ok(crawled.fetched.length < 1_500, `${crawled.fetched.length}`);
});

test('a prefix that answers every name with the same page is left, its neighbours are not', () => {
  const crawled = crawlThrough(
    (url) => {
      const n = Number(/(\d+)\.html$/.exec(url)?.[1] ?? 0);
      const copies = Array.from({ length: 10 }, (_, i) => `${site}/gone/${10 * n + i + 1}.html`);
      if (url.includes('/gone/')) return { contentHash: 'deadbeef', links: copies };
      return {
        links: [...copies, `${site}/kept/${n + 1}.html`, `${site}/kept/${n + 1}/text`].slice(0, n < 60 ? 12 : 0),
      };
    },
    [`${site}/`],
  );
  assert.deepEqual(reasons(crawled), ['/gone/{} duplicateContent']);
  assert.equal(crawled.fetched.filter((url) => /kept\/\d+\.html/.test(url)).length, 60);
});

test('a prefix of duplicates is left with what lies directly there: deeper paths are judged separately', () => {
  const copies = (under: string) => Array.from({ length: 60 }, (_, i) => `${site}${under}copy${i}.html`);
  const crawled = crawlThrough(
    (url) => {
      if (url === `${site}/`) return { links: [...copies('/'), `${site}/docs/`] };
      if (url.includes('copy')) return { contentHash: 'deadbeef', links: [] };
      const n = Number(/page(\d+)/.exec(url)?.[1] ?? 0);
      return { links: n < 80 ? [`${site}/docs/page${n + 1}.html`] : [] };
    },
    [`${site}/`],
  );
  assert.deepEqual(reasons(crawled), ['/{} duplicateContent']);
  assert.equal(crawled.fetched.filter((url) => url.includes('/docs/page')).length, 80);
});

test('sort links of directory indexes are left, in any server’s spelling, until an operator releases them', () => {
  const rows: readonly (readonly [string, boolean])[] = [
    ['/pub/?C=N;O=D', true],
    ['/pub/?C=S&O=A', true],
    ['/pub/?M=A', true],
    ['/pub/?C=N', false],
    ['/pub/?C=X;O=D', false],
    ['/pub/?q=1&C=N;O=D', false],
    ['/pub/?N=B', false],
    ['/pub/C=N;O=D', false],
  ];
  for (const [path, expected] of rows)
    assert.equal(trapOf(defaultTraps, undefined, site + path)?.reason === 'sortLinks', expected, path);
  const released = { trapped: [], released: [trapOf(defaultTraps, undefined, `${site}/?C=N;O=D`)!] };
  assert.equal(trapOf(defaultTraps, released, `${site}/pub/?C=N;O=D`), null);
});

test('parameters separated by semicolons are parameters', () => {
  assert.equal(
    shapeOf(`${site}/git?p=a.git;a=blob;f=x/y.c;h=0a1b2c3d4e5f`),
    shapeOf(`${site}/git?p=a.git&a=blob&f=x/y.c&h=0a1b2c3d4e5f`),
  );
  // gitweb: every file of every commit, raw, with its blame and its differences to every other.
  const crawled = crawlThrough(
    (url) => {
      const n = Number(/h=(\d+)/.exec(url)?.[1] ?? 0);
      const views = ['blob', 'blame', 'tree', 'commitdiff', 'history', 'shortlog'];
      return {
        links: views.flatMap((view) =>
          [1, 2].map((i) => `${site}/git?p=a.git;v=${view};h=${2 * n + i}${'0'.repeat(6)}`),
        ),
      };
    },
    [`${site}/git`],
  );
  assert.deepEqual(reasons(crawled), ['/git? parameterExplosion']);
  assert.ok(crawled.fetched.length < 3_000, `${crawled.fetched.length}`);
});

test('a host with hardly any page in a thousand fetches is left as a whole', () => {
  let n = 0;
  const links = () => Array.from({ length: 3 }, () => `${site}/${['x', 'y', 'z'][n % 3]}${'word'.repeat(1)}-${n++}-q/`);
  const crawled = crawlThrough(() => ({ status: 404, links: links() }), [`${site}/`]);
  assert.ok(reasons(crawled).includes('/ hostYield'), reasons(crawled).join());
});

test('a released pattern is free again, and stays so', () => {
  const steps = (from: number, summary = emptySummary, traps = noTraps as HostTraps) => {
    let trap: Trap | null = null;
    for (let n = from; n < from + 40; n++) {
      const event = {
        kind: 'admitted',
        url: `${site}/cal/${2000 + Math.floor(n / 12)}/${(n % 12) + 1}`,
        depth: n,
      } as const;
      summary = stepSummary(summary, event);
      trap ??= noticeTrap(defaultTraps, summary, event, traps);
    }
    return { summary, trap };
  };
  const { summary, trap } = steps(0);
  assert.ok(trap !== null && (trap as Trap).pattern === '/cal/#/#');
  const trapped = addTrap<Trap>(noTraps, trap);
  assert.equal(trapOf(defaultTraps, trapped, `${site}/cal/2100/01/15`)?.reason, 'calendar');
  assert.equal(trapOf(defaultTraps, trapped, `${site}/about`), null);
  const released = releaseTrap(trapped, '/cal/#/#');
  assert.equal(trapOf(defaultTraps, released, `${site}/cal/2100/01`), null);
  assert.equal(steps(40, summary, released).trap, null);
});

test('a summary is a plain value of a few kB at most, whatever a host sends, and a step does not change the old one', () => {
  let summary = emptySummary;
  for (let n = 0; n < 3_000; n++) {
    const word = `${'qwertzuiopasdfghjklyx'.repeat(4)}${n.toString(36)}`.slice(-90);
    const url = `http://h.org/${word.slice(n % 50, (n % 50) + 23)}/${n}?${word.slice(n % 70)}=1&b${n}=2&${'c'.repeat(n % 60)}=0a1b2c3d4e`;
    const frozen = JSON.stringify(summary);
    const before = summary;
    summary = stepSummary(summary, { kind: 'admitted', url, depth: n % 40 });
    summary = stepSummary(summary, { kind: 'fetched', url, status: 200, contentHash: (n * 7919).toString(16) });
    if (n % 500 === 0) assert.equal(JSON.stringify(before), frozen);
  }
  const json = JSON.stringify(summary);
  assert.ok(json.length < 20_000, `${json.length}`);
  assert.deepEqual(JSON.parse(json), summary);
});
