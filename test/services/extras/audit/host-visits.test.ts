import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankResult } from '../../../../schemas/blank.ts';
import type { Request } from '../../../../schemas/types.ts';
import { hostPage } from '../../../../services/extras/audit/host-page.ts';
import { createHostVisits, type HostVisits, type Visits } from '../../../../services/extras/audit/host-visits.ts';
import type { Contact } from '../../../../topology/extras/audit/contact.ts';
import type { Violation } from '../../../../topology/extras/audit/violation.ts';
import { drawFrom } from '../../../kept/drawn.ts';
import { outcome, request } from './on-log.ts';

const dayMs = Date.UTC(2026, 0, 31);
const hourMs = 3_600_000;
const isA = (host: string) => host === 'a.test';

function visit(visits: HostVisits, given: Partial<Request> & { readonly startMs: number }, host = 'a.test'): void {
  const asked = request(`https://${host}/`, { status: 200, endMs: given.startMs + 100, ...given });
  const { startMs, endMs, status, retryAfterMs } = asked;
  visits.contact({ host, startMs, endMs, status, retryAfterMs } as Contact, asked);
}

describe('visits to a host', () => {
  it('visits to a host are listed as they were, of that host only', () => {
    const visits = createHostVisits(isA);
    visit(visits, {
      startMs: dayMs,
      bytes: 10,
      address: '192.0.2.1',
      kind: 'robots',
      url: 'https://a.test/robots.txt',
    });
    visit(visits, { startMs: dayMs + 1_100, bytes: 20, address: '', status: 0, url: 'http://A.test:80/x' });
    visit(visits, { startMs: dayMs + 1_500, bytes: 1_000, address: '192.0.2.9' }, 'b.test');
    visit(visits, { startMs: dayMs + hourMs, bytes: 30, address: '192.0.2.1', endMs: dayMs + hourMs + 7 });
    assert.deepEqual(visits.end(), {
      ...{ requests: 3, byKind: { robots: 1, page: 2 }, byStatus: { 200: 2, 'no answer': 1 } },
      ...{ addresses: ['192.0.2.1'], bytes: 60, firstMs: dayMs, lastMs: dayMs + hourMs + 7 },
      byHour: [
        ['2026-01-31T00:00', 2],
        ['2026-01-31T01:00', 1],
      ],
      ...{ shortestGapMs: 1_000, meanGapMs: (1_000 + hourMs - 1_200) / 2, pauses: [], denied: 0, deniedUrls: [] },
      origins: ['https://a.test', 'http://a.test'],
    });
  });

  it('visits to a host have no gap if there is at most one', () => {
    const [none, one] = [createHostVisits(isA), createHostVisits(isA)];
    visit(one, { startMs: dayMs });
    assert.deepEqual([none.end().shortestGapMs, none.end().meanGapMs, none.end().requests], [null, null, 0]);
    assert.deepEqual([one.end().shortestGapMs, one.end().meanGapMs, one.end().requests], [null, null, 1]);
  });

  it('visits to a host include each requested pause, and when the next request followed', () => {
    const visits = createHostVisits(isA);
    const asks = (startMs: number, status: number, retryAfterMs: number) =>
      visit(visits, { startMs, status, retryAfterMs });
    asks(dayMs, 429, 5_000);
    // It was under way before, so it is not the next.
    visit(visits, { startMs: dayMs + 99 });
    asks(dayMs + 6_100, 503, 1);
    asks(dayMs + 6_200, 503, 2_000);
    const { pauses } = visits.end();
    assert.deepEqual(pauses, [
      { atMs: dayMs + 100, status: 429, askedMs: 5_000, keptMs: 6_000 },
      { atMs: dayMs + 6_200, status: 503, askedMs: 1, keptMs: 0 },
      { atMs: dayMs + 6_300, status: 503, askedMs: 2_000, keptMs: null },
    ]);
  });

  it('visits to a host list a pause once, however many requests follow it', () => {
    const visits = createHostVisits(isA);
    visit(visits, { startMs: dayMs, status: 429, retryAfterMs: 1_000 });
    for (const afterMs of [2_000, 4_000, 6_000]) visit(visits, { startMs: dayMs + afterMs });
    assert.deepEqual(visits.end().pauses, [{ atMs: dayMs + 100, status: 429, askedMs: 1_000, keptMs: 1_900 }]);
  });

  it('visits to a host list the URLs that robots.txt forbids, each once, at most ten', () => {
    const visits = createHostVisits(isA);
    const denied = (hostKey: string, ...paths: readonly string[]) =>
      visits.result({
        ...{ ...blankResult, hostKey },
        outcomes: paths.map((path) => outcome(`https://a.test/${path}`, { kind: 'robotsDenied' })),
      });
    denied('a.test', '1', '2', '1');
    denied('b.test', 'elsewhere');
    visits.result({ ...blankResult, hostKey: 'a.test', outcomes: [outcome('https://a.test/fetched')] });
    denied('a.test', ...Array.from({ length: 20 }, (_, n) => `${n + 1}`));
    const reported = visits.end();
    assert.equal(reported.denied, 23);
    assert.deepEqual(
      reported.deniedUrls,
      Array.from({ length: 10 }, (_, n) => `https://a.test/${n + 1}`),
    );
  });

  it('visits to a host keep the last two days by the hour, and the last twenty pauses', () => {
    const visits = createHostVisits(isA);
    for (let hour = 0; hour < 50; hour++)
      visit(visits, { startMs: dayMs + hour * hourMs, status: 429, retryAfterMs: hour + 1 });
    const { byHour, pauses } = visits.end();
    assert.deepEqual([byHour.length, byHour[0]], [48, ['2026-01-31T02:00', 1]]);
    assert.deepEqual([pauses.length, pauses[0]?.askedMs, pauses.at(-1)?.keptMs], [20, 31, null]);
  });

  it('visits to a host add up to the same sums in batches of any size', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const draw = drawFrom(seed);
      const visits = createHostVisits(isA);
      const [starts, ends, bytes]: [number[], number[], number[]] = [[], [], []];
      let atMs = dayMs;
      draw.list(2 + draw.below(30), () => {
        starts.push((atMs += draw.below(5_000)));
        ends.push((atMs += draw.below(2_000)));
        bytes.push(draw.below(1_000));
        visit(visits, { startMs: starts.at(-1)!, endMs: ends.at(-1)!, bytes: bytes.at(-1)! });
      });
      const gaps = starts.slice(1).map((startMs, n) => startMs - ends[n]!);
      const sum = (those: readonly number[]) => those.reduce((a, b) => a + b, 0);
      const reported = visits.end();
      assert.equal(reported.shortestGapMs, Math.min(...gaps), `seed ${seed}`);
      assert.equal(reported.meanGapMs, Math.round(sum(gaps) / gaps.length), `seed ${seed}`);
      assert.deepEqual(
        [reported.bytes, reported.requests, reported.firstMs, reported.lastMs],
        [sum(bytes), starts.length, starts[0], ends.at(-1)],
      );
    }
  });
});

const nothing: Visits = createHostVisits(isA).end();
const seen: Visits = {
  ...nothing,
  ...{
    requests: 5,
    byKind: { page: 2, robots: 1, sitemap: 1, other: 1, more: 0 },
    byStatus: { 200: 4, 'no answer': 1 },
  },
  ...{ addresses: ['192.0.2.1', '2001:db8::1'], bytes: 1_234, firstMs: dayMs, lastMs: dayMs + 61_001 },
  ...{ byHour: [['2026-01-31T00:00', 5]], shortestGapMs: 1_000, meanGapMs: 1_500 },
  pauses: [
    { atMs: dayMs + 1, status: 429, askedMs: 5_000, keptMs: 5_001 },
    { atMs: dayMs + 2, status: 503, askedMs: 10, keptMs: null },
  ],
  ...{ denied: 3, deniedUrls: ['https://a.test/1', 'https://a.test/2'] },
};
const copy = {
  ...{ origin: 'https://a.test', url: 'https://a.test/robots.txt', status: 200, fetchedAtMs: dayMs, token: '' },
  ...{ crawlDelayMs: -1, hash: 'h', body: Buffer.from('User-agent: *\r\nDisallow: /x\r\n\r\n') },
};
const violation: Violation = {
  ...{ kind: 'gapTooShort', host: 'a.test', url: 'https://a.test/', topic: 'results', partition: 1, offset: 7 },
  ...{ atMs: dayMs + 5, measuredMs: 9, boundMs: 10, source: 'policy 1' },
};
const page = (given: Partial<Parameters<typeof hostPage>[0]>) =>
  hostPage({ host: 'a.test', crawl: 'news', visits: seen, copies: [], violations: [], skewMs: 100, ...given });

describe('the page for a webmaster', () => {
  it('the page for a webmaster says if there were no visits', () => {
    assert.equal(
      page({ visits: nothing }),
      '# Our visits to a.test\n\nThe crawl news has made no request to this host.\n',
    );
  });

  it('the page for a webmaster says when we came, what the host answered and what we did', () => {
    const without = { ...copy, hash: '', status: 404, fetchedAtMs: dayMs + 9 };
    const slow = { ...copy, crawlDelayMs: 2_000, body: Buffer.from('Crawl-delay: 2') };
    assert.equal(
      page({ copies: [copy, without, slow], violations: [violation] }),
      `# Our visits to a.test

From the records of the crawl news. Times are UTC.

## Our requests

- from 2026-01-31 00:00:00.000 to 2026-01-31 00:01:01.001: 5 requests (2 × page, 1 × robots.txt, 1 × sitemap, 1 × other)
- 1234 bytes of decompressed bodies, from 192.0.2.1, 2001:db8::1
- from the end of a request to the next: 1000 ms minimum, 1500 ms on average
- in the hour from 2026-01-31 00:00: 5 requests

## Answers of your server

- answers: 4 × 200, 1 × no answer
- 2026-01-31 00:00:00.000: https://a.test/robots.txt answered 200, 31 bytes:

      User-agent: *
      Disallow: /x

- 2026-01-31 00:00:00.009: https://a.test/robots.txt answered 404: there is no robots.txt, so everything is allowed on https://a.test
- 2026-01-31 00:00:00.000: https://a.test/robots.txt answered 200, 14 bytes, Crawl-delay 2000 ms:

      Crawl-delay: 2

- 2026-01-31 00:00:00.001: status 429 asked us to wait 5000 ms; our next request was after 5001 ms
- 2026-01-31 00:00:00.002: status 503 asked us to wait 10 ms; we sent no request since

## What we skipped, and rule violations

- URLs that we found but did not request, because robots.txt disallows them: 3, as https://a.test/1, https://a.test/2
- **broken** (gapTooShort), 2026-01-31 00:00:00.005, https://a.test/: started 9 ms after the previous request ended, the minimum is 10 ms: policy 1 [results 1:7]

The clocks of our machines may differ by 100 ms.
`,
    );
  });

  it('the page for a webmaster says if there is nothing to report', () => {
    const text = page({
      visits: { ...seen, addresses: [], shortestGapMs: null, meanGapMs: null, denied: 0, pauses: [] },
    });
    assert.match(text, /decompressed bodies, from no address\n- in the hour/);
    assert.match(text, /\n- robots\.txt: no readable copy\n\n## What we skipped, and rule violations/);
    assert.match(text, /because robots\.txt disallows them: 0\n/);
    assert.match(
      text,
      /\n- every request was checked against the delays, limits and rules in force at its time: no violations\n/,
    );
    assert.doesNotMatch(page({ copies: [copy] }), /none that could be read/);
    assert.match(page({ copies: [{ ...copy, crawlDelayMs: 0 }] }), / answered 200, 31 bytes:\n/);
    assert.match(page({ copies: [{ ...copy, crawlDelayMs: 1 }] }), /31 bytes, Crawl-delay 1 ms:\n/);
    assert.doesNotMatch(page({ violations: [violation] }), /no violations/);
  });

  it('the page for a webmaster shows twenty lines of a robots.txt, two hundred characters each, without terminal controls', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, n) => `# ${n}`).join('\n');
    const reported = (text: string) => page({ copies: [{ ...copy, body: Buffer.from(text) }] });
    assert.match(reported(lines(20)), /\n {6}# 19\n\n/);
    assert.match(reported(lines(21)), /\n {6}# 19\n {6}\(1 more lines\)\n\n/);
    assert.match(reported(`#${'x'.repeat(300)}`), /\n {6}#x{199}\n/);
    assert.match(reported('a\x1b[2J\x1f\x7f~ b'), /\n {6}a {1}\[2J {2}~ b\n/);
    assert.match(reported('one\rtwo'), /\n {6}one\n {6}two\n/);
  });

  it('the page for a webmaster shows fifty violations', () => {
    const broken = (count: number) => page({ violations: Array.from({ length: count }, () => violation) });
    const count = (text: string) => text.match(/\*\*broken\*\*/g)?.length;
    assert.deepEqual([count(broken(50)), count(broken(51))], [50, 50]);
    assert.doesNotMatch(broken(50), /\n- and /);
    assert.match(broken(51), /\n- and 1 more\n/);
  });
});
