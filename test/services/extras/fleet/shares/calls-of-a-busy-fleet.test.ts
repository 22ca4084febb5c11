/** Calls without a key, and streams, cost the process of all crawls as much as other calls do. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import type { FleetParts } from '../../../../../services/extras/fleet/api/fleet-parts.ts';
import { fleetRoutes } from '../../../../../services/extras/fleet/api/fleet-routes.ts';
import { EventStreams } from '../../../../../services/extras/fleet/events/event-streams.ts';
import { Callers } from '../../../../../services/extras/fleet/owners/callers.ts';
import { keyHashOf, type Owner } from '../../../../../services/extras/fleet/owners/owner-file.ts';
import { CallShares } from '../../../../../services/extras/fleet/shares/call-shares.ts';
import { LoopShares } from '../../../../../services/fetcher/pace/loop-shares.ts';
import type { Clock } from '../../../../../services/runtime/clock.ts';
import { startHttpServer } from '../../../../../services/runtime/http/http-server.ts';
import { Probes } from '../../../../../services/runtime/http/probes.ts';
import { until } from '../../../until.ts';

const key = 'key-of-eve-0123456789';
const eve = { name: 'eve', keyHash: keyHashOf(key), callsPerMinute: 600 } as Owner;

/** A fleet on a loop that is always busy, in which crawls of twenty owners take a hundredth of the time each. */
async function startBusyFleet(onEnd: (act: () => Promise<void>) => void, of: object = {}) {
  let [nowMs, waits] = [0, 0];
  const loop = new LoopShares({ nowMs: () => nowMs, utilization: () => 1 });
  const owners = Array.from({ length: 20 }, (_, n) => loop.join(`honest-${n}`));
  const pass = (ms: number) => {
    nowMs += ms;
    for (const owner of owners) owner.spend(ms / 100);
  };
  const clock = {
    nowMs: () => nowMs,
    async sleepUntil(untilMs: number) {
      waits += 1;
      pass(untilMs - nowMs);
    },
  };
  const calls = new CallShares(loop, clock);
  const callers = new Callers([eve], 'operator-'.repeat(3), { nowMs: () => nowMs });
  const server = await startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    probes: new Probes(),
    metrics: async () => ({ type: 'text/plain', text: '' }),
    routes: [fleetRoutes(() => ({ ...of, calls }) as unknown as FleetParts, callers)],
    onBug: (error) => assert.fail(error as Error),
  });
  onEnd(() => server.close());
  return { base: `http://${server.address}`, waits: () => waits, pass };
}

for (const path of ['/v1/openapi.json', '/no/such/path', '/v1/crawls']) {
  test(`a storm of calls of ${path} without a key has to wait`, async (t) => {
    const { base, waits, pass } = await startBusyFleet((act) => t.after(act));
    for (let call = 0; call < 400; call++) {
      pass(10);
      await (await fetch(base + path)).arrayBuffer();
    }
    assert.ok(waits() > 10, `${waits()} waits`);
    const before = waits();
    for (let call = 0; call < 20; call++) await (await fetch(`${base}/livez`)).text();
    assert.equal(waits(), before, 'probes never wait');
  });
}

/** A fleet that lists no crawl, creates what `judge` allows, and repeats the creation of `made`. */
async function startFullFleet(onEnd: (act: () => Promise<void>) => void) {
  const now = { refusal: (_: string, __: unknown, ___: number): object | null => null, judged: 0, made: '' };
  const fleet = {
    list: () => [],
    async create({ idempotencyKey }: { readonly idempotencyKey: string }, _: string, judge: () => void) {
      const crawl = { name: 'one', data: '/fleet/one', failure: null };
      if (idempotencyKey !== '' && idempotencyKey === now.made) return { crawl, isNew: false };
      now.judged += 1;
      judge();
      now.made = idempotencyKey;
      return { crawl, isNew: true };
    },
  };
  const quotas = { refusal: (...of: Parameters<typeof now.refusal>) => now.refusal(...of) };
  const { base, pass } = await startBusyFleet(onEnd, { fleet, quotas });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const large = { seeds: ['http://a.test/'], policy: { filters: { exclude: ['x'.repeat(100_000)] } } };
  return {
    ...{ now, pass, large },
    async create(body: object) {
      const response = await fetch(`${base}/v1/crawls`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, retryAfter: response.headers.get('retry-after') };
    },
    /** Sends half of a large call. Resolves with the status. */
    half: () =>
      new Promise<number | undefined>((resolve, reject) => {
        const text = JSON.stringify(large);
        const sent = request(`${base}/v1/crawls`, {
          method: 'POST',
          headers: { ...headers, 'content-length': text.length },
        });
        sent.once('response', (response) => {
          resolve(response.statusCode);
          sent.destroy();
        });
        sent.once('error', reject);
        sent.write(text.slice(0, text.length / 2));
      }),
  };
}

const full = { message: 'eve may run at most 3 crawls at once', waitS: 0 };

test('a large call of an owner without room is refused before its body is read, but for the first', async (t) => {
  const { now, create, half, large } = await startFullFleet((act) => t.after(act));
  now.refusal = () => full;
  assert.deepEqual([await create(large), now.judged], [{ status: 429, retryAfter: null }, 1]);
  assert.equal(await half(), 429);
  assert.deepEqual([(await create(large)).status, now.judged], [429, 1], 'the second is not read');
  assert.deepEqual([(await create({ seeds: large.seeds })).status, now.judged], [429, 2], 'a small call is read');
  now.refusal = () => null;
  assert.deepEqual([(await create(large)).status, now.judged], [201, 3]);
});

test('a repeat of a large call that made a crawl is answered with it, although calls were refused meanwhile', async (t) => {
  const { now, create, large, pass } = await startFullFleet((act) => t.after(act));
  const [first, second] = ['first', 'second'].map((idempotencyKey) => ({ ...large, idempotencyKey }));
  assert.equal((await create(first!)).status, 201);
  now.refusal = () => full;
  assert.equal((await create(second!)).status, 429);
  const { status, retryAfter } = await create(first!);
  assert.equal(status, 429);
  assert.ok(Number(retryAfter) > 0, 'the client repeats it');
  pass(Number(retryAfter) * 1_000);
  assert.equal((await create(first!)).status, 200);
});

test('large calls of an owner whose crawls are too heavy are refused unread, too', async (t) => {
  const { now, create, large } = await startFullFleet((act) => t.after(act));
  now.refusal = (_, __, weight) => (weight > 1 ? full : null);
  for (let call = 0; call < 3; call++) assert.equal((await create({ ...large, weight: 2 })).status, 429);
  assert.equal(now.judged, 1);
});

test('a stream of events becomes slow for an owner above its share, and ends with its connection', async (t) => {
  let read = 0;
  let passes = (_: number) => {};
  const text = 'x'.repeat(100_000);
  const fleet = { find: () => ({ name: 'one', owner: 'eve', createdAtMs: 1 }), file: () => ({ name: 'one' }) };
  const events = {
    async read(_: string, from: object, { charsSoft }: { readonly charsSoft: number }) {
      if (charsSoft === 1) return { events: [], isOver: false, next: from };
      read += 1;
      passes(10);
      const isOver = read > 400;
      return { events: isOver ? [] : [{ id: '0-1', type: 'page', text }], isOver, next: from };
    },
  };
  const streams = new EventStreams({ nowMs: () => 0, sleepUntil: async () => {} } as unknown as Clock);
  const { base, waits, pass } = await startBusyFleet((act) => t.after(act), { fleet, events, streams });
  // The others use their shares meanwhile.
  passes = pass;
  const ask = (signal: AbortSignal | null) =>
    fetch(`${base}/v1/crawls/one/events`, { headers: { authorization: `Bearer ${key}` }, signal });
  await (await ask(null)).arrayBuffer();
  assert.ok(waits() > 20, `${waits()} waits`);
  const leaving = new AbortController();
  read = 0;
  await (await ask(leaving.signal)).body!.getReader().read();
  leaving.abort();
  await until(() => streams.takenFor('eve') === null && read > 0);
  await until(async () => {
    const before = read;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return read === before;
  });
  assert.ok(read < 400, 'the rest is not read for a client that is gone');
});
