import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpClient } from '../../../../services/fetcher/http/client.ts';
import { createAddressPacer } from '../../../../services/fetcher/pace/address-pacer.ts';
import { createBandwidth } from '../../../../services/fetcher/pace/bandwidth.ts';
import { createGrantClock } from '../../../../services/fetcher/pace/grant-clock.ts';
import { pacedRequest } from '../../../../services/fetcher/pace/paced-request.ts';
import { createPacer } from '../../../../services/fetcher/pace/pacer.ts';
import { createSlots } from '../../../../services/fetcher/pace/slots.ts';
import { createFakeClock } from '../fake-clock.ts';

test('a grant from a clock ahead of ours shortens no delay, and moves the deadline', async () => {
  const ownClock = createFakeClock();
  const clock = createGrantClock(ownClock);
  const { signal } = new AbortController();
  const startsMs: number[] = [];
  const http: HttpClient = {
    request: async () => {
      startsMs.push(ownClock.nowMs());
      return {
        status: 200,
        headers: [],
        body: Buffer.alloc(0),
        rawBody: Buffer.alloc(0),
        truncated: false,
        address: '',
        startMs: clock.nowMs(),
        endMs: clock.nowMs(),
        connectMs: 0,
        firstByteMs: 1,
        failure: null,
        staleConnection: false,
        unreached: false,
      };
    },
    stats: () => ({ origins: 0, inFlight: 0 }),
    close: async () => {},
  };
  const road = {
    clock,
    ownClock,
    http,
    pacer: createPacer(ownClock, signal),
    addressPacer: createAddressPacer(ownClock, 0, () => 1),
    resolver: { resolve: () => assert.fail('nobody asks'), avoid: () => false },
    bandwidth: createBandwidth(ownClock, () => 1),
    slots: createSlots(1),
    isBlocked: () => false,
    signal,
  };
  const request = (latestStartMs: number) =>
    pacedRequest(road, {
      url: 'http://a.test/',
      headers: [],
      hostKey: 'a.test',
      delayMs: 1_000,
      delayFactor: 0,
      latestStartMs,
      record: () => {},
    });

  await request(clock.nowMs() + 60_000);
  clock.observe(ownClock.nowMs() + 5_000);
  const second = request(clock.nowMs() + 60_000);
  await ownClock.advance(1_100);
  assert.ok(await second);
  assert.equal(startsMs[1]! - startsMs[0]!, 1_001, 'one second and the rest of its millisecond');

  const late = request(clock.nowMs() + 800);
  assert.equal(await late, null, 'its turn comes after its deadline, by the clock that set the deadline');
});
