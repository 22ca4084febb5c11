import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type HostFacts, newHostFacts } from '../../../../topology/frontier/changes/changes.ts';
import {
  baseDelayMs,
  failureDelayMs,
  heldByLimit,
  leaseMs,
  leaseSize,
  politeDelayMs,
  returnDelayMs,
  smoothedFetchMs,
  throttleDelayMs,
} from '../../../../topology/frontier/decide/politeness.ts';
import { defaultPolicy, type PolicyConfig } from '../../../../topology/policy/policy.ts';

const policy = (more: Partial<PolicyConfig> = {}): PolicyConfig => ({
  ...defaultPolicy(),
  ...{ delayMs: 1_000, delayFactor: 10, delayFactorCapMs: 30_000, retriesMs: [5_000, 30_000, 300_000] },
  ...{ leadTimeMs: 30_000, urlsPerLeaseMax: 64 },
  ...more,
});
const facts = (more: Partial<HostFacts> = {}): HostFacts => ({ ...newHostFacts, ...more });

describe('the delay between two requests', () => {
  it('the delay between two requests is the policy’s, an operator’s, or a longer Crawl-delay', () => {
    const base = (more: Partial<HostFacts>) => baseDelayMs(policy(), facts(more));
    assert.equal(base({ ownDelayMs: -1, crawlDelayMs: -1 }), 1_000);
    assert.equal(base({ ownDelayMs: 0, crawlDelayMs: -1 }), 0);
    assert.equal(base({ ownDelayMs: 200, crawlDelayMs: -1 }), 200);
    assert.equal(base({ ownDelayMs: 200, crawlDelayMs: 700 }), 700);
    assert.equal(base({ ownDelayMs: 900, crawlDelayMs: 700 }), 900);
    assert.equal(base({ ownDelayMs: -1, crawlDelayMs: 5_000 }), 5_000);
  });

  it('the delay between two requests grows with the fetch time, up to a cap', () => {
    const wait = (fetchMs: number) => politeDelayMs(policy(), facts({ fetchMs }));
    assert.deepEqual(
      [0, 99, 100, 101, 2_999, 3_000, 3_001].map(wait),
      [1_000, 1_000, 1_000, 1_010, 29_990, 30_000, 30_000],
    );
    assert.equal(politeDelayMs(policy({ delayFactor: 0.5, delayMs: 0 }), facts({ fetchMs: 101 })), 51);
  });
});

describe('back-off', () => {
  it('back-off after failures follows the retry schedule, and stays at its last step', () => {
    assert.deepEqual(
      [1, 2, 3, 4, 9].map((n) => failureDelayMs(policy(), n)),
      [5_000, 30_000, 300_000, 300_000, 300_000],
    );
    assert.equal(failureDelayMs(policy({ retriesMs: [] }), 1), 0);
  });

  it('back-off after throttling doubles from the first step to the last, within a fifth', () => {
    const waits = (random: number) => [1, 2, 3, 7, 30].map((n) => throttleDelayMs(policy(), n, () => random));
    assert.deepEqual(waits(0.5), [5_000, 10_000, 20_000, 300_000, 300_000]);
    assert.deepEqual(waits(0), [4_000, 8_000, 16_000, 240_000, 240_000]);
    assert.deepEqual(waits(1), [6_000, 12_000, 24_000, 360_000, 360_000]);
    assert.equal(
      throttleDelayMs(policy({ retriesMs: [] }), 3, () => 1),
      0,
    );
    // The exponent stops at 20: a host that throttles for years gives no infinite wait.
    const far = policy({ retriesMs: [1, 2 ** 40] });
    assert.deepEqual(
      [20, 21, 22].map((n) => throttleDelayMs(far, n, () => 0.5)),
      [2 ** 19, 2 ** 20, 2 ** 20],
    );
  });

  it('back-off after unfinished leases doubles from a second to thirty', () => {
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 7, 40].map(returnDelayMs),
      [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000],
    );
  });
});

describe('a lease', () => {
  const size = (more: Partial<HostFacts>, config: Partial<PolicyConfig> = {}) => leaseSize(policy(config), facts(more));

  it('a lease holds what fits the lead time, and only a few URLs of a new host', () => {
    assert.equal(size({ fetchMs: 100 }), 27);
    assert.equal(size({ fetchMs: 100 }, { urlsPerLeaseMax: 10 }), 10);
    assert.equal(size({ fetchMs: 0 }), 8);
    assert.equal(size({ fetchMs: 0 }, { leadTimeMs: 6_000 }), 4);
    assert.equal(size({ fetchMs: 40_000 }), 1);
    assert.equal(size({ fetchMs: 1, leaseMax: 3 }), 3);
    assert.equal(size({ fetchMs: 1, leaseMax: 0 }, { delayMs: 0, delayFactor: 0 }), 64);
  });

  it('a lease is a single probe while its host backs off', () => {
    assert.equal(size({ fetchMs: 100, failures: 1 }), 1);
    assert.equal(size({ fetchMs: 100, throttles: 1 }), 1);
  });

  it('a lease respects an operator’s page limit of the host, and holds at least one URL', () => {
    assert.equal(size({ fetchMs: 100, pagesMax: 10, pages: 7 }), 3);
    assert.equal(size({ fetchMs: 100, pagesMax: 10, pages: 10 }), 1);
    assert.equal(size({ fetchMs: 100, pagesMax: 10, pages: 30 }), 1);
    assert.equal(size({ fetchMs: 100, pagesMax: 100, pages: 7 }), 27);
    assert.equal(size({ fetchMs: 100, pagesMax: -1, pages: 7 }), 27);
    assert.equal(size({ fetchMs: 100, pagesMax: 0, pages: 0 }), 1);
  });

  it('a lease gets twice its expected time, and time for a last request', () => {
    assert.equal(leaseMs(policy(), facts({ fetchMs: 100 }), 10), 2 * 10 * 1_100 + 45_000);
    assert.equal(leaseMs(policy(), facts({ fetchMs: 0 }), 1), 2 * 1_500 + 45_000);
    assert.equal(leaseMs(policy(), facts({ fetchMs: 100 }), 0), 45_000);
  });
});

describe('the memory of a host', () => {
  it('the memory of a host has its fetch time, moved a quarter of the way to each new one, at least one', () => {
    assert.equal(smoothedFetchMs(0, 400), 400);
    assert.equal(smoothedFetchMs(100, 400), 175);
    assert.equal(smoothedFetchMs(400, 100), 325);
    assert.equal(smoothedFetchMs(0, 0), 1);
    assert.equal(smoothedFetchMs(1, 0), 1);
  });

  it('the memory of a host has its hold: an operator’s limit gives way to every other', () => {
    const held = (hold: HostFacts['hold'], pagesMax: number, pages: number) =>
      heldByLimit({}, facts({ hold, pagesMax, pages }));
    assert.equal(held('', -1, 5), '');
    assert.equal(held('', 0, 0), 'limit');
    assert.equal(held('', 5, 4), '');
    assert.equal(held('', 5, 5), 'limit');
    assert.equal(held('limit', 6, 5), '');
    assert.equal(held('limit', -1, 5), '');
    assert.equal(held('limit', 5, 6), 'limit');
    assert.equal(held('blocked', 5, 6), 'blocked');
  });

  it('the memory of a host has the policy’s caps: on pages unless an operator has set a limit, and on bytes', () => {
    const held = (caps: Parameters<typeof heldByLimit>[0], more: Partial<HostFacts>) => heldByLimit(caps, facts(more));
    assert.equal(held({ pagesPerHostMax: 5 }, { pages: 4 }), '');
    assert.equal(held({ pagesPerHostMax: 5 }, { pages: 5 }), 'limit');
    assert.equal(held({ pagesPerHostMax: 0 }, {}), 'limit');
    assert.equal(held({ pagesPerHostMax: 5 }, { pages: 5, pagesMax: 6 }), '', 'an operator’s limit outweighs it');
    assert.equal(held({ pagesPerHostMax: null, bytesPerHostMax: null }, { pages: 9, bytes: 9 }), '');
    assert.equal(held({ bytesPerHostMax: 9 }, { bytes: 8 }), '');
    assert.equal(held({ bytesPerHostMax: 9 }, { bytes: 9, hold: 'limit' }), 'limit');
    assert.equal(held({ bytesPerHostMax: 9 }, { bytes: 9, hold: 'blocked' }), 'blocked');
  });
});
