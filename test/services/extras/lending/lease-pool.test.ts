/** Fetchers with URLs to give and clients that want some, on a clock that is set. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LeasePool } from '../../../../services/extras/lending/lease-pool.ts';
import { lendingLimits } from '../../../../services/extras/lending/lending-limits.ts';
import { createFakeClock } from '../../fetcher/fake-clock.ts';

const never = new AbortController().signal;
const settled = async () => {
  for (let n = 0; n < 20; n++) await Promise.resolve();
};

function setUp() {
  const clock = createFakeClock(1_000_000);
  const url = (name: string, latestMs = 60_000) => ({
    ...{ hostKey: name, latestStartMs: clock.nowMs() + latestMs, deadlineMs: clock.nowMs() + 300_000 },
  });
  const pool = new LeasePool<ReturnType<typeof url>, string>(
    clock,
    (why, sinceMs) => `unheard since ${sinceMs}: ${why}`,
    (why) => `returned: ${why}`,
  );
  pool.onWanted(() => {});
  /** A fetcher's turn with a URL, until something is told of it. */
  const offer = async (name: string, latestMs = 60_000) => {
    const client = await pool.client(clock.nowMs() + latestMs, never);
    return client === null ? null : client.hand(url(name, latestMs));
  };
  const ask = (count = 1, waitMs = 20_000, gone = never) =>
    pool.lease(count, 5_000, clock.nowMs() + waitMs, gone).then((leases) => leases);
  return { clock, pool, offer, ask };
}

describe('the lease pool', () => {
  it('the lease pool gives the hosts that waited longest to the clients that asked first, up to their limits', async () => {
    const { clock, pool, offer, ask } = setUp();
    const result = ['a', 'b', 'c'].map((name) => offer(name));
    await settled();
    assert.deepEqual([pool.stats().offered, pool.stats().out], [3, 0]);
    const [first, second] = [ask(2), ask(2)];
    await settled();
    await clock.advance(lendingLimits.gatherMs);
    const names = [await first, await second].map((leases) => leases.map(({ url }) => url.hostKey));
    assert.deepEqual(names, [['a', 'b'], ['c']]);
    for (const { token } of [...(await first), ...(await second)]) pool.settle(token, () => 'fetched');
    assert.deepEqual(await Promise.all(result), ['fetched', 'fetched', 'fetched']);
  });

  it('the lease pool takes a URL back from a silent client, and not from one that renews', async () => {
    const { clock, pool, offer, ask } = setUp();
    const [lost, kept] = [offer('lost'), offer('kept')];
    await settled();
    const asked = ask(2);
    await settled();
    const [first, second] = await asked;
    const sinceMs = clock.nowMs();
    for (let n = 0; n < 4; n++) {
      await clock.advance(2_000);
      if (n < 3) pool.renew(second!.token, 5_000);
    }
    assert.equal(await lost, `unheard since ${sinceMs}: its client was not heard of for the time of its lease`);
    assert.equal(
      pool.settle(first!.token, () => 'late'),
      'unknown',
    );
    assert.equal(
      pool.settle(second!.token, () => 'fetched'),
      'ok',
    );
    assert.equal(
      pool.settle(second!.token, () => 'again'),
      'repeated',
    );
    assert.equal(await kept, 'fetched');
    assert.deepEqual(pool.stats(), { asked: 0, offered: 0, out: 0, given: 2, told: 1, lost: 1 });
  });

  it('the lease pool never renews beyond the frontier’s grant', async () => {
    const { clock, pool, offer, ask } = setUp();
    void offer('a');
    await settled();
    const [lease] = await ask();
    const endMs = lease!.url.deadlineMs;
    assert.equal(pool.renew(lease!.token, 86_400_000)!.deadlineMs, endMs);
    await clock.advance(endMs - clock.nowMs() + 1_000);
    assert.equal(pool.renew(lease!.token, 1_000), undefined);
  });

  it('the lease pool releases a host that no client came for, and a client that no host came for', async () => {
    const { clock, offer, ask } = setUp();
    const asked = ask(1, 3_000);
    await settled();
    await clock.advance(3_000);
    assert.deepEqual(await asked, []);
    const waits = offer('a', 500_000);
    await settled();
    await clock.advance(lendingLimits.patienceMs);
    assert.equal(await waits, null);
  });

  it('the lease pool wants hosts while clients ask, up to what they can use', async () => {
    const { pool, ask } = setUp();
    assert.equal(pool.leasesWanted, 0);
    const gone = new AbortController();
    void ask(10, 20_000, gone.signal);
    const { hostsAheadFactor, hostsAheadMin } = lendingLimits;
    assert.equal(pool.leasesWanted, hostsAheadFactor * 10 + hostsAheadMin);
    const begun = Array.from({ length: pool.leasesWanted }, () => pool.begin());
    assert.equal(pool.leasesWanted, 0);
    begun[0]!();
    begun[0]!();
    assert.equal(pool.leasesWanted, 1);
    gone.abort();
    await settled();
    assert.equal(pool.leasesWanted, 0);
  });

  it('the lease pool gives nothing to a disconnected client, and returns everything when it stops', async () => {
    const { clock, pool, offer, ask } = setUp();
    const gone = new AbortController();
    const asked = ask(1, 20_000, gone.signal);
    gone.abort();
    assert.deepEqual(await asked, []);
    const result = offer('a');
    await settled();
    const [lease] = await ask();
    const waits = offer('b');
    await settled();
    const stopped = pool.stop(1_000);
    assert.equal(await waits, null);
    await clock.advance(2_000);
    await stopped;
    assert.equal(await result, 'returned: the crawl stops');
    assert.equal(
      pool.settle(lease!.token, () => 'late'),
      'unknown',
    );
    assert.deepEqual(await ask(), []);
  });
});
