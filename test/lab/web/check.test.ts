import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CheckReport, checkCrawl } from '../../../lab/web/check.ts';
import { planWeb } from '../../../lab/web/plan.ts';
import type { RequestRecord } from '../../../lab/web/records.ts';
import { isFetched, pagePath } from '../../../lab/web/resources.ts';

const plan = planWeb({
  preset: 'full',
  hosts: 20,
  pagesPerHost: 10,
  domains: 2,
  crawlDelayMs: 400,
  hostileShare: 0.05,
});
const delayMs = 100;
const tookMs = 5;

/** What a perfect crawler does: robots.txt, then each page after the delay in force, hosts side by side. */
function perfectCrawl(): RequestRecord[] {
  const records: RequestRecord[] = [];
  for (const host of plan.hosts.keys()) {
    const traits = plan.traits(host);
    if (traits.hostile !== undefined) continue;
    let atMs = 1000 + host;
    const ask = (path: string, status: number) => {
      records.push({
        host,
        path,
        agent: 'crawlstream',
        startMs: atMs,
        endMs: atMs + tookMs,
        status,
        bytes: 10,
        aborted: false,
      });
      atMs += tookMs + Math.max(delayMs, traits.crawlDelayMs);
    };
    ask('/robots.txt', plan.resolve(host, '/robots.txt')!.status);
    if (traits.robots === 'unavailable') continue;
    for (let page = 0; page < 10; page++) ask(pagePath(page), 200);
    for (const special of plan.shape(host).specials) if (isFetched(special.kind)) ask(special.path, 200);
  }
  return records;
}

function reportAfter(change: (records: RequestRecord[]) => void): CheckReport {
  const records = perfectCrawl();
  change(records);
  return checkCrawl(plan, records, { delayMs });
}

/** Each planted fault must be found as what it is, and as nothing else. */
function assertOnly(
  report: CheckReport,
  kind: 'shortGaps' | 'concurrency' | 'robotsViolations' | 'duplicates' | 'missing' | 'unexpected',
  detail: RegExp,
) {
  for (const name of ['shortGaps', 'concurrency', 'robotsViolations', 'duplicates', 'missing', 'unexpected'] as const)
    assert.equal(report[name].count, name === kind ? 1 : 0, `${name}: ${report[name].details.join('; ')}`);
  assert.match(report[kind].details[0]!, detail);
  assert.equal(report.ok, false);
}

const hostWhere = (fits: (host: number) => boolean) => [...plan.hosts.keys()].find(fits)!;
const indexOf = (records: RequestRecord[], host: number, path: string) =>
  records.findIndex((record) => record.host === host && record.path === path);
const lastOf = (records: RequestRecord[], host: number) => records.findLast((record) => record.host === host)!;
const later = (records: RequestRecord[], host: number, path: string, status = 200): RequestRecord => ({
  ...lastOf(records, host),
  path,
  status,
  startMs: lastOf(records, host).startMs + 5000,
  endMs: lastOf(records, host).endMs + 5000,
});

test('a perfect crawl passes, in whatever order its records come', () => {
  for (const report of [reportAfter(() => {}), reportAfter((records) => records.reverse())]) {
    assert.ok(report.ok, JSON.stringify(report));
    assert.equal(report.fetched, report.expected);
    assert.equal(report.expected, plan.expected(80).fetch.size);
    assert.equal(report.smallestGapMs, delayMs);
    assert.equal(report.smallestSlackMs, 0);
  }
});

test('a gap below the delay is found, one within the tolerance is not', () => {
  const shift = (byMs: number) => (records: RequestRecord[]) => {
    const last = lastOf(records, 0);
    records[records.indexOf(last)] = { ...last, startMs: last.startMs - byMs };
  };
  assertOnly(reportAfter(shift(0.6)), 'shortGaps', /h000\.site0\.test.* 99\.40 ms after the last request, not 100/);
  assert.ok(reportAfter(shift(0.4)).ok);
});

test('a Crawl-delay counts once robots.txt has been read', () => {
  const host = hostWhere((n) => plan.traits(n).crawlDelayMs > 0);
  const report = reportAfter((records) => {
    const last = lastOf(records, host);
    records[records.indexOf(last)] = { ...last, startMs: last.startMs - 200 };
  });
  assertOnly(report, 'shortGaps', /200\.00 ms after the last request, not 400/);
});

test('the end of the longest request counts, not of the latest', () => {
  const report = reportAfter((records) => {
    const last = lastOf(records, 1);
    records.push({ ...last, path: '/gone/0', status: 404, startMs: last.startMs + 2, endMs: last.endMs - 1 });
  });
  assertOnly(report, 'concurrency', /\/gone\/0 .* 1 under way/);
});

test('a host with several allowed connections has a gap on each of them, and its whole Crawl-delay', () => {
  const host = hostWhere((n) => plan.traits(n).crawlDelayMs === 0 && plan.traits(n).robots === 'rules');
  const name = plan.hosts[host]!;
  const missing = { status: 404, path: '/gone/0' };
  // After all others: two slots side by side, each with its delay.
  const hostSlots = (gapMs: number) => (records: RequestRecord[]) => {
    const fromMs = lastOf(records, host).endMs + delayMs;
    for (const [hostSlot, n] of [0, 1].flatMap((one) => [0, 1, 2].map((turn) => [one, turn] as const))) {
      const startMs = fromMs + 40 * hostSlot + n * (tookMs + gapMs);
      records.push({ ...lastOf(records, host), ...missing, startMs, endMs: startMs + tookMs });
    }
  };
  const report = (connections: number, gapMs: number) => {
    const records = perfectCrawl();
    hostSlots(gapMs)(records);
    return checkCrawl(plan, records, { delayMs, connections: { [name]: connections } });
  };
  assert.ok(report(2, delayMs).ok);
  const hasty = report(2, delayMs - 1).shortGaps;
  assert.equal(hasty.count, 4, 'all but the first of each');
  assert.match(hasty.details[0]!, /99\.00 ms after the last request, not 100/);
  assert.match(report(1, delayMs).shortGaps.details[0]!, /35\.00 ms after the last request, not 100/);
  const delayed = hostWhere((n) => plan.traits(n).crawlDelayMs > 0);
  const early = perfectCrawl();
  early.push({ ...lastOf(early, delayed), ...missing, startMs: lastOf(early, delayed).endMs + 300, endMs: 1e9 });
  assertOnly(
    checkCrawl(plan, early, { delayMs, connections: { [plan.hosts[delayed]!]: 4 } }),
    'shortGaps',
    /300\.00 ms after the last request, not 400/,
  );
});

test('a request still being answered keeps its host busy', () => {
  const report = reportAfter((records) => {
    records.push(later(records, 0, '/gone/0', 404));
    const at = records.length - 1;
    records[at] = { ...records[at]!, endMs: Number.POSITIVE_INFINITY };
    records.push({ ...records[at]!, startMs: records[at]!.startMs + 1000, endMs: records[at]!.startMs + 1001 });
  });
  assertOnly(report, 'concurrency', /1 under way/);
  assert.equal(report.inFlight, 1);
});

test('a disallowed URL, in any spelling, is a robots violation', () => {
  const host = hostWhere((n) => plan.traits(n).robots === 'rules' && n > 1);
  for (const path of ['/private/0', '/%70rivate/0', '/x/../private/0?utm_source=a'])
    assertOnly(
      reportAfter((records) => records.push(later(records, host, path))),
      'robotsViolations',
      /is disallowed/,
    );
});

test('a page of a host whose robots.txt answers 503 is a robots violation', () => {
  const host = hostWhere((n) => plan.traits(n).robots === 'unavailable');
  const report = reportAfter((records) => records.push(later(records, host, '/', 404)));
  assertOnly(report, 'robotsViolations', /is disallowed/);
});

test('a page requested before robots.txt is a robots violation', () => {
  const report = reportAfter((records) => {
    const robots = records[indexOf(records, 1, '/robots.txt')]!;
    const early = { startMs: robots.startMs - 500, endMs: robots.endMs - 500 };
    records.push({ ...robots, ...early, path: '/p/1', status: 304 });
  });
  assertOnly(report, 'robotsViolations', /asked for before/);
});

test('a page fetched in two spellings is a duplicate, an aborted fetch is none', () => {
  const twice = (aborted: boolean) => (records: RequestRecord[]) =>
    records.push({ ...later(records, 0, '/p/1?utm_campaign=x#y'), aborted });
  assertOnly(reportAfter(twice(false)), 'duplicates', /is h000\.site0\.test\/p\/1 for the second time/);
  assert.ok(reportAfter(twice(true)).ok);
});

test('a page that was never fetched is missing', () => {
  const drop = (records: RequestRecord[]) => records.splice(indexOf(records, 1, '/p/2'), 1);
  assertOnly(reportAfter(drop), 'missing', /^h001\.site1\.test\/p\/2$/);
});

test('a URL that no page names, and a foreign host, are unexpected', () => {
  assertOnly(
    reportAfter((records) => records.push(later(records, 0, '/p/1/extra', 404))),
    'unexpected',
    /named nowhere/,
  );
  const foreign = (records: RequestRecord[]) => records.push({ ...later(records, 0, '//example.org/'), host: -1 });
  assertOnly(reportAfter(foreign), 'unexpected', /no host of this web/);
});

test('hosts with a Crawl-delay above the cap are not missed', () => {
  const host = hostWhere((n) => plan.traits(n).crawlDelayMs > 0);
  const records = perfectCrawl().filter((record) => record.host !== host || record.path === '/robots.txt');
  assert.ok(checkCrawl(plan, records, { delayMs, crawlDelayCapMs: 399 }).ok);
  assert.ok(!checkCrawl(plan, records, { delayMs, crawlDelayCapMs: 400 }).ok);
});

test('a report over an incomplete record is not ok', () => {
  assert.equal(checkCrawl(plan, perfectCrawl(), { delayMs, dropped: 1 }).ok, false);
});

test('an aborted request may be forgiven the time the server took to see it', () => {
  const shifted = (aborted: boolean) => {
    const records = perfectCrawl();
    const last = later(records, 0, '/gone/0', 404);
    records.push({ ...last, aborted }, { ...last, startMs: last.endMs + 95, endMs: last.endMs + 96 });
    return checkCrawl(plan, records, { delayMs, abortToleranceMs: 5 });
  };
  assert.ok(shifted(true).ok);
  assertOnly(shifted(false), 'shortGaps', /95\.00 ms/);
});
