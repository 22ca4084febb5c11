import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ScoreCard, scoreCard } from '../../../lab/judge/score-card.ts';
import { crawlNaively, getFromLoopback } from '../../../lab/web/naive-crawl.ts';
import { planWeb } from '../../../lab/web/plan.ts';
import type { RequestRecord } from '../../../lab/web/records.ts';
import { startWeb } from '../../../lab/web/server.ts';

const plan = planWeb({
  preset: 'full',
  hosts: 24,
  pagesPerHost: 8,
  crawlDelays: 0.2,
  crawlDelayMs: 500,
  throttled: 0.2,
  robotsUnavailable: 0.1,
  slow: 0,
  spellings: 0,
});

/** A crawl that is right, asked one request a second a host: the times are ours, since only they would have to wait. */
async function politeVisit(): Promise<RequestRecord[]> {
  const web = await startWeb(plan);
  try {
    await crawlNaively(plan, web.port, getFromLoopback);
    const nextMs = new Map<number, number>();
    return web.requests().map((request) => {
      const startMs = nextMs.get(request.host) ?? 1_000_000;
      nextMs.set(request.host, startMs + 3_001);
      return { ...request, startMs, endMs: startMs + 1 };
    });
  } finally {
    await web.close();
  }
}

const visit = await politeVisit();
const card = (requests: readonly RequestRecord[], delayMs = 250): ScoreCard =>
  scoreCard(plan, requests, { delayMs, dropped: 0 });
const failed = ({ rows }: ScoreCard) => rows.filter(({ ok }) => ok === false).map(({ rule }) => rule);
const hostWith = (fits: (host: number) => boolean) => plan.hosts.findIndex((_, host) => fits(host));
const of = (host: number) => visit.filter((request) => request.host === host);
/** The visit with one request more, a while after all others. */
const withOne = (host: number, path: string, more: Partial<RequestRecord> = {}): RequestRecord[] => {
  const startMs = 10_000_000;
  return [
    ...visit,
    { ...visit[0]!, host, path, startMs, endMs: startMs + 1, status: 404, bytes: 0, aborted: false, ...more },
  ];
};

test('a correct visit keeps every rule that it reached', () => {
  const { rows, passed, of: applicable } = card(visit);
  assert.deepEqual(failed(card(visit)), []);
  assert.equal(passed, applicable);
  assert.ok(applicable >= 10, `${applicable} of ${rows.length} rows`);
});

test('each kind of misbehaviour fails its own rule', () => {
  const busy = hostWith(
    (host) => of(host).length > 4 && plan.traits(host).crawlDelayMs === 0 && !plan.traits(host).throttled,
  );
  const shifted = (host: number, ms: number) => {
    const [, , third] = of(host);
    const before = of(host)[1]!;
    return visit.map((one) =>
      one === third ? { ...one, startMs: before.endMs + ms, endMs: before.endMs + ms + 1 } : one,
    );
  };
  assert.deepEqual(failed(card(shifted(busy, 200))), ['250 ms between requests to a host']);
  assert.deepEqual(failed(card(shifted(busy, -1))), ['one request at a time to a host']);
  const delayed = hostWith((host) => plan.traits(host).crawlDelayMs > 0 && of(host).length > 3);
  assert.deepEqual(failed(card(shifted(delayed, 400))), ['Crawl-delay kept']);
  const throttled = visit.find(({ status }) => status === 429)!;
  const hurried = visit.map((one) =>
    one.host === throttled.host && one.startMs > throttled.startMs
      ? { ...one, startMs: one.startMs - 1_500, endMs: one.endMs - 1_500 }
      : one,
  );
  assert.deepEqual(failed(card(hurried)), ['Retry-After kept']);
  const ruled = hostWith((host) => plan.traits(host).robots === 'rules');
  const named = plan.shape(ruled).specials.find(({ kind }) => kind === 'disallowed')!.path;
  assert.deepEqual(failed(card(withOne(ruled, named, { status: 200 }))), ['what it disallows is left alone (§2.2)']);
  const closed = hostWith((host) => plan.traits(host).robots === 'unavailable');
  assert.ok(
    failed(card(withOne(closed, '/p/1', { status: 200 }))).includes(
      'a host where it is unreachable is left alone (§2.3.1.4)',
    ),
  );
  const page = visit.find(({ status, path, host }) => host === busy && status === 200 && path !== '/robots.txt')!;
  assert.deepEqual(failed(card(withOne(busy, page.path, { status: 200 }))), ['no page twice']);
  assert.deepEqual(failed(card(withOne(busy, '/nowhere'))), ['no request for what nothing names']);
  const robots = visit.find(({ host, path }) => host === busy && path === '/robots.txt')!;
  const late = visit.map((one) => (one === robots ? { ...one, startMs: 10_000_000, endMs: 10_000_001 } : one));
  assert.deepEqual(failed(card(late)), ['asked for before anything else']);
  const half = visit.filter(({ host }) => host % 2 === 0);
  assert.deepEqual(failed(card(half)), ['99 % of the reachable pages']);
});
