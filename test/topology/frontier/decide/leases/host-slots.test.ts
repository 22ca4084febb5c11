import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer, DriverOptions } from '../../../../../lab/simulation/driver.ts';
import { TopologyDriver } from '../../../../../lab/simulation/driver.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { defaultPolicy } from '../../../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../../../topology/policy/validate.ts';

const hot = 'hot.test';
const pages = (count: number) => Array.from({ length: count }, (_, n) => `https://${hot}/${n}`);
const slow = (): Answer => ({ kind: 'fetched', takesMs: 2_000 });
const parallel = (leases: number) => [{ hosts: [hot], leases }];

/** A crawl of one host; the driver itself checks that no more contacts fall into a delay than it has slots. */
function crawl(
  count: number,
  hostSlots: number,
  options: Partial<DriverOptions> = {},
  policy: Partial<PolicyConfig> = {},
) {
  const given = { web: slow, hostSlots: { [hot]: hostSlots }, ...options };
  const driver = new TopologyDriver({ ...given, policy: { delayMs: 1_000, parallel: parallel(hostSlots), ...policy } });
  driver.inject(pages(count));
  return driver;
}

/** From the first start to the last end. */
function tookMs({ requests }: TopologyDriver): number {
  return Math.max(...requests.map(({ endMs }) => endMs)) - requests[0]!.startMs;
}

function mostAtOnce({ requests }: TopologyDriver): number {
  const under = (atMs: number) => requests.filter(({ startMs, endMs }) => startMs <= atMs && endMs > atMs).length;
  return Math.max(...requests.map(({ startMs }) => under(startMs)));
}

describe('a host with several leases', () => {
  it('a host with several leases is crawled as many times as fast, by policy or operator', () => {
    const one = crawl(400, 1);
    one.run();
    assert.equal(mostAtOnce(one), 1);
    for (const hostSlots of [2, 4, 8]) {
      const many = crawl(400, hostSlots);
      many.run();
      assert.equal(mostAtOnce(many), hostSlots);
      assert.equal(many.counters.page, 400);
      const gain = tookMs(one) / tookMs(many);
      // The first lease finds out how the host is, and the last ones end one by one.
      assert.ok(gain > 0.85 * hostSlots && gain <= hostSlots, `${hostSlots} slots: ${gain} times as fast`);
    }
    const reported = crawl(400, 4, {}, { parallel: undefined });
    reported.control(0, { kind: 'hostLeases', hostKey: hot, amount: 4 });
    reported.run();
    assert.equal(mostAtOnce(reported), 4);
  });

  it('a host with several leases follows an operator before the policy, and the policy again after the order is withdrawn', () => {
    const driver = crawl(200, 8, {}, { parallel: parallel(2) });
    const most = () => driver.core().state.hosts.hostSlots.of(0).most;
    driver.control(0, { kind: 'hostLeases', hostKey: hot, amount: 8 });
    driver.run(driver.nowMs + 60_000);
    assert.deepEqual([most(), mostAtOnce(driver)], [8, 8]);
    driver.control(0, { kind: 'hostLeases', hostKey: hot, amount: -1 });
    driver.run(driver.nowMs + 60_000);
    assert.equal(most(), 2);
    driver.setPolicy({ ...defaultPolicy(), delayFactor: 0 });
    driver.run();
    assert.equal(driver.counters.page, 200);
    const { own, most: left } = driver.core().state.hosts.hostSlots.of(0);
    assert.deepEqual({ own, left }, { own: -1, left: 1 });
  });

  it('a host with a Crawl-delay in robots.txt has one slot', () => {
    const driver = crawl(40, 4, { crawlDelayMs: { [hot]: 1_500 } });
    driver.run();
    assert.equal(mostAtOnce(driver), 1);
    assert.equal(driver.counters.page, 40);
  });

  it('a host with several leases starts them apart, without bursts', () => {
    const driver = crawl(400, 4);
    driver.run();
    // The first lease has found out how the host is. Its slot has a delay to wait, the three others have not.
    const [ended, ...next] = driver.tasks.slice(0, 5).map(({ grantedAtMs }) => grantedAtMs);
    const endMs = ended! + 8 * 2_000 + 7 * 1_000;
    assert.deepEqual(
      next.map((atMs) => atMs - endMs),
      [0, 250, 500, 1_000],
    );
  });

  it('a host with several leases is left alone by all when it asks for a pause, then probed, then crawled in parallel again', () => {
    let refused = 0;
    const refusals: number[] = [];
    const web = (_: string, nowMs: number): Answer => {
      if (refused++ !== 60) return slow();
      refusals.push(nowMs + 2_000);
      return { kind: 'throttled', status: 429, retryAfterMs: 100_000, takesMs: 2_000 };
    };
    const driver = crawl(300, 4, { web });
    driver.run();
    assert.equal(driver.counters.page, 300);
    const askedMs = refusals[0]!;
    const after = driver.requests.filter(({ startMs }) => startMs >= askedMs);
    assert.ok(after[0]!.startMs >= askedMs + 100_000, `contacted ${after[0]!.startMs - askedMs} ms after it asked`);
    assert.ok(after[1]!.startMs >= after[0]!.endMs, 'one probe');
    assert.equal(driver.tasks.find(({ grantedAtMs }) => grantedAtMs >= askedMs)!.urls.length, 1);
    assert.equal(mostAtOnce({ requests: after } as TopologyDriver), 4);
    // Fetchers elsewhere are told which leases come back: all that were granted by then.
    const granted = driver.tasks.filter(({ grantedAtMs }) => grantedAtMs < askedMs).length;
    assert.deepEqual(
      driver.said.map(({ kind, hostKey, version }) => [kind, hostKey, version]),
      [['pauseHost', hot, granted + 1]],
    );
  });

  it('a host with several leases backs off once for trouble that all of them met', () => {
    let [calls, waits] = [0, 0];
    const web = (): Answer => {
      calls += 1;
      return calls > 40 && waits++ < 4 ? { kind: 'throttled', status: 429, takesMs: 2_000 } : slow();
    };
    const driver = crawl(200, 4, { web }, { retriesMs: [10_000, 1_000_000] });
    driver.run(driver.nowMs + 200_000);
    assert.ok(waits >= 4);
    // Four refusals in a row would be 80 s; those of one moment are one: 10 s, and 20 % of jitter.
    const gaps = driver.requests.map(({ startMs }, n) => startMs - (driver.requests[n - 1]?.startMs ?? startMs));
    assert.ok(Math.max(...gaps) < 20_000, `${Math.max(...gaps)} ms`);
  });

  it('a host with several leases gives no more pages than an operator allows', () => {
    const driver = crawl(300, 4);
    driver.control(0, { kind: 'hostLimit', hostKey: hot, amount: 50 });
    driver.run();
    assert.equal(driver.counters.page, 50);
    assert.equal(driver.counters.deferred, 250);
  });

  it('a host with several leases keeps its slots and their delays over a restart, from a checkpoint, a changelog, or both', () => {
    for (const fetchersDie of [false, true]) {
      const driver = crawl(200, 4);
      driver.run(driver.nowMs + 30_000);
      driver.save();
      driver.run(driver.nowMs + 10_000);
      const before = digest(driver.core().state);
      assert.equal(driver.core().state.leases.size, 4);
      driver.crash(0, fetchersDie);
      if (!fetchersDie) assert.equal(digest(driver.core().state), before);
      assert.equal(digest(driver.rebuilt()), digest(driver.core().state));
      driver.run();
      assert.equal(driver.counters.page, 200);
      assert.equal(digest(driver.rebuilt()), digest(driver.core().state));
    }
  });

  it('a host with several leases keeps a slot occupied until an abandoned lease has expired, and crawls on in the others', () => {
    const lost = new Set<number>();
    const takesLease = ({ leaseId }: { readonly leaseId: number }) => !(leaseId === 3 && lost.add(leaseId));
    const driver = crawl(300, 4, { takesLease });
    driver.run();
    assert.deepEqual([...lost], [3]);
    assert.equal(driver.counters.page, 300);
  });
});

describe('a policy of parallel leases', () => {
  const withRule = (leases: number) => JSON.stringify({ ...defaultPolicy(), parallel: parallel(leases) });

  it('a policy of parallel leases is refused if it names too many, or none', () => {
    for (const leases of [0, 65, 1.5])
      assert.throws(() => parsePolicy(withRule(leases)), /policy\.parallel\[0\]\.leases: .*correct this field/);
    assert.equal(parsePolicy(withRule(64)).parallel?.[0]?.leases, 64);
  });
});
