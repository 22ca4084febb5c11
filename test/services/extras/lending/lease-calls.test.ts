import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { leaseCall } from '../../../../services/extras/lending/api-schemas.ts';
import { leaseCallsOf } from '../../../../services/extras/lending/lease-calls.ts';
import { Lending } from '../../../../services/extras/lending/lending.ts';
import { lendingLimits } from '../../../../services/extras/lending/lending-limits.ts';
import { readAdd, readResults } from '../../../../services/extras/lending/read-items.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import type { ClientUrl, Report } from '../../../../services/runtime/leases/outside.ts';
import { createFakeClock } from '../../fetcher/fake-clock.ts';

const codec = await openCodec(createMemoryRegistry(), 'c');
const never = new AbortController().signal;
const settled = async () => {
  for (let n = 0; n < 50; n++) await Promise.resolve();
};

/** A crawl with a log that takes records once it is told to; what became of URLs, as their fetcher hears it. */
function setUp() {
  const clock = createFakeClock(1_000_000);
  const lending = new Lending(clock);
  const log = { appended: 0, append: async (): Promise<number[]> => [] };
  lending.open({
    ...{ codec, clock, topics: { crawl: 'c', partitions: 1, keyMode: 'host' } },
    log: {
      append: async () => {
        const offsets = await log.append();
        log.appended += 1;
        return offsets;
      },
    },
  } as never);
  const calls = leaseCallsOf(lending);
  const heard: Report[] = [];
  const clientUrl = (name: string, deadlineMs = 300_000): ClientUrl => ({
    ...{
      url: `http://${name}.test/`,
      hostKey: `${name}.test`,
      depth: 2,
      hop: 0,
      attempt: 0,
      etag: '',
      lastModified: '',
    },
    ...{ payload: '', userAgent: 'x', delayMs: 0, latestStartMs: clock.nowMs() + 60_000 },
    deadlineMs: clock.nowMs() + deadlineMs,
  });
  const outside = lending.outside(true);
  outside.onWanted(() => {});
  const offer = async (name: string, deadlineMs?: number) => {
    const client = await outside.client(clock.nowMs() + 60_000, never);
    if (client !== null) heard.push(await client.hand(clientUrl(name, deadlineMs)));
  };
  const lease = (more: object = {}, gone = new AbortController().signal) =>
    calls.lease(leaseCall.parse({ count: 1, waitMs: 1_000, leaseMs: 60_000, ...more }), gone);
  return { clock, lending, log, calls, heard, offer, lease, outside, clientUrl };
}

const result = (lease: string, more: object = {}) =>
  readResults({ results: [{ lease, status: 200, urls: [{ url: 'http://b.test/' }], ...more }] });

describe('the calls of the lease API', () => {
  it('the calls of the lease API report a page to the fetcher only when its links are durable, and no page without them', async () => {
    const { calls, heard, offer, lease, log, clock } = setUp();
    void offer('a');
    await settled();
    const asked = lease();
    await clock.advance(lendingLimits.gatherMs);
    const [one] = (await asked).leases;
    log.append = () => Promise.reject(new Error('the log is away'));
    await assert.rejects(calls.report(result(one!.lease)), /the log is away/);
    await settled();
    assert.equal(heard.length, 0);
    let take: () => void = () => {};
    log.append = () =>
      new Promise((resolve) => {
        take = () => resolve([0]);
      });
    const reported = calls.report(result(one!.lease));
    await settled();
    assert.deepEqual([heard.length, log.appended], [0, 0]);
    take();
    assert.equal((await reported).results[0]!.state, 'ok');
    await settled();
    assert.deepEqual([heard.length, heard[0]!.links, log.appended], [1, 1, 1]);
  });

  it('the calls of the lease API accept each result and URL separately, and name what is wrong with the others', async () => {
    const { calls, heard, offer, lease, clock } = setUp();
    for (const name of ['a', 'b', 'c']) void offer(name);
    await settled();
    const asked = lease({ count: 3 });
    await clock.advance(lendingLimits.gatherMs);
    const [a, b, c] = (await asked).leases.map((one) => one.lease);
    const long = `data:image/png;base64,${'A'.repeat(9_000)}`;
    const reported = await calls.report(
      readResults({
        results: [
          {
            lease: a,
            status: 200,
            headers: { etag: 'x'.repeat(9_000), 'content-type': 'text/html' },
            title: 't'.repeat(20_000),
            urls: [{ url: long }, { url: 'http://x.test/' }, 7, { url: 'http://y.test/', payload: 'x'.repeat(70_000) }],
          },
          { lease: b, status: 9_999 },
          { lease: c, failure: 'gone', urls: [] },
          { lease: 5, status: 200 },
          'nothing',
        ],
      }),
    );
    await settled();
    const states = reported.results.map(({ state, refused, why }) => [
      state,
      refused.map(({ index }) => index),
      why === undefined,
    ]);
    assert.deepEqual(states, [
      ['ok', [0, 2, 3], true],
      ['invalid', [], false],
      ['invalid', [], false],
      ['invalid', [], false],
      ['invalid', [], false],
    ]);
    assert.match(reported.results[1]!.why!, /^status: /);
    assert.equal(heard.length, 1);
    assert.deepEqual(
      [heard[0]!.links, heard[0]!.title.length, heard[0]!.headers],
      [1, 10_000, ['content-type', 'text/html']],
    );
    const again = await calls.report(readResults({ results: [{ lease: b, status: 200 }] }));
    assert.equal(again.results[0]!.state, 'ok', 'it was still out');
    const added = await calls.add(readAdd({ urls: [{ url: long }, { url: 'http://z.test/' }, {}] }));
    assert.deepEqual([added.accepted, added.refused.map(({ index }) => index)], [1, [0, 2]]);
  });

  it('the calls of the lease API count a repeated result once', async () => {
    const { calls, heard, offer, lease, clock } = setUp();
    void offer('a');
    await settled();
    const asked = lease();
    await clock.advance(lendingLimits.gatherMs);
    const [one] = (await asked).leases;
    const twice = [result(one!.lease), result(one!.lease)].map((call) => calls.report(call));
    assert.deepEqual(
      (await Promise.all(twice)).map(({ results }) => results[0]!.state),
      ['ok', 'repeated'],
    );
    assert.equal(heard.length, 1);
    assert.equal((await calls.report(result(one!.lease.slice(0, -1)))).results[0]!.state, 'unknown');
  });

  it('the calls of the lease API take back at once what was leased to a client that had disconnected', async () => {
    const { lending, heard, offer, lease, clock } = setUp();
    const gone = new AbortController();
    void offer('a');
    await settled();
    const asked = lease({ count: 2 }, gone.signal);
    await settled();
    gone.abort();
    await asked;
    await settled();
    assert.deepEqual([lending.pool.stats().out, heard[0]?.kind], [0, 'returned']);
    const late = new AbortController();
    late.abort();
    assert.deepEqual((await lease({}, late.signal)).leases, []);
    assert.equal(lending.pool.stats().asked, 0);
    await clock.advance(1);
  });

  it('the calls of the lease API let a bounded number of clients wait', async () => {
    const { lease, lending, clock } = setUp();
    const waiting = Array.from({ length: lendingLimits.asksMax }, () => lease());
    await assert.rejects(lease(), { code: 'BUSY' });
    assert.equal(lending.pool.asks.calls, lendingLimits.asksMax);
    await clock.advance(1_000);
    await Promise.all(waiting);
    const again = lease();
    await clock.advance(1_000);
    assert.deepEqual((await again).leases, []);
  });

  it('the calls of the lease API lend no URL for longer than the frontier does', async () => {
    const { offer, lease, clock } = setUp();
    void offer('a', 20_000);
    await settled();
    const asked = lease();
    await clock.advance(lendingLimits.gatherMs);
    const [one] = (await asked).leases;
    assert.ok(one!.leaseMs <= 20_000 && one!.leaseMs > 19_000, `${one!.leaseMs}`);
  });

  it('the calls of the lease API give out nothing that can no longer start, and nothing of a stopping crawl', async () => {
    const { clock, lease, outside, clientUrl, heard } = setUp();
    const hand = (late: ClientUrl) => {
      const client = outside.clientNow()!;
      void client.hand(late).then((reported) => heard.push(reported));
    };
    const asked = lease({ count: 2, waitMs: 2_000 });
    await settled();
    hand({ ...clientUrl('late'), latestStartMs: clock.nowMs() - 1 });
    await settled();
    assert.equal(heard[0]?.kind, 'returned');
    await clock.advance(2_000);
    assert.deepEqual((await asked).leases, []);
    // A place is promised; its client leaves before the URL comes, and the crawl stops.
    const gone = new AbortController();
    void lease({}, gone.signal);
    await settled();
    const client = outside.clientNow()!;
    gone.abort();
    await settled();
    void client.hand(clientUrl('left')).then((reported) => heard.push(reported));
    await settled();
    assert.equal(heard.length, 1);
    const stopped = outside.stop(0);
    await clock.advance(1_000);
    await stopped;
    assert.equal(heard[1]?.kind, 'returned');
  });

  it('the calls of the lease API free their room if a fetcher had nothing to give', async () => {
    const { lease, outside, clock } = setUp();
    const asked = lease();
    await settled();
    const client = outside.clientNow()!;
    assert.equal(outside.clientNow(), null);
    client.pass();
    client.pass();
    const next = outside.clientNow();
    assert.ok(next !== null);
    assert.equal(outside.clientNow(), null);
    await clock.advance(1_000);
    await asked;
  });
});
