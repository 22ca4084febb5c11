import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFleetPace, type FleetPaceOptions } from '../../../../services/fetcher/pace/fleet-pace.ts';
import { createPacer, type Pacer } from '../../../../services/fetcher/pace/pacer.ts';
import type { HostFact } from '../../../../topology/fleet/arbiter.ts';
import { createFakeClock } from '../fake-clock.ts';

const late = Number.MAX_SAFE_INTEGER;
const response = (status: number, headers: readonly string[] = []) =>
  ({ status, headers, failure: null, startMs: 0, endMs: 10 }) as never;

function fleetOf(more: Partial<FleetPaceOptions> = {}) {
  const clock = createFakeClock();
  const facts: (readonly [string, HostFact])[] = [];
  const onFact = (hostKey: string, fact: HostFact) => facts.push([hostKey, fact]);
  const fleet = createFleetPace({ clock, requestsMax: 8, hostDelayMs: 0, isResumed: false, onFact, ...more });
  const stopping = new AbortController();
  const crawl = (name: string): Pacer =>
    fleet.join(name, 1).sharePace(createPacer(clock, stopping.signal), clock, stopping.signal);
  return { clock, fleet, facts, crawl, stopping };
}

test('a host’s delay holds between the requests of two crawls', async () => {
  const { clock, crawl } = fleetOf();
  const [a, b] = [crawl('a'), crawl('b')];
  const first = await a.acquire('h', 100, late);
  let startMs = 0;
  const second = b.acquire('h', 100, late).then((permit) => {
    startMs = clock.nowMs();
    return permit;
  });
  await clock.advance(500);
  assert.equal(startMs, 0);
  const endMs = clock.nowMs();
  first!.release(endMs, 100, response(200));
  await clock.advance(1_000);
  assert.ok(await second);
  assert.equal(startMs, endMs + 101);
});

test('Retry-After of one crawl holds for the others and is stored', async () => {
  const { clock, crawl, facts } = fleetOf();
  const [a, b] = [crawl('a'), crawl('b')];
  const permit = await a.acquire('h', 10, late);
  const reportedMs = clock.nowMs();
  permit!.release(reportedMs, 10, response(503, ['retry-after', '60']));
  assert.deepEqual(facts, [['h', { heldUntilMs: reportedMs + 60_001, crawlDelayMs: 0 }]]);
  assert.equal(await b.acquire('h', 10, clock.nowMs() + 5_000), null);
  let startMs = 0;
  const next = b.acquire('h', 10, late).then((taken) => {
    startMs = clock.nowMs();
    return taken;
  });
  await clock.advance(70_000);
  assert.ok(await next);
  assert.equal(startMs, reportedMs + 60_001);
});

test('three server failures in a row, of URLs of two crawls, hold the host for both; a crawl that does not count them adds none', async () => {
  const { clock, crawl, facts } = fleetOf();
  const [a, b] = [crawl('a'), crawl('b')];
  const fail = async (pacer: Pacer, url: string, most: number) => {
    const failing = { url, isFirstTry: true, most };
    const permit = pacer.acquire('h', 10, late, false, {
      ...(most > 0 && { failing }),
      delayFactor: 0,
      crawlDelayMs: 0,
    });
    await clock.advance(100);
    (await permit)!.release(clock.nowMs(), 10, response(500));
  };
  await fail(a, '/1', 3);
  await fail(b, '/2', 3);
  for (const url of ['/3', '/4']) await fail(b, url, 0);
  assert.deepEqual(facts, []);
  await fail(b, '/5', 3);
  assert.deepEqual(facts, [['h', { heldUntilMs: clock.nowMs() + 5_001, crawlDelayMs: 0 }]]);
  assert.equal(await a.acquire('h', 10, clock.nowMs() + 5_000), null);
});

test('a hold from the previous process stays, and any host counts as contacted by that process', async () => {
  const fact = { heldUntilMs: createFakeClock().nowMs() + 900, crawlDelayMs: 0 };
  const { clock, crawl } = fleetOf({ isResumed: true, facts: [['held', fact]] });
  const a = crawl('a');
  const startedMs = clock.nowMs();
  const starts: Record<string, number> = {};
  for (const host of ['held', 'new']) void a.acquire(host, 200, late).then(() => (starts[host] = clock.nowMs()));
  await clock.advance(2_000);
  assert.deepEqual(starts, { new: startedMs + 201, held: startedMs + 900 });
});

test('a crawl with enough ready hosts takes no more leases until some have ended', async () => {
  const { fleet, clock } = fleetOf({ requestsMax: 1 });
  const crawlPace = fleet.join('a', 1);
  const never = new AbortController().signal;
  const pacer = crawlPace.sharePace(createPacer(clock, never), clock, never);
  let reported = 0;
  crawlPace.onWanted(() => (reported += 1));
  assert.ok(crawlPace.leasesWanted > 0);
  const permits = Array.from({ length: 9 }, (_, n) => pacer.acquire(`${n}`, 0, late));
  const first = await permits[0];
  assert.deepEqual([crawlPace.leasesWanted, reported], [0, 0]);
  first!.release(clock.nowMs(), 0, response(200));
  assert.ok(await permits[1]);
  assert.deepEqual([crawlPace.leasesWanted, reported], [1, 1]);
});

test('a stopping crawl withdraws its requests for hosts, and its host is free for others', async () => {
  const { clock, fleet, stopping, crawl } = fleetOf({ requestsMax: 1 });
  const a = crawl('a');
  const b = fleet
    .join('b', 1)
    .sharePace(createPacer(clock, new AbortController().signal), clock, new AbortController().signal);
  const first = await b.acquire('h', 0, late);
  const waiting = a.acquire('g', 0, late);
  const other = b.acquire('f', 0, late);
  stopping.abort();
  assert.equal(await waiting, null);
  assert.equal(fleet.requestsInFlight, 1);
  first!.release(0, 0);
  assert.ok(await other);
  assert.equal(await a.acquire('g', 0, late), null);
});

test('no request starts while another process may run the fleet, and all continue once none does', async () => {
  let isHeld = false;
  const { clock, crawl } = fleetOf({ mayContact: () => isHeld });
  const a = crawl('a');
  const granted: string[] = [];
  const ask = async (host: string) => {
    const permit = await a.acquire(host, 0, late);
    granted.push(host);
    return permit!;
  };
  const asks = ['h', 'i'].map(ask);
  await clock.advance(60_000);
  assert.deepEqual(granted, []);
  isHeld = true;
  await clock.advance(1_000);
  assert.deepEqual(granted, ['h', 'i']);
  isHeld = false;
  for (const permit of await Promise.all(asks)) permit.release(clock.nowMs(), 0, response(200));
  void ask('j');
  await clock.advance(60_000);
  assert.deepEqual(granted, ['h', 'i']);
});

test('a host of another process gets no permit, a host that is taken over waits its delay, and an older permit is void', async () => {
  const owned = new Set<string>();
  let mayContact = true;
  const { clock, fleet } = fleetOf({
    isResumed: true,
    owns: (hostKey) => owned.has(hostKey),
    mayContact: () => mayContact,
  });
  const never = new AbortController().signal;
  const crawlPace = fleet.join('a', 1);
  const pacer = crawlPace.sharePace(createPacer(clock, never), clock, never);
  assert.equal(await pacer.acquire('h', 100, late), null);
  await clock.advance(5_000);
  owned.add('h');
  const takenMs = clock.nowMs();
  fleet.hostsTaken((hostKey) => hostKey === 'h', [['h', { heldUntilMs: 0, crawlDelayMs: 250 }]]);
  let startMs = 0;
  const first = pacer.acquire('h', 100, late).then((permit) => {
    startMs = clock.nowMs();
    return permit;
  });
  await clock.advance(1_000);
  const permit = await first;
  assert.equal(startMs, takenMs + 251);
  assert.ok(crawlPace.mayContact('h'));

  const waiting = pacer.acquire('g', 0, late);
  owned.delete('h');
  fleet.hostsGone((hostKey) => hostKey === 'h');
  assert.equal(crawlPace.mayContact('h'), false);
  owned.add('h');
  fleet.hostsTaken((hostKey) => hostKey === 'h', []);
  assert.equal(crawlPace.mayContact('h'), false, 'another process may have contacted it meanwhile');
  permit!.release(0, 0);
  assert.ok(crawlPace.mayContact('h'));
  assert.equal(await waiting, null);

  mayContact = false;
  const barred = pacer.acquire('h', 100, late);
  await clock.advance(5_000);
  assert.equal(fleet.requestsInFlight, 0);
  fleet.hostsGone(() => true);
  assert.equal(await barred, null, 'who waits while nothing may start hears at once that the host is gone');
});

test('the fleet’s delay and a crawl’s weight can change while it runs', async () => {
  let hostDelayMs = 0;
  const options = {
    get hostDelayMs() {
      return hostDelayMs;
    },
  };
  const clock = createFakeClock();
  const fleet = createFleetPace(Object.assign(options, { clock, requestsMax: 8, isResumed: false }));
  const never = new AbortController().signal;
  const pacer = fleet.join('a', 1).sharePace(createPacer(clock, never), clock, never);
  (await pacer.acquire('h', 0, late))!.release(clock.nowMs(), 0, response(200));
  hostDelayMs = 400;
  fleet.setWeight('a', 3);
  const endMs = clock.nowMs();
  let startMs = 0;
  void pacer.acquire('h', 0, late).then(() => {
    startMs = clock.nowMs();
  });
  await clock.advance(1_000);
  assert.equal(startMs, endMs + 401);
});

test('a response to one crawl decides how soon the others may contact the host', async () => {
  const failing = { url: '/1', isFirstTry: true, most: 1 };
  /** Time until another crawl may contact the host, ms, that keeps no delay of its own. */
  const waitAfter = async (answer: object | undefined, isFailing = false) => {
    const { clock, crawl } = fleetOf();
    const [a, b] = [crawl('a'), crawl('b')];
    const asked = { delayFactor: 0, crawlDelayMs: 0, ...(isFailing && { failing }) };
    const permit = await a.acquire('h', 0, late, false, asked);
    const endMs = clock.nowMs();
    permit!.release(endMs, 0, answer as never);
    let startMs = Number.NaN;
    void b.acquire('h', 0, late).then(() => (startMs = clock.nowMs()));
    await clock.advance(120_000);
    return startMs - endMs;
  };
  const status = (status: number, failure: object | null = null) => ({
    ...(response(status, ['retry-after', '60']) as object),
    failure,
  });
  const cut = { kind: 'connectionFailed', detail: '' };
  const slow = { kind: 'timeout', detail: '' };
  for (const [answer, isFailing, expectedMs] of [
    [undefined, true, 0],
    [status(200), true, 0],
    [status(428), true, 0],
    [status(429), false, 60_001],
    [status(503), false, 60_001],
    [status(503), true, 60_001],
    [status(408), false, 5_001],
    [status(0, slow), false, 5_001],
    [status(200, slow), false, 5_001],
    [status(0, cut), false, 0],
    [status(429, cut), false, 0],
    [status(503, cut), true, 0],
    [status(408, cut), false, 0],
    [status(500, cut), true, 0],
    [status(499), true, 0],
    [status(500), true, 5_001],
    [status(504), true, 5_001],
    [status(599), true, 5_001],
    [status(600), true, 0],
    [status(500), false, 0],
  ] as const)
    assert.equal(await waitAfter(answer, isFailing), expectedMs, JSON.stringify([answer, isFailing]));
});

test('a good response ends a host’s trouble; a failure or no response leaves it as it was', async () => {
  const failure = { kind: 'connectionFailed', detail: '' };
  for (const [between, expectedMs] of [
    [response(200), 5_001],
    [response(404), 5_001],
    [response(500), 10_001],
    [{ ...(response(200) as object), failure }, 10_001],
    [undefined, 10_001],
  ] as const) {
    const { clock, crawl } = fleetOf();
    const a = crawl('a');
    const contact = async (answer: unknown) => {
      const permit = a.acquire('h', 0, late);
      await clock.advance(60_000);
      (await permit)!.release(clock.nowMs(), 0, answer as never);
      return clock.nowMs();
    };
    await contact(response(429));
    await contact(between);
    const endMs = await contact(response(429));
    let startMs = 0;
    void a.acquire('h', 0, late).then(() => (startMs = clock.nowMs()));
    await clock.advance(120_000);
    assert.equal(startMs - endMs, expectedMs);
  }
});

test('the duration of the last contact counts for a crawl with a delay factor, and a permit without contact for nobody', async () => {
  const { clock, crawl } = fleetOf();
  const [a, b] = [crawl('a'), crawl('b')];
  (await a.acquire('h', 0, late))!.release(clock.nowMs(), 9_000, { ...(response(200) as object), endMs: 200 } as never);
  const endMs = clock.nowMs();
  const starts: number[] = [];
  const start = async () => {
    const permit = await b.acquire('h', 0, late, false, { delayFactor: 3, crawlDelayMs: 0 });
    starts.push(clock.nowMs() - endMs);
    return permit!;
  };
  const first = start();
  await clock.advance(1_000);
  assert.deepEqual(starts, [601]);
  (await first).release(0, 9_000);
  await start();
  assert.deepEqual(starts, [601, 1_000]);
});

test('a hold and a Crawl-delay of one crawl bind the others and are stored', async () => {
  const { clock, crawl, facts, fleet } = fleetOf();
  const [a, b] = [crawl('a'), crawl('b')];
  const heldUntilMs = clock.nowMs() + 500;
  a.hold('h', heldUntilMs);
  assert.equal(a.waitMs('h', 0), 500);
  assert.deepEqual(facts.splice(0), [['h', { heldUntilMs, crawlDelayMs: 0 }]]);
  let startMs = 0;
  const held = b.acquire('h', 0, late).then((permit) => {
    startMs = clock.nowMs();
    return permit!;
  });
  await clock.advance(1_000);
  assert.equal(startMs, heldUntilMs);
  assert.deepEqual([fleet.requestsInFlight, fleet.hosts, a.size], [1, 1, 1]);
  (await held).release(clock.nowMs(), 0, response(200));
  const asked = { delayFactor: 0, crawlDelayMs: 300 };
  const permit = a.acquire('g', 0, late, false, asked);
  assert.deepEqual(
    facts.map(([hostKey, { crawlDelayMs }]) => [hostKey, crawlDelayMs]),
    [['g', 300]],
  );
  (await permit)!.release(clock.nowMs(), 0, response(200));
  const endMs = clock.nowMs();
  void b.acquire('g', 0, late).then(() => (startMs = clock.nowMs()));
  await clock.advance(1_000);
  assert.equal(startMs, endMs + 301);
});

test('a request that the fleet cannot start in time leaves its crawl’s own clock unchanged', async () => {
  const { clock, crawl } = fleetOf({ requestsMax: 1 });
  const [a, b] = [crawl('a'), crawl('b')];
  const first = await a.acquire('h', 0, late);
  const second = b.acquire('g', 0, clock.nowMs() + 50);
  await clock.advance(51);
  assert.equal(await second, null);
  assert.equal(b.waitMs('g', 100), 0, 'and its permit back');
  first!.release(clock.nowMs(), 0, response(200));
  assert.ok(await b.acquire('g', 0, clock.nowMs()));
});

test('times of the previous process are wall-clock times, whatever jumps this process’s clock made', async () => {
  const { clock, crawl, facts, fleet } = fleetOf();
  clock.leap(3_600_000);
  const a = crawl('a');
  const heldUntilMs = clock.nowMs() + 700;
  fleet.hostsTaken((hostKey) => hostKey === 'h', [['h', { heldUntilMs, crawlDelayMs: 0 }]]);
  let startMs = 0;
  void a.acquire('h', 0, late).then(() => (startMs = clock.nowMs()));
  await clock.advance(1_000);
  assert.equal(startMs, heldUntilMs);
  a.hold('g', clock.nowMs() + 400);
  assert.deepEqual(facts.at(-1), ['g', { heldUntilMs: clock.nowMs() + 400, crawlDelayMs: 0 }]);
});

test('a decision looks up the share of an owner once, however many crawls the owner has', async () => {
  let lookUps = 0;
  const share = {
    get isOver() {
      lookUps += 1;
      return false;
    },
    ...{ spend() {}, begin: () => () => {}, leave() {} },
  };
  const { clock, crawl } = fleetOf({ requestsMax: 1, loop: { join: () => share } });
  const first = crawl('first').acquire('first.test', 0, late);
  for (let n = 0; n < 50; n++) void crawl(`c${n}`).acquire(`${n}.test`, 0, late);
  await clock.advance(0);
  lookUps = 0;
  (await first)!.release(clock.nowMs(), 0, response(200));
  await clock.advance(0);
  assert.ok(lookUps >= 1 && lookUps <= 3, `${lookUps}`);
});
