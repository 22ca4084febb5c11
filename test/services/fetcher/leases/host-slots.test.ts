/** Leases of one host side by side, over real sockets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostSlots } from '../../../../services/fetcher/leases/host-slots.ts';
import { controlEvent } from '../../../../services/runtime/crawl/control-log.ts';
import { until } from '../../until.ts';
import { type Harness, startHarness, taskUrls } from '../harness.ts';
import { type Hit, type Site, serveSite } from '../loopback.ts';

const html = { 'content-type': 'text/html' };
const [delayMs, takesMs] = [100, 250];

function serveSlow(t: Parameters<typeof serveSite>[0], robots = ''): Promise<Site> {
  return serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.end(robots);
    else if (request.url === '/busy') response.writeHead(429, { 'retry-after': '60' }).end();
    else setTimeout(() => response.writeHead(200, html).end('<p>slow'), takesMs);
  });
}

/** Leases of three pages each, all of one host, granted together. */
async function runLeases(harness: Harness, site: Site, leases: number, hostSlots: number): Promise<Hit[]> {
  const granted = [];
  for (let lease = 0; lease < leases; lease++) {
    const urls = [0, 1, 2].map((page) => site.url('a.test', `/${lease}/${page}`));
    granted.push(await harness.grant({ urls: taskUrls(...urls), delayMs, lanes: hostSlots }));
  }
  for (const { leaseId } of granted) {
    const { outcomes } = await harness.ended(leaseId);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['fetched', 'fetched', 'fetched'],
    );
  }
  return site.hits.filter(({ path }) => path !== '/robots.txt');
}

/** Contacts, each with the delay after it, that share a moment: as many as there are slots, and no more. */
function slotsUsed(hits: readonly Hit[]): number {
  // A millisecond is forgiven: the server's clock and the client's are read at different moments.
  const until = ({ endMs }: Hit) => endMs + delayMs - 1;
  return Math.max(
    ...hits.map(({ startMs }) => hits.filter((hit) => hit.startMs <= startMs && until(hit) > startMs).length),
  );
}

const atOnce = (hits: readonly Hit[]) =>
  Math.max(...hits.map(({ startMs }) => hits.filter((hit) => hit.startMs <= startMs && hit.endMs > startMs).length));

const spanMs = (hits: readonly Hit[]) =>
  Math.max(...hits.map(({ endMs }) => endMs)) - Math.min(...hits.map(({ startMs }) => startMs));

test('leases of a host with four slots run at once, each with its delay; of a host with one, in turn', async (t) => {
  const [many, one] = [await serveSlow(t), await serveSlow(t)];
  const [inFour, inOne] = await Promise.all([
    startHarness(t).then((harness) => runLeases(harness, many, 4, 4)),
    startHarness(t).then((harness) => runLeases(harness, one, 4, 1)),
  ]);
  assert.deepEqual([inFour.length, inOne.length], [12, 12]);
  assert.deepEqual([atOnce(inOne), slotsUsed(inOne)], [1, 1]);
  assert.equal(slotsUsed(inFour), 4);
  assert.ok(atOnce(inFour) >= 3, `${atOnce(inFour)} at once`);
  assert.ok(spanMs(inFour) < spanMs(inOne) / 2, `${spanMs(inFour)} ms and ${spanMs(inOne)} ms`);
});

test('all leases of a host together keep its Crawl-delay', async (t) => {
  const site = await serveSlow(t, 'User-agent: *\nCrawl-delay: 0.1\n');
  const harness = await startHarness(t);
  const hits = await runLeases(harness, site, 2, 4);
  assert.deepEqual([hits.length, atOnce(hits), slotsUsed(hits)], [6, 1, 1]);
});

test('a host that asks for a pause in one lease gets back the unstarted URLs of all its leases', async (t) => {
  const site = await serveSlow(t);
  const harness = await startHarness(t);
  const pages = [1, 2, 3, 4].map((page) => site.url('a.test', `/${page}`));
  const steady = await harness.grant({ urls: taskUrls(...pages), delayMs, lanes: 2 });
  await until(() => site.hits.length >= 2);
  const refused = await harness.grant({ urls: taskUrls(site.url('a.test', '/busy'), ...pages), delayMs, lanes: 2 });
  const first = await harness.ended(refused.leaseId);
  assert.deepEqual(
    first.outcomes.map(({ kind }) => kind),
    ['throttled', 'returned', 'returned', 'returned', 'returned'],
  );
  const { outcomes } = await harness.ended(steady.leaseId);
  const kinds = outcomes.map(({ kind }) => kind);
  assert.equal(kinds[0], 'fetched');
  assert.equal(kinds.at(-1), 'returned');
  const busyMs = site.hits.find(({ path }) => path === '/busy')!.endMs;
  // What was on its way when the answer came is not to be had back: a lease has one request at a time.
  const later = site.hits.filter(({ startMs }) => startMs > busyMs);
  assert.ok(later.length <= 1, later.map(({ path }) => path).join());
});

test('a fetcher whose other lease met the trouble hears of it on control', async (t) => {
  const site = await serveSlow(t);
  const harness = await startHarness(t);
  const pages = [1, 2, 3, 4].map((page) => site.url('a.test', `/${page}`));
  const task = await harness.grant({ urls: taskUrls(...pages), delayMs, lanes: 2 });
  await until(() => site.hits.length >= 2);
  const event = controlEvent({
    kind: 'pauseHost',
    atMs: 0,
    by: 'frontier',
    hostKey: task.hostKey,
    version: task.leaseId + 1,
  });
  const value = harness.codec.encode('control', event);
  await harness.log.append([{ topic: 't.control', partition: 0, key: null, value }]);
  const { outcomes } = await harness.ended(task.leaseId);
  assert.deepEqual([outcomes[0]?.kind, outcomes.at(-1)?.kind], ['fetched', 'returned']);
});

test('trouble stops every lease granted before it was known, and none granted after', () => {
  const hostSlots = createHostSlots();
  const open = (leaseId: number, notBeforeMs: number) =>
    hostSlots.open({ hostKey: 'a', lanes: 4, leaseId, notBeforeMs });
  const [first, second] = [open(1, 0), open(2, 500)];
  second.inTrouble(1_000);
  assert.deepEqual([first.stopped, second.stopped], [true, true]);
  assert.ok(open(3, 900).stopped, 'it was on its way');
  assert.ok(!open(4, 61_000).stopped, 'a probe');
  hostSlots.pause('a', 6);
  assert.ok(open(5, 61_000).stopped, 'of trouble that another process met');
  assert.ok(!open(6, 61_000).stopped);
});

test('a host is forgotten when its last lease ends, and the newest lease has the number of its slots', () => {
  const hostSlots = createHostSlots();
  const open = (leaseId: number, count: number) =>
    hostSlots.open({ hostKey: 'a', lanes: count, leaseId, notBeforeMs: 0 });
  const [older, newer] = [open(1, 4), open(2, 2)];
  assert.equal(hostSlots.of('a'), 2);
  newer.close();
  older.close();
  assert.equal(hostSlots.of('a'), 1);
});
