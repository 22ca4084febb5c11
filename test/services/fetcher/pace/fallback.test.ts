/** A zone names a dead machine first and a victim second: what reaches the victim is paced as if it had been first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResolver } from '../../../../services/fetcher/connect/resolver.ts';
import { createHttpClient } from '../../../../services/fetcher/http/client.ts';
import { createAddressPacer } from '../../../../services/fetcher/pace/address-pacer.ts';
import { createBandwidth } from '../../../../services/fetcher/pace/bandwidth.ts';
import { createGrantClock } from '../../../../services/fetcher/pace/grant-clock.ts';
import { type PacedRequest, pacedRequest, type RequestPath } from '../../../../services/fetcher/pace/paced-request.ts';
import { createPacer } from '../../../../services/fetcher/pace/pacer.ts';
import { createSlots } from '../../../../services/fetcher/pace/slots.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { startHarness, taskUrls } from '../harness.ts';
import { serveSite } from '../loopback.ts';

const addressDelayMs = 60;

test('a name whose first address is dead reaches its second address no more often than other names', async (t) => {
  const victim = await serveSite(t, (_request, response) => response.end('hello'));
  const names = Array.from({ length: 24 }, (_, i) => `n${i}.test`);
  const harness = await startHarness(t, {
    dnsLookup: async (name) => ({
      addresses: [`127.0.9.${Number.parseInt(name.slice(1), 10) + 1}`, '127.0.0.1'],
      ttlMs: 60_000,
    }),
    config: { resolve: [], addressDelayMs },
  });
  const leases = names.map((name) => harness.lease({ urls: taskUrls(victim.url(name, '/')), delayMs: 1 }));
  const ended = await Promise.all(leases);

  const startsMs = victim.hits.map(({ startMs }) => startMs);
  // That two arrive close together may be the machine's doing, that a crowd does is not.
  const crowd = Math.max(
    ...startsMs.map((at) => startsMs.filter((startMs) => startMs >= at && startMs < at + 180).length),
  );
  assert.ok(crowd <= 9, `${crowd} of ${startsMs.length} requests within 180 ms, where 4 are due`);
  const kinds = ended.map(({ outcomes }) => outcomes[0]?.kind);
  assert.deepEqual(
    kinds,
    names.map(() => 'fetched'),
    'the second address serves all the same',
  );
  for (const { requests } of ended) {
    for (const { address, addressDelayMs: kept } of requests) if (address !== '') assert.equal(kept, addressDelayMs);
  }
});

test('a kept connection ends with the DNS answer behind it, and each request is paced at its address', async (t) => {
  const clock = new SystemClock();
  const before = await serveSite(t, (_request, response) => response.end('before'));
  let address = '127.0.0.1';
  const resolver = createResolver({
    clock,
    lookup: () => assert.fail('nobody is looked up'),
    overrides: () => undefined,
    isBlocked: () => false,
  });
  const flipping = { ...resolver, resolve: () => ({ ok: true, addresses: [address], overridden: false }) as const };
  const http = createHttpClient({ clock, resolver: flipping });
  t.after(() => http.close());
  const { signal } = new AbortController();
  const pacer = createAddressPacer(clock, 5, () => 1);
  const paced: string[] = [];
  const requestPath: RequestPath = {
    clock: createGrantClock(clock),
    ownClock: clock,
    http,
    pacer: createPacer(clock, signal),
    addressPacer: {
      ...pacer,
      acquire(where, ...rest) {
        paced.push(where);
        return pacer.acquire(where, ...rest);
      },
    },
    resolver: flipping,
    slots: createSlots(8),
    bandwidth: createBandwidth(clock, () => 1),
    isBlocked: () => false,
    signal,
  };
  const request: PacedRequest = {
    url: before.url('flip.test', '/'),
    headers: [],
    hostKey: 'flip.test',
    delayMs: 1,
    delayFactor: 0,
    latestStartMs: clock.nowMs() + 20_000,
    record() {},
  };
  const used: string[] = [];
  const send = async () => used.push((await pacedRequest(requestPath, request))?.address ?? 'none');
  await send();
  await send();
  // Nobody listens there: a request over the kept connection would be answered.
  address = '127.0.9.200';
  await send();
  address = '127.0.0.1';
  await send();
  assert.deepEqual(used, ['127.0.0.1', '127.0.0.1', '', '127.0.0.1']);
  assert.deepEqual(paced, ['127.0.0.1', '127.0.0.1', '127.0.9.200', '127.0.0.1']);
});
