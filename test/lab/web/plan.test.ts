import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { gzipBody, plainBody, pressProse } from '../../../lab/web/gzip.ts';
import { crawlNaively, type Get } from '../../../lab/web/naive-crawl.ts';
import { normalPath } from '../../../lab/web/normal-path.ts';
import { pagePieces } from '../../../lab/web/page.ts';
import { planWeb, type WebPlan } from '../../../lab/web/plan.ts';
import { pagePath } from '../../../lab/web/resources.ts';
import { createResponder } from '../../../lab/web/responses.ts';
import { spelledHref, urlOf } from '../../../lab/web/spellings.ts';
import { sections } from '../../../lab/web/text.ts';

const port = 8080;

test('the same seed gives the same web, another seed another', () => {
  const bodies = (seed: number) => firstBodies(planWeb({ preset: 'full', seed, hosts: 20, pagesPerHost: 10 }), port);
  assert.deepEqual(bodies(7), bodies(7));
  assert.notDeepEqual(bodies(7), bodies(8));
});

test('another port changes nothing but the port in URLs', () => {
  const plan = planWeb({ preset: 'full', hosts: 20, pagesPerHost: 10 });
  const on = (at: number) => [...plan.expected(at).fetch].map((url) => url.replace(`:${at}`, ''));
  assert.deepEqual(on(8080), on(18080));
  const bodies = firstBodies(plan, 8080).map((body) => body.replaceAll('8080', '8081'));
  assert.deepEqual(bodies, firstBodies(plan, 8081));
});

for (const seed of [1, 2, 3, 4, 5])
  test(`a naive crawl reaches exactly the pages that the plan expects (seed ${seed})`, async () => {
    const plan = planWeb({ preset: 'full', seed, hosts: 24, pagesPerHost: 30, domains: 3, calendarMonths: 5 });
    const expected = plan.expected(port);
    const found = await crawlNaively(plan, port, inProcess(plan));
    assert.deepEqual(sorted(found.fetched), sorted(expected.fetch));
    const loops = [...expected.failures].filter((url) => url.includes('/loop/'));
    assert.deepEqual(sorted(found.redirected), sorted([...expected.redirects, ...loops]));
    assert.deepEqual(sorted([...found.failed, ...loops]), sorted(expected.failures));
    for (const url of found.refused) assert.ok(expected.never.has(url), `${url} may be fetched after all`);
    assert.ok(found.refused.size > 0);
  });

test('a small full web shows every feature', () => {
  const plan = planWeb({ preset: 'full', hosts: 30, pagesPerHost: 40, hostileShare: 0.1 });
  const robots = new Set(plan.hosts.map((_, host) => plan.traits(host).robots));
  assert.deepEqual([...robots].sort(), ['missing', 'movedAcross', 'movedHere', 'open', 'rules', 'unavailable']);
  const kinds = new Set(plan.hosts.flatMap((_, host) => plan.shape(host).specials.map((special) => special.kind)));
  assert.deepEqual([...kinds].sort(), [
    'disallowed',
    'error',
    'extra',
    'flaky',
    'loop',
    'missing',
    'month',
    'redirect',
  ]);
  const traits = plan.hosts.map((_, host) => plan.traits(host));
  assert.ok(traits.some((own) => own.crawlDelayMs > 0));
  assert.ok(traits.some((own) => own.sitemap));
  assert.ok(traits.some((own) => own.hostile !== undefined));
});

test('pages are 8–20 KB, 12.6 KB on average, with the links asked for, 70 % of them on their host', () => {
  const plan = planWeb({ hosts: 50, pagesPerHost: 200 });
  const { lengths } = pressProse(sections(1));
  const sizes: number[] = [];
  let [links, same] = [0, 0];
  for (let host = 0; host < 50; host += 5)
    for (let page = 0; page < 200; page++) {
      const resource = plan.resolve(host, pagePath(page))!;
      const pieces = pagePieces(plan, host, resource, port, lengths);
      sizes.push(
        pieces.reduce<number>((sum, piece) => sum + (typeof piece === 'number' ? lengths[piece]! : piece.length), 0),
      );
      const targets = plan.targets(host, resource);
      links += targets.length;
      same += targets.filter((target) => target.host === host).length;
    }
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  assert.ok(Math.abs(mean - 12_600) < 250, `mean ${mean}`);
  assert.ok(Math.min(...sizes) >= 7900 && Math.max(...sizes) <= 20_300, `${Math.min(...sizes)}–${Math.max(...sizes)}`);
  assert.ok(Math.abs(links / sizes.length - 42) < 0.5);
  assert.ok(Math.abs(same / links - 0.7) < 0.03, `${same / links}`);
});

test('a messy web has tiny pages and long ones, and as many dead URLs as real webs', () => {
  const plan = planWeb({ preset: 'messy', hosts: 20, pagesPerHost: 100 });
  const { lengths } = pressProse(sections(1));
  const sizes = { tiny: [] as number[], ordinary: [] as number[], long: [] as number[] };
  for (let host = 0; host < 20; host++)
    for (let page = 0; page < 100; page++) {
      const resource = plan.resolve(host, pagePath(page))!;
      const pieces = pagePieces(plan, host, resource, port, lengths);
      const chars = pieces.reduce<number>(
        (sum, one) => sum + (typeof one === 'number' ? lengths[one]! : one.length),
        0,
      );
      sizes[plan.sizeOf(host, resource)].push(chars);
    }
  assert.ok(
    Math.abs(sizes.tiny.length / 2_000 - 0.3) < 0.05 && Math.max(...sizes.tiny) < 3_000,
    `${sizes.tiny.length}`,
  );
  assert.ok(Math.abs(sizes.long.length / 2_000 - 0.05) < 0.02, `${sizes.long.length}`);
  assert.ok(
    sizes.long.every((chars) => Math.abs(chars - 100_000) < 2_500),
    `${Math.min(...sizes.long)}`,
  );
  const { fetch, failures, redirects } = plan.expected(port);
  const share = (failures.size + redirects.size) / (fetch.size + failures.size + redirects.size);
  assert.ok(Math.abs(share - 0.4) < 0.05, `${share}`);
});

test('a web over TLS is the same but for the scheme', () => {
  const on = (tls: number) => [...planWeb({ preset: 'messy', hosts: 8, pagesPerHost: 20, tls }).expected(port).fetch];
  assert.deepEqual(
    on(1),
    on(0).map((url) => url.replace('http:', 'https:')),
  );
});

test('links across hosts follow a power law', () => {
  const plan = planWeb({ hosts: 1000, pagesPerHost: 20 });
  const inLinks = new Array<number>(1000).fill(0);
  for (let host = 0; host < 1000; host += 4)
    for (const { host: to } of plan.targets(host, plan.resolve(host, '/')!)) if (to !== host) inLinks[to]!++;
  const sum = (from: number, to: number) => inLinks.slice(from, to).reduce((total, count) => total + count, 0);
  assert.ok(sum(0, 10) > 0.2 * sum(0, 1000));
  assert.ok(sum(0, 10) > 3 * sum(500, 510));
});

test('every spelling leads to its page', () => {
  for (const path of [0, 1, 3, 4].map(pagePath))
    for (const at of [80, 8080])
      for (let dice = 0; dice < 1000; dice += 1) {
        const href = spelledHref('h001.site1.test', path, at, true, dice * 7919);
        const url = new URL(href, urlOf('h001.site1.test', '/p/9', at));
        assert.equal(
          `${url.protocol}//${url.host}${normalPath(url.pathname + url.search)}`,
          urlOf('h001.site1.test', path, at),
          href,
        );
        const secure = spelledHref('h001.site1.test', path, at, true, dice * 7919, 'https');
        const other = new URL(secure, urlOf('h001.site1.test', '/p/9', at, 'https'));
        assert.equal(other.protocol, 'https:', secure);
      }
});

test('an assembled gzip body inflates to the plain body', () => {
  const prose = pressProse(sections(1));
  for (const pieces of [
    ['<p>own</p>', 3, 'x'.repeat(70_000), 500],
    ['', 0],
    [2, 2, 2],
  ])
    assert.ok(gunzipSync(gzipBody(pieces, prose)).equals(plainBody(pieces, prose)));
});

test('a web of 1,000 hosts with 1,000 pages is planned in well under a second of the processor', () => {
  const before = process.cpuUsage();
  const plan = planWeb({ preset: 'full', hosts: 1000, pagesPerHost: 1000 });
  assert.equal(plan.resolve(999, '/p/997')?.index, 997);
  assert.ok(process.cpuUsage(before).user < 1_000_000);
});

test('an option out of range is named', () => {
  assert.throws(() => planWeb({ hosts: 0 }), /hosts must be a whole number from 1/);
  assert.throws(() => planWeb({ redirects: 1.5 }), /redirects must be a share from 0 to 1, not 1.5/);
  assert.throws(() => planWeb({ slow: Number.NaN }), /slow must be a share/);
});

test('an endless calendar is no part of the expected pages', () => {
  const plan = planWeb({ hosts: 4, pagesPerHost: 5, domains: 1, calendars: 1, calendarMonths: -1 });
  const far = plan.resolve(0, '/calendar/2999/12')!;
  assert.equal(far.kind, 'trap');
  assert.ok(plan.targets(0, far).some((target) => target.path === '/calendar/3000/01'));
  assert.equal(plan.expected(port).fetch.size, 20);
});

function sorted(urls: Iterable<string>): string[] {
  return [...urls].sort();
}

function inProcess(plan: WebPlan): Get {
  const responder = createResponder(plan);
  return async (url) => {
    const host = plan.hostOf(url.hostname);
    const target = url.pathname + url.search;
    const ask = { host, target, port, gzip: false, ifNoneMatch: undefined, ifModifiedSince: undefined };
    const { status, headers, body } = responder.answer(ask, plan.resolve(host, target));
    const at = headers.indexOf('Location');
    return { status, headers: at < 0 ? {} : { location: headers[at + 1] }, body: body.toString() };
  };
}

function firstBodies(plan: WebPlan, at: number): string[] {
  const responder = createResponder(plan);
  return plan.hosts.map((_, host) => {
    const ask = { host, target: '/', port: at, gzip: false, ifNoneMatch: undefined, ifModifiedSince: undefined };
    return responder.answer(ask, plan.resolve(host, '/')).body.toString();
  });
}
