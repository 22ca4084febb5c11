import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ArbiterOptions, type Ask, FleetArbiter, type Want } from '../../../topology/fleet/arbiter.ts';
import { fleetLimits } from '../../../topology/fleet/fleet-limits.ts';
import type { Contact } from '../../../topology/fleet/host-times.ts';

const host = 'a.test';
const wantOf = (crawl: string, more: Partial<Want> = {}): Want => ({
  ...{ crawl, hostKey: host, delayMs: 100, delayFactor: 0, crawlDelayMs: 0, latestStartMs: 1e9 },
  ...more,
});
const contact = (more: Partial<Contact> = {}): Contact => ({
  ...{ delayMs: 100, tookMs: 10, crawlDelayMs: 0, isAnswered: true, isPressure: false, retryAfterMs: 0 },
  ...more,
});
const arbiterOf = (weights: Readonly<Record<string, number>>, more: Partial<ArbiterOptions> = {}) => {
  const never = Number.NEGATIVE_INFINITY;
  const arbiter = new FleetArbiter({ requestsMax: 100, hostDelayMs: 0, contactedAtMs: never, ...more });
  for (const [crawl, weight] of Object.entries(weights)) arbiter.join(crawl, weight);
  return arbiter;
};
const crawlsOf = (asks: readonly Ask[]) => asks.map(({ crawl }) => crawl);

test('two crawls never contact a host at once, and the second waits from the end of the first', () => {
  const arbiter = arbiterOf({ a: 1, b: 1 });
  const first = arbiter.ask(wantOf('a'), 0);
  arbiter.ask(wantOf('b'), 0);
  assert.deepEqual(crawlsOf(arbiter.step(0).granted), ['a']);
  assert.deepEqual(crawlsOf(arbiter.step(500).granted), []);
  arbiter.end(first, contact(), 500);
  assert.deepEqual(crawlsOf(arbiter.step(600).granted), []);
  assert.equal(arbiter.wakeAtMs, 601);
  assert.deepEqual(crawlsOf(arbiter.step(601).granted), ['b']);
});

test('a permit returned without a contact delays nobody', () => {
  const arbiter = arbiterOf({ a: 1, b: 1 });
  const first = arbiter.ask(wantOf('a'), 0);
  arbiter.ask(wantOf('b'), 0);
  arbiter.step(0);
  arbiter.end(first, null, 5);
  assert.deepEqual(crawlsOf(arbiter.step(5).granted), ['b']);
  assert.throws(() => arbiter.end(first, null, 6), /has ended/);
});

test('the delay between two crawls is that of the less patient, the host’s Crawl-delay, and the fleet’s delay', () => {
  const cases: readonly (readonly [hostDelayMs: number, after: Partial<Contact>, next: Partial<Want>, gap: number])[] =
    [
      [0, { delayMs: 86_400_000 }, { delayMs: 50 }, 50],
      [0, { delayMs: 50 }, { delayMs: 86_400_000 }, 50],
      [70, { delayMs: 50 }, { delayMs: 20 }, 70],
      [0, { delayMs: 50, crawlDelayMs: 900 }, { delayMs: 20 }, 900],
      [0, { delayMs: 50 }, { delayMs: 20, crawlDelayMs: 900 }, 900],
      [0, { delayMs: 2_000, tookMs: 200 }, { delayMs: 20, delayFactor: 5 }, 1_000],
    ];
  for (const [hostDelayMs, after, next, gap] of cases) {
    const arbiter = arbiterOf({ a: 1, b: 1 }, { hostDelayMs });
    const first = arbiter.ask(wantOf('a'), 0);
    arbiter.step(0);
    arbiter.end(first, contact(after), 10);
    arbiter.ask(wantOf('b', next), 10);
    assert.deepEqual(arbiter.step(10 + gap).granted, [], JSON.stringify(next));
    assert.deepEqual(crawlsOf(arbiter.step(11 + gap).granted), ['b'], JSON.stringify(next));
  }
});

test('Retry-After and back-off of one crawl bind all, and are stored to outlive the process', () => {
  const arbiter = arbiterOf({ a: 1, b: 1 });
  const first = arbiter.ask(wantOf('a'), 0);
  arbiter.step(0);
  const fact = arbiter.end(first, contact({ isPressure: true, retryAfterMs: 60_000 }), 10);
  assert.deepEqual(fact, { heldUntilMs: 60_011, crawlDelayMs: 0 });
  const second = arbiter.ask(wantOf('b'), 20);
  assert.deepEqual(arbiter.step(60_010).granted, []);
  assert.deepEqual(crawlsOf(arbiter.step(60_011).granted), ['b']);
  // Asked for fewer again, without saying for how long: the second step, 10 s.
  assert.equal(arbiter.end(second, contact({ isPressure: true }), 60_020)!.heldUntilMs, 60_021 + 10_000);
  const late = arbiter.ask(wantOf('a', { latestStartMs: 61_000 }), 60_030);
  assert.deepEqual(arbiter.step(60_030), { granted: [], late: [late] });
  assert.equal(arbiter.hold(host, 65_000, 60_040), null);
  assert.equal(arbiter.hold(host, 90_000, 60_040)!.heldUntilMs, 90_000);
  const third = arbiter.ask(wantOf('a'), 60_050);
  assert.deepEqual(arbiter.step(90_000).granted, [third]);
  // Silence says nothing; it answers well, and the count begins anew.
  arbiter.end(third, contact({ isAnswered: false }), 90_001);
  const answered = arbiter.ask(wantOf('b'), 90_001);
  arbiter.step(90_102);
  arbiter.end(answered, contact(), 90_102);
  const fourth = arbiter.ask(wantOf('a'), 90_102);
  arbiter.step(90_203);
  assert.equal(arbiter.end(fourth, contact({ isPressure: true }), 90_210)!.heldUntilMs, 90_211 + 5_000);
});

test('a host whose server fails URL after URL, for any crawls, is left alone by all until it answers well', () => {
  const arbiter = arbiterOf({ a: 1, b: 1 });
  let nowMs = 0;
  const fails = (crawl: string, url: string, more: { isFirstTry?: boolean; most?: number } = {}) => {
    const ask = arbiter.ask(wantOf(crawl), nowMs);
    arbiter.step((nowMs += 200));
    const serverError = { url, isFirstTry: true, most: 3, ...more };
    const heldUntilMs = arbiter.end(ask, contact({ isAnswered: false, serverError }), nowMs)?.heldUntilMs ?? nowMs;
    return heldUntilMs - nowMs;
  };
  const answers = () => {
    const ask = arbiter.ask(wantOf('b'), nowMs);
    arbiter.step((nowMs += 1_000));
    arbiter.end(ask, contact(), nowMs);
  };
  assert.deepEqual([fails('a', '/1'), fails('b', '/2')], [0, 0]);
  answers();
  // A page that is broken for each of its crawls is one, and so is one that is tried again.
  assert.deepEqual(
    [fails('a', '/1'), fails('b', '/1'), fails('a', '/2'), fails('a', '/3', { isFirstTry: false })],
    [0, 0, 0, 0],
  );
  const [first] = fleetLimits.backOffMs;
  assert.equal(fails('b', '/4'), first + 1, 'the third in a row');
  const other = arbiter.ask(wantOf('a'), nowMs);
  assert.deepEqual(arbiter.step(nowMs + first).granted, []);
  assert.deepEqual(arbiter.step((nowMs += first + 1)).granted, [other]);
  const again = { url: '/1', isFirstTry: false, most: 3 };
  assert.equal(
    arbiter.end(other, contact({ isAnswered: false, serverError: again }), nowMs)!.heldUntilMs,
    nowMs + 1 + 2 * first,
  );
  nowMs += 1 + 2 * first;
  answers();
  assert.deepEqual([fails('a', '/5'), fails('a', '/6')], [0, 0]);
});

test('a Crawl-delay that one crawl has read binds the others before its own turn', () => {
  const arbiter = arbiterOf({ a: 1, b: 1 });
  const first = arbiter.ask(wantOf('a'), 0);
  arbiter.step(0);
  arbiter.end(first, contact(), 10);
  arbiter.ask(wantOf('b'), 20);
  assert.deepEqual(arbiter.learnCrawlDelay(host, 2_000, 30), {
    heldUntilMs: Number.NEGATIVE_INFINITY,
    crawlDelayMs: 2_000,
  });
  assert.equal(arbiter.learnCrawlDelay(host, 2_000, 31), null);
  assert.deepEqual(arbiter.step(2_010).granted, []);
  assert.deepEqual(crawlsOf(arbiter.step(2_011).granted), ['b']);
});

test('after a restart any host counts as contacted at the start, and its pauses hold', () => {
  const arbiter = arbiterOf({ a: 1 }, { contactedAtMs: 1_000, hostDelayMs: 300 });
  arbiter.remember('held.test', { heldUntilMs: 5_000, crawlDelayMs: 0 });
  arbiter.remember('slow.test', { heldUntilMs: Number.NEGATIVE_INFINITY, crawlDelayMs: 2_000 });
  for (const hostKey of ['new.test', 'held.test', 'slow.test']) arbiter.ask(wantOf('a', { hostKey }), 1_000);
  const grantedAt: Record<string, number> = {};
  for (let nowMs = 1_000; nowMs < 6_000; nowMs++) {
    for (const { hostKey } of arbiter.step(nowMs).granted) grantedAt[hostKey] = nowMs;
  }
  assert.deepEqual(grantedAt, { 'new.test': 1_301, 'slow.test': 3_001, 'held.test': 5_000 });
});

test('a request that cannot start in time is refused at once if it has no chance, and otherwise at its deadline', () => {
  const arbiter = arbiterOf({ a: 1, b: 1, c: 1 });
  const first = arbiter.ask(wantOf('a'), 0);
  arbiter.step(0);
  const second = arbiter.ask(wantOf('b', { latestStartMs: 50 }), 0);
  const gone = arbiter.ask(wantOf('c', { latestStartMs: 50 }), 0);
  arbiter.withdraw(gone);
  assert.deepEqual(arbiter.step(50).late, []);
  assert.deepEqual(arbiter.step(51).late, [second]);
  arbiter.end(first, contact({ delayMs: 1_000 }), 60);
  const third = arbiter.ask(wantOf('b', { latestStartMs: 100 }), 60);
  assert.deepEqual(arbiter.step(60).late, [third]);
  assert.equal(arbiter.inFlight, 0);
});

/** Crawls that always want more of these hosts; requests that take `tookMs`. Requests of each crawl, after so long. */
function play(
  weights: Readonly<Record<string, number>>,
  hostsOf: (crawl: string) => readonly string[],
  options: Partial<ArbiterOptions> & { readonly delayMs?: number; readonly forMs?: number } = {},
) {
  const { delayMs = 10, forMs = 60_000, ...more } = options;
  const arbiter = arbiterOf(weights, more);
  const counts: Record<string, number> = {};
  const gaps = new Map<string, number>();
  const running: { readonly ask: Ask; readonly untilMs: number }[] = [];
  let shortest = Number.POSITIVE_INFINITY;
  let most = 0;
  for (const crawl of Object.keys(weights)) {
    counts[crawl] = 0;
    for (const hostKey of hostsOf(crawl)) arbiter.ask(wantOf(crawl, { hostKey, delayMs }), 0);
  }
  for (let nowMs = 0; nowMs < forMs; nowMs++) {
    for (const { ask, untilMs } of running.splice(0)) {
      if (untilMs > nowMs) {
        running.push({ ask, untilMs });
        continue;
      }
      arbiter.end(ask, contact({ delayMs, tookMs: 20 }), nowMs);
      gaps.set(ask.hostKey, nowMs);
      arbiter.ask(wantOf(ask.crawl, { hostKey: ask.hostKey, delayMs }), nowMs);
    }
    for (const ask of arbiter.step(nowMs).granted) {
      counts[ask.crawl] = counts[ask.crawl]! + 1;
      shortest = Math.min(shortest, nowMs - (gaps.get(ask.hostKey) ?? Number.NEGATIVE_INFINITY));
      running.push({ ask, untilMs: nowMs + 20 });
    }
    most = Math.max(most, running.length);
  }
  return { counts, shortest, most };
}

const assertShares = (counts: Readonly<Record<string, number>>, weights: Readonly<Record<string, number>>) => {
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
  const [all, allWeights] = [sum(Object.values(counts)), sum(Object.values(weights))];
  for (const [crawl, weight] of Object.entries(weights)) {
    const share = counts[crawl]! / all / (weight / allWeights);
    assert.ok(Math.abs(share - 1) < 0.1, `${crawl} has ${share} of its share: ${JSON.stringify(counts)}`);
  }
};

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `h${from + n}.test`);

test('under full demand each crawl has its share by weight, whichever hosts it shares with others', () => {
  const weights = { a: 1, b: 2, c: 4, d: 1 };
  const hosts: Readonly<Record<string, readonly string[]>> = {
    ...{ a: names(0, 30), b: names(10, 50), c: names(0, 60), d: names(55, 100) },
  };
  const { counts, shortest, most } = play(weights, (crawl) => hosts[crawl]!, { requestsMax: 8 });
  assertShares(counts, weights);
  assert.equal(most, 8);
  assert.ok(shortest >= 11, `${shortest}`);
});

test('a new weight of a crawl counts from then on', () => {
  const arbiter = arbiterOf({ a: 1, b: 1 }, { requestsMax: 1 });
  arbiter.setWeight('a', 3);
  const counts = { a: 0, b: 0 };
  for (const crawl of ['a', 'b'] as const)
    for (let n = 0; n < 40; n++) arbiter.ask(wantOf(crawl, { hostKey: `${crawl}${n}.test` }), 0);
  for (let nowMs = 0; counts.a + counts.b < 40; nowMs += 10) {
    for (const ask of arbiter.step(nowMs).granted) {
      counts[ask.crawl as 'a'] += 1;
      arbiter.end(ask, contact({ tookMs: 10 }), nowMs + 10);
    }
  }
  assert.deepEqual(counts, { a: 30, b: 10 });
});

test('scarce hosts grant their permits by weight', () => {
  const weights = { a: 1, b: 3 };
  const { counts, shortest } = play(weights, () => names(0, 5), { delayMs: 300, forMs: 300_000 });
  assertShares(counts, weights);
  assert.ok(shortest >= 301, `${shortest}`);
});

test('a crawl with its own hosts is not excluded from shared ones', () => {
  const hosts: Readonly<Record<string, readonly string[]>> = { a: names(0, 20), b: names(0, 1) };
  const arbiter = arbiterOf({ a: 1, b: 1 });
  const shared: string[] = [];
  for (const crawl of ['a', 'b']) for (const hostKey of hosts[crawl]!) arbiter.ask(wantOf(crawl, { hostKey }), 0);
  for (let nowMs = 0; shared.length < 4 * fleetLimits.turnsOfShares; nowMs++) {
    for (const ask of arbiter.step(nowMs).granted) {
      if (ask.hostKey === 'h0.test') shared.push(ask.crawl);
      // What the others take is long, so that crawl a has always had more.
      arbiter.end(ask, contact({ delayMs: 10 }), nowMs);
      arbiter.ask(wantOf(ask.crawl, { hostKey: ask.hostKey, delayMs: 10 }), nowMs);
    }
  }
  assert.ok(shared.filter((crawl) => crawl === 'a').length >= 3, shared.join(''));
});

test('an idle crawl saves up a few requests and no more', () => {
  const arbiter = arbiterOf({ a: 1, b: 1 }, { requestsMax: 1 });
  const order: string[] = [];
  const turn = (nowMs: number) => {
    for (const ask of arbiter.step(nowMs).granted) {
      order.push(ask.crawl);
      arbiter.end(ask, contact({ delayMs: 0 }), nowMs + 10);
      arbiter.ask(wantOf(ask.crawl, { hostKey: `${ask.crawl}.test`, delayMs: 0 }), nowMs + 10);
    }
  };
  arbiter.ask(wantOf('a', { hostKey: 'a.test' }), 0);
  let nowMs = 0;
  for (; nowMs < 1_000; nowMs += 10) turn(nowMs);
  arbiter.ask(wantOf('b', { hostKey: 'b.test' }), nowMs);
  order.length = 0;
  for (const end = nowMs + 1_000; nowMs < end; nowMs += 10) turn(nowMs);
  const b = order.filter((crawl) => crawl === 'b').length;
  assert.ok(b - order.length / 2 <= fleetLimits.requestsOwed / 2 + 1, order.join(''));
  assert.ok(b >= order.length / 2, order.join(''));
});

/** Until the newest of many crawls has a page, ms, and how many it has two seconds after it began. */
function newest({ delayMs, robotsMs, tookMs, weight }: typeof ordinary) {
  const weights = Object.fromEntries(names(0, 40).map((crawl) => [crawl, 4]));
  const arbiter = arbiterOf(weights, { requestsMax: 1, hostDelayMs: delayMs });
  const running: Ask[] = [];
  const pages: string[] = [];
  const begun = new Set<string>();
  const asks = (crawl: string, hostKey: string) =>
    arbiter.ask(wantOf(crawl, { hostKey, isBegun: begun.has(hostKey) }), nowMs);
  let nowMs = 0;
  // Each lease asks for robots.txt first, and for its page then.
  const turn = () => {
    const ended = running.find(
      ({ startedAtMs, hostKey }) => startedAtMs + (begun.has(hostKey) ? tookMs : robotsMs) <= nowMs,
    );
    if (ended !== undefined) {
      running.pop();
      arbiter.end(ended, contact({ delayMs }), nowMs);
      if (begun.has(ended.hostKey)) pages.push(ended.crawl);
      begun.add(ended.hostKey);
      asks(ended.crawl, ended.hostKey);
    }
    running.push(...arbiter.step(nowMs).granted);
    nowMs += 1;
  };
  for (const crawl of Object.keys(weights)) for (let n = 0; n < 8; n++) asks(crawl, `${crawl}/${n}`);
  while (nowMs < 12_000) turn();
  arbiter.join('new', weight);
  for (let n = 0; n < fleetLimits.readyMax; n++) asks('new', `new/${n}`);
  const beganMs = nowMs;
  while (!pages.includes('new') && nowMs < beganMs + 30_000) turn();
  const firstMs = nowMs - beganMs;
  const before = pages.length;
  while (nowMs < beganMs + 2_000) turn();
  return { firstMs, more: pages.slice(before).filter((crawl) => crawl === 'new').length };
}

const ordinary = { delayMs: 100, robotsMs: 40, tookMs: 40, weight: 1 };

test('the newest of many crawls has a page at once, however light it is and however little the others have had', () => {
  const { firstMs, more } = newest(ordinary);
  assert.ok(firstMs < 7 * ordinary.tookMs, `${firstMs} ms`);
  // What it went before the others for is no more than a few requests.
  assert.ok(more <= fleetLimits.requestsFirst, `${more}`);
});

test('the newest crawl has a page as soon as the first host with a known robots.txt is ready, however many are known by then', () => {
  for (const weight of [1, 4])
    for (const delayMs of [100, 1_000])
      for (const robotsMs of [1, 40, 200]) {
        const { firstMs, more } = newest({ ...ordinary, delayMs, robotsMs, weight });
        const asked = `${firstMs} ms, weight ${weight}, delay ${delayMs} ms, robots.txt ${robotsMs} ms`;
        // Behind the request that is under way as it begins, and the one under way as its host's time comes.
        assert.ok(firstMs <= delayMs + 3 * Math.max(ordinary.tookMs, robotsMs) + ordinary.tookMs + 5, asked);
        assert.ok(more <= fleetLimits.requestsFirst + weight, `${more} more pages: ${asked}`);
      }
});

test('the first page of a started crawl goes before robots.txt of later crawls, one after the other', () => {
  const arbiter = arbiterOf({ old: 1 }, { requestsMax: 1, hostDelayMs: 1_000 });
  let nowMs = 0;
  let busy: Ask | undefined;
  const granted: Ask[] = [];
  const turn = () => {
    if (busy !== undefined && busy.startedAtMs + 40 <= nowMs) {
      arbiter.end(busy, contact({ delayMs: 1_000 }), nowMs);
      const { crawl, hostKey, isBegun } = busy;
      if (isBegun !== true) arbiter.ask(wantOf(crawl, { hostKey, isBegun: true, delayMs: 1_000 }), nowMs);
      busy = undefined;
    }
    for (const ask of arbiter.step(nowMs).granted) granted.push((busy = ask));
    nowMs += 1;
  };
  const begin = (crawl: string) => {
    arbiter.join(crawl, 1);
    for (let n = 0; n < fleetLimits.readyMax; n++) arbiter.ask(wantOf(crawl, { hostKey: `${crawl}/${n}` }), nowMs);
  };
  begin('first');
  // As fast as they could have all there is.
  for (let n = 0; n < 20; n++) {
    begin(`n${n}`);
    for (const untilMs = nowMs + 120; nowMs < untilMs; ) turn();
  }
  const page = granted.find(({ crawl, isBegun }) => crawl === 'first' && isBegun === true);
  assert.ok(page !== undefined && page.startedAtMs < 1_000 + 3 * 40, `${page?.startedAtMs} ms`);
});

test('a crawl that starts after many at once has its first page before their second', () => {
  const arbiter = arbiterOf({}, { requestsMax: 1, hostDelayMs: 100 });
  const tookMs = 40;
  let nowMs = 0;
  let busy: Ask | undefined;
  const pages = new Map<string, number>();
  const begin = (crawl: string) => {
    arbiter.join(crawl, 1);
    for (let n = 0; n < fleetLimits.readyMax; n++) arbiter.ask(wantOf(crawl, { hostKey: `${crawl}/${n}` }), nowMs);
  };
  const turn = () => {
    if (busy !== undefined && busy.startedAtMs + tookMs <= nowMs) {
      arbiter.end(busy, contact({ delayMs: 100 }), nowMs);
      const { crawl, hostKey, isBegun } = busy;
      if (isBegun === true) pages.set(crawl, (pages.get(crawl) ?? 0) + 1);
      arbiter.ask(wantOf(crawl, { hostKey, isBegun: true }), nowMs);
      busy = undefined;
    }
    for (const ask of arbiter.step(nowMs).granted) busy = ask;
    nowMs += 1;
  };
  const crawls = names(0, 40);
  for (const crawl of crawls) begin(crawl);
  while (!crawls.every((crawl) => pages.has(crawl))) turn();
  const second = crawls.filter((crawl) => pages.get(crawl)! > 1).length;
  assert.ok(second < 10, `${second} of them have their second page before others have their first`);
  begin('new');
  const beganMs = nowMs;
  while (!pages.has('new')) turn();
  // Behind the request that is under way as it begins, and the one under way as its host's time comes.
  assert.ok(nowMs - beganMs <= 100 + 4 * tookMs + 5, `${nowMs - beganMs} ms`);
});

test('a crawl requests no more hosts while enough of its hosts wait for a place', () => {
  const arbiter = arbiterOf({ a: 1, b: 1 }, { requestsMax: 1 });
  const { readyMax } = fleetLimits;
  assert.equal(arbiter.hostsWanted('a'), readyMax);
  for (let n = 0; n <= readyMax; n++) arbiter.ask(wantOf('a', { hostKey: `${n}.test` }), 0);
  const [first] = arbiter.step(0).granted;
  assert.deepEqual([arbiter.hostsWanted('a'), arbiter.hostsWanted('b')], [0, readyMax]);
  arbiter.end(first!, contact(), 10);
  arbiter.step(10);
  assert.equal(arbiter.hostsWanted('a'), 1);
  // A host whose time has not come does not count.
  arbiter.ask(wantOf('a', { hostKey: '0.test' }), 11);
  assert.equal(arbiter.hostsWanted('a'), 1);
});

test('a crawl whose hosts wait long for a place holds few of them', () => {
  const arbiter = arbiterOf({ a: 1, b: 1 }, { requestsMax: 1 });
  const { readyWaitMs, readyLeast, readyMax } = fleetLimits;
  const slow = arbiter.ask(wantOf('b', { hostKey: 'b.test' }), 0);
  arbiter.step(0);
  const first = arbiter.ask(wantOf('a', { hostKey: '0.test' }), 0);
  assert.equal(arbiter.hostsWanted('a'), readyMax - 1);
  arbiter.step(readyWaitMs + 1);
  assert.equal(arbiter.hostsWanted('a'), readyLeast - 1);
  arbiter.end(slow, contact(), readyWaitMs + 2);
  assert.deepEqual(arbiter.step(readyWaitMs + 2).granted, [first]);
  // While it is under way, too.
  assert.equal(arbiter.hostsWanted('a'), readyLeast);
  arbiter.end(first, contact(), readyWaitMs + 3);
  arbiter.ask(wantOf('a', { hostKey: '1.test' }), readyWaitMs + 3);
  arbiter.step(readyWaitMs + 3);
  assert.equal(arbiter.hostsWanted('a'), readyMax, 'it is served at once again');
});

test('hosts that bind nobody any more are forgotten', () => {
  const arbiter = arbiterOf({ a: 1 });
  for (let n = 0; n < fleetLimits.sweepAtLeast; n++) {
    const ask = arbiter.ask(wantOf('a', { hostKey: `${n}.test` }), 0);
    arbiter.step(0);
    arbiter.end(ask, contact({ isPressure: n === 7 }), 1);
  }
  assert.equal(arbiter.hosts, fleetLimits.sweepAtLeast);
  arbiter.ask(wantOf('a', { hostKey: 'new.test' }), 10_000);
  assert.equal(arbiter.hosts, 2);
});

test('hosts of another process count as contacted when they are taken over, and a known pause stays', () => {
  const arbiter = arbiterOf({ a: 1 });
  arbiter.hold('held.test', 9_000, 0);
  const first = arbiter.ask(wantOf('a'), 0);
  arbiter.step(0);
  arbiter.end(first, contact({ delayMs: 10, crawlDelayMs: 700 }), 5);
  arbiter.takeOver((hostKey) => hostKey !== 'other.test', 1_000);
  const starts = new Map<string, number>();
  for (const hostKey of [host, 'held.test', 'other.test']) arbiter.ask(wantOf('a', { hostKey, delayMs: 300 }), 1_000);
  for (let atMs = 1_000; atMs < 10_000; atMs++)
    for (const ask of arbiter.step(atMs).granted) {
      starts.set(ask.hostKey, atMs);
      arbiter.end(ask, contact(), atMs);
    }
  // Whether the other process knew of the Crawl-delay is for it to tell.
  assert.deepEqual([...starts].sort(), [
    [host, 1_301],
    ['held.test', 9_000],
    ['other.test', 1_000],
  ]);
});

test('requests for hosts that move to another process get nothing, and open permits are reported', () => {
  const arbiter = arbiterOf({ a: 1, b: 1 });
  const out = arbiter.ask(wantOf('a'), 0);
  const waits = arbiter.ask(wantOf('b'), 0);
  const other = arbiter.ask(wantOf('b', { hostKey: 'other.test', delayMs: 0 }), 0);
  assert.deepEqual(arbiter.step(0).granted, [out, other]);
  const released = arbiter.release((hostKey) => hostKey === host);
  assert.deepEqual(released, { waiting: [waits], out: [host] });
  assert.deepEqual([out.state, waits.state, other.state], ['granted', 'over', 'granted']);
  arbiter.end(out, contact(), 10);
  assert.deepEqual(
    arbiter.release((hostKey) => hostKey === host),
    { waiting: [], out: [] },
  );
  assert.deepEqual(arbiter.step(1_000), { granted: [], late: [] });
  assert.deepEqual([arbiter.hosts, arbiter.inFlight], [1, 1]);
});

test('a crawl whose requests trouble a host does not take each permit after a back-off from the others', () => {
  for (const weights of [
    { a: 1, b: 1 },
    { a: 100, b: 1 },
  ]) {
    const arbiter = arbiterOf(weights);
    let nowMs = 0;
    const answered = { a: 0, b: 0 };
    // `b` has been served elsewhere, `a` wants this host alone: by shares alone it would always go first.
    for (let n = 0; n < 20; n++) {
      const elsewhere = arbiter.ask(wantOf('b', { hostKey: `other${n}.test`, delayMs: 0 }), nowMs);
      if (arbiter.step(nowMs).granted.includes(elsewhere)) arbiter.end(elsewhere, contact({ delayMs: 0 }), nowMs + 500);
      nowMs += 1_000;
    }
    const asks = { a: arbiter.ask(wantOf('a'), nowMs), b: arbiter.ask(wantOf('b'), nowMs) };
    while (nowMs < 600_000) {
      for (const ask of arbiter.step(nowMs).granted) {
        const crawl = ask.crawl as 'a' | 'b';
        if (ask !== asks[crawl]) continue;
        answered[crawl] += 1;
        const isPressure = crawl === 'a';
        arbiter.end(ask, contact({ isPressure, isAnswered: !isPressure }), nowMs + 10);
        asks[crawl] = arbiter.ask(wantOf(crawl), nowMs + 10);
      }
      nowMs += 50;
    }
    assert.ok(answered.b > 5 * answered.a, JSON.stringify(answered));
  }
});

test('crawls of an owner that get only refusals cost another, which asks for one page at a time, ever less time', () => {
  const arbiter = arbiterOf({});
  const bad = ['a-1', 'a-2', 'a-3', 'a-4', 'a-5'];
  for (const crawl of bad) arbiter.join(crawl, 1, 'eve');
  arbiter.join('b', 1, 'ann');
  const answered = { a: 0, b: 0 };
  for (const crawl of bad) arbiter.ask(wantOf(crawl), 0);
  let nextB: Ask | undefined;
  let freeAtMs = 50;
  for (let nowMs = 0; nowMs < 75_000; nowMs += 10) {
    // Nothing of `b` waits at the host while its last page is read.
    if (nextB === undefined && nowMs >= freeAtMs) nextB = arbiter.ask(wantOf('b'), nowMs);
    for (const ask of arbiter.step(nowMs).granted) {
      const isPressure = ask !== nextB;
      arbiter.end(ask, contact({ isPressure, isAnswered: !isPressure }), nowMs + 10);
      if (isPressure) {
        answered.a += 1;
        arbiter.ask(wantOf(ask.crawl), nowMs + 10);
      } else {
        answered.b += 1;
        nextB = undefined;
        freeAtMs = nowMs + 150;
      }
    }
  }
  // Pages of 150 ms, but for back-offs of 5 s after the first, the second and the third refusal.
  assert.ok(answered.a <= 4, JSON.stringify(answered));
  assert.ok(answered.b > 300, JSON.stringify(answered));
});

test('a host in trouble for all crawls is tried by each in turn', () => {
  const arbiter = arbiterOf({ a: 1, b: 1 });
  const served = { a: 0, b: 0 };
  const asks = { a: arbiter.ask(wantOf('a'), 0), b: arbiter.ask(wantOf('b'), 0) };
  for (let nowMs = 0; nowMs < 20_000_000; nowMs += 5_000)
    for (const ask of arbiter.step(nowMs).granted) {
      const crawl = ask.crawl as 'a' | 'b';
      served[crawl] += 1;
      arbiter.end(ask, contact({ isPressure: true, isAnswered: false }), nowMs + 10);
      asks[crawl] = arbiter.ask(wantOf(crawl), nowMs + 10);
    }
  assert.ok(Math.abs(served.a - served.b) <= Math.max(served.a, served.b) / 3, JSON.stringify(served));
});

/** Two owners at 20 places. `wantedBy`: how many requests each crawl has waiting, and how long each takes, ms. */
function placesHeld(
  minutes: number,
  crawls: Readonly<Record<string, readonly [owner: string, weight: number]>>,
  wantedBy: (crawl: string, nowMs: number) => readonly [waiting: number, tookMs: number],
  each: (arbiter: FleetArbiter, nowMs: number) => void = () => {},
): Record<string, number>[] {
  const arbiter = arbiterOf({}, { requestsMax: 20 });
  for (const [crawl, [owner, weight]] of Object.entries(crawls)) arbiter.join(crawl, weight, owner);
  const out: { readonly endMs: number; readonly ask: Ask }[] = [];
  const waiting = new Map<string, number>();
  const held: Record<string, number>[] = [];
  let number = 0;
  for (let nowMs = 0; nowMs < minutes * 60_000; nowMs += 100) {
    for (const one of out.splice(0)) {
      if (one.endMs > nowMs) out.push(one);
      else arbiter.end(one.ask, contact({ delayMs: 0 }), nowMs);
    }
    each(arbiter, nowMs);
    for (const crawl of Object.keys(crawls))
      for (; (waiting.get(crawl) ?? 0) < wantedBy(crawl, nowMs)[0]; number++) {
        arbiter.ask(wantOf(crawl, { hostKey: `${number}.test`, delayMs: 0 }), nowMs);
        waiting.set(crawl, (waiting.get(crawl) ?? 0) + 1);
      }
    for (const ask of arbiter.step(nowMs).granted) {
      waiting.set(ask.crawl, waiting.get(ask.crawl)! - 1);
      out.push({ endMs: nowMs + wantedBy(ask.crawl, nowMs)[1], ask });
    }
    const minute = (held[Math.floor(nowMs / 60_000)] ??= {});
    for (const { ask } of out) {
      const [owner] = crawls[ask.crawl]!;
      minute[owner] = (minute[owner] ?? 0) + 0.1;
    }
  }
  return held;
}

test('an owner with many heavy crawls of slow hosts leaves another owner half of the places', () => {
  const crawls = { x: ['eve', 1_000], y: ['eve', 1_000], z: ['eve', 1_000], a: ['ann', 1] } as const;
  const held = placesHeld(10, crawls, (crawl) => [20, crawl === 'a' ? 100 : 30_000]);
  // Places of the first minute are taken before the second owner asks for its twentieth.
  for (const { ann } of held.slice(1)) assert.ok(ann! > 500, JSON.stringify(held));
});

test('an owner gets no credit for minutes in which it held a place or two', () => {
  const crawls = { e: ['eve', 1], a: ['ann', 1] } as const;
  const held = placesHeld(15, crawls, (crawl, nowMs) => {
    if (crawl === 'a') return [20, 1_000];
    // Two slow requests that overlap, and after ten minutes as much as it can get.
    if (nowMs < 600_000) return [nowMs % 15_000 === 0 ? 1 : 0, 30_000];
    return [20, 1_000];
  });
  for (const { ann } of held.slice(10)) assert.ok(ann! > 500, JSON.stringify(held));
});

test('an owner that deletes and makes its crawl again gets no more for it', () => {
  const crawls = { e: ['eve', 1], a: ['ann', 1] } as const;
  const wanted = (crawl: string) => [20, crawl === 'a' ? 1_000 : 30_000] as const;
  const held = placesHeld(10, crawls, wanted, (arbiter, nowMs) => {
    if (nowMs % 35_000 !== 34_900) return;
    arbiter.leave('e');
    arbiter.join('e', 1, 'eve');
  });
  for (const { ann } of held.slice(1)) assert.ok(ann! > 450, JSON.stringify(held));
});

test('an owner whose share ends with a permit gets no other in the same step, for any of its crawls', () => {
  const granted: string[] = [];
  const isBarred = (crawl: string) =>
    crawl.startsWith('eve') && granted.filter((one) => one.startsWith('eve')).length >= 2;
  const arbiter = arbiterOf({}, { isBarred, onGranted: ({ crawl }) => void granted.push(crawl) });
  for (const [crawl, owner] of [
    ['eve-1', 'eve'],
    ['eve-2', 'eve'],
    ['ann-1', 'ann'],
  ] as const) {
    arbiter.join(crawl, 1, owner);
    for (let n = 0; n < 5; n++) arbiter.ask(wantOf(crawl, { hostKey: `${crawl}-${n}.test` }), 0);
  }
  const now = crawlsOf(arbiter.step(0).granted);
  assert.equal(now.filter((crawl) => crawl.startsWith('eve')).length, 2);
  assert.equal(now.filter((crawl) => crawl === 'ann-1').length, 5);
  assert.equal(arbiter.isBarring, true);
});

test('no crawl is asked for its share of the loop while nobody is above it, unless one was barred before', () => {
  let [asked, barsAny, isBarred] = [0, false, false];
  const arbiter = arbiterOf(
    { a: 1, b: 1 },
    {
      requestsMax: 1,
      barsAny: () => barsAny,
      isBarred: () => {
        asked += 1;
        return isBarred;
      },
    },
  );
  for (const crawl of ['a', 'b'])
    for (let n = 0; n < 3; n++) arbiter.ask(wantOf(crawl, { hostKey: `${crawl}${n}` }), 0);
  const [first] = arbiter.step(0).granted;
  // The crawl with the permit alone: its owner may be above its share from now on.
  assert.equal(asked, 1);
  [barsAny, isBarred] = [true, true];
  arbiter.end(first!, contact(), 10);
  assert.deepEqual(arbiter.step(10).granted, []);
  assert.equal(arbiter.isBarring, true);
  [barsAny, isBarred] = [false, false];
  assert.equal(arbiter.step(20).granted.length, 1);
  assert.equal(arbiter.isBarring, false);
});
