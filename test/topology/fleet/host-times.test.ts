import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fleetLimits } from '../../../topology/fleet/fleet-limits.ts';
import {
  type Contact,
  canBeForgotten,
  type HostTimes,
  learnContact,
  newHostTimes,
  readyAtMs,
} from '../../../topology/fleet/host-times.ts';

const gap = { delayMs: 0, delayFactor: 0, crawlDelayMs: 0 };
const contact: Contact = {
  ...{ delayMs: 300, tookMs: 40, crawlDelayMs: 0, isAnswered: true, isPressure: false, retryAfterMs: 0 },
};
const [first, second, last] = fleetLimits.backOffMs;

/** Contacted at 10,000 ms, by a crawl that keeps 300 ms. */
const hostOf = (own: Partial<HostTimes> = {}): HostTimes => ({
  ...newHostTimes(10_000),
  ...{ afterMs: 300, tookMs: 40, ...own },
});

function learned(host: HostTimes, own: Partial<Contact>, nowMs = 20_000): HostTimes {
  learnContact(host, { ...contact, ...own }, nowMs);
  return host;
}

test('an uncontacted host is ready at once; a contacted one waits for the next crawl’s delay', () => {
  assert.equal(readyAtMs(newHostTimes(-Infinity), { ...gap, delayMs: 500 }, 1_000), -Infinity);
  assert.equal(readyAtMs(newHostTimes(10_000), { ...gap, delayMs: 500 }, 0), 10_501);
});

test('the delay between two crawls is the smaller of theirs', () => {
  const waits: readonly (readonly [Partial<HostTimes>, Partial<typeof gap>, number, number])[] = [
    // What is known of the host, what the next crawl keeps, the fleet's least, ready at.
    [{}, { delayMs: 200 }, 0, 10_201],
    [{}, { delayMs: 300 }, 0, 10_301],
    [{}, { delayMs: 400 }, 0, 10_301],
    [{}, {}, 0, 10_000],
    // A multiple of what the last contact took, where it is longer.
    [{}, { delayMs: 200, delayFactor: 6 }, 0, 10_241],
    [{}, { delayMs: 200, delayFactor: 5 }, 0, 10_201],
    [{ afterMs: 9e9, tookMs: 7_000 }, { delayFactor: 10 }, 0, 10_001 + fleetLimits.adaptiveDelayMaxMs],
    // What binds all: the fleet's least, and what robots.txt asks for.
    [{}, { delayMs: 200 }, 1_000, 11_001],
    [{}, { delayMs: 200, crawlDelayMs: 5_000 }, 1_000, 15_001],
    [{ crawlDelayMs: 6_000 }, { delayMs: 200, crawlDelayMs: 5_000 }, 1_000, 16_001],
    [{ heldUntilMs: 10_250 }, { delayMs: 200 }, 0, 10_250],
    [{ heldUntilMs: 10_150 }, { delayMs: 200 }, 0, 10_201],
    [{ heldUntilMs: 10_150 }, {}, 0, 10_150],
  ];
  for (const [host, next, leastMs, expected] of waits)
    assert.equal(readyAtMs(hostOf(host), { ...gap, ...next }, leastMs), expected, JSON.stringify([host, next]));
});

test('a contact leaves its crawl’s delay, its duration and the robots.txt delay', () => {
  const host = learned(hostOf({ crawlDelayMs: 5_000 }), { delayMs: 700, tookMs: 90 });
  assert.deepEqual(host, { ...hostOf({ crawlDelayMs: 5_000, afterMs: 700, tookMs: 90 }), endMs: 20_000 });
  assert.equal(learned(host, { crawlDelayMs: 3_000 }).crawlDelayMs, 3_000);
});

test('throttling backs off further each time, up to a bound, until the host answers', () => {
  const host = hostOf();
  const waits: number[] = [];
  for (const nowMs of [20_000, 30_000, 100_000, 1e6, 2e6, 3e6, 4e6, 5e6])
    waits.push(learned(host, { isPressure: true, isAnswered: false }, nowMs).heldUntilMs - nowMs - 1);
  assert.deepEqual(waits, [first, 2 * first, 4 * first, 8 * first, 16 * first, 32 * first, last, last]);
  assert.ok(second < last);
  assert.equal(host.throttles, 8);
  assert.equal(learned(host, { isAnswered: false }, 6e6).throttles, 8);
  assert.equal(learned(host, {}, 7e6).throttles, 0);
  assert.equal(host.heldUntilMs, 5_000_001 + last);
});

test('Retry-After binds if it is longer, and no later response shortens a delay', () => {
  const held = (retryAfterMs: number) => learned(hostOf(), { isPressure: true, retryAfterMs }).heldUntilMs;
  assert.deepEqual([held(first - 1), held(first + 9)], [20_001 + first, 20_001 + first + 9]);
  const host = hostOf({ heldUntilMs: 90_000 });
  assert.equal(learned(host, { isPressure: true }).heldUntilMs, 90_000);
});

test('server failures count by URL and by first tries, until they are the host’s trouble', () => {
  const fails = (host: HostTimes, url: string, most = 3, isFirstTry = true) =>
    learned(host, { isAnswered: false, serverError: { url, isFirstTry, most } });
  const host = hostOf();
  fails(host, 'a');
  fails(host, 'a');
  fails(host, 'b', 3, false);
  assert.deepEqual([host.failedUrls, host.throttles], [['a'], 0]);
  fails(host, 'b');
  assert.equal(host.throttles, 0);
  fails(host, 'c');
  assert.deepEqual([host.failedUrls, host.throttles, host.heldUntilMs], [['a', 'b', 'c'], 1, 20_001 + first]);
  // While it is backed off each further failure says that it still is.
  fails(host, 'c', 3, false);
  assert.equal(host.throttles, 2);
  learned(host, {});
  assert.deepEqual([host.failedUrls, host.throttles], [[], 0]);
  // What is no failure, and no answer, says nothing.
  fails(host, 'd');
  learned(host, { isAnswered: false, serverError: null });
  assert.deepEqual([host.failedUrls, host.throttles], [['d'], 0]);
});

test('a crawl that tolerates any number of failures counts as one that tolerates a hundred', () => {
  const host = hostOf();
  const fails = (n: number) =>
    learned(host, { isAnswered: false, serverError: { url: `${n}`, isFirstTry: true, most: 1e9 } });
  for (let n = 1; n < fleetLimits.failedUrlsMax; n++) fails(n);
  assert.equal(host.throttles, 0);
  fails(100);
  fails(101);
  assert.deepEqual([host.throttles, host.failedUrls.length, host.failedUrls[0]], [2, fleetLimits.failedUrlsMax, '2']);
});

test('a host is forgotten when nothing that binds anybody is lost with it', () => {
  const { forgetMs } = fleetLimits;
  const cases: readonly (readonly [Partial<HostTimes>, number, number])[] = [
    // What is known, the fleet's least, forgotten from.
    [{}, 0, 10_301],
    [{}, 1_000, 11_001],
    [{ crawlDelayMs: 2_000 }, 1_000, 12_001],
    [{ heldUntilMs: 13_000 }, 1_000, 13_000],
    [{ afterMs: Number.POSITIVE_INFINITY }, 1_000, 10_001 + forgetMs],
    [{ throttles: 1 }, 1_000, 11_001 + forgetMs],
    [{ failedUrls: ['a'] }, 1_000, 11_001 + forgetMs],
  ];
  for (const [host, leastMs, fromMs] of cases)
    assert.deepEqual(
      [fromMs - 1, fromMs].map((nowMs) => canBeForgotten(hostOf(host), leastMs, nowMs)),
      [false, true],
      JSON.stringify(host),
    );
});
