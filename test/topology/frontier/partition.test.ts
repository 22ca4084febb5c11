import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer } from '../../../lab/simulation/driver.ts';
import { TopologyDriver } from '../../../lab/simulation/driver.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';

const page = (...links: string[]): Answer => ({ kind: 'fetched', links });
const site = (pages: Record<string, Answer>) => (url: string) => pages[url] ?? { kind: 'gone', status: 404 };
const a = 'https://a.test/';

/** `hosts` hosts of `pages` pages each, every page linking to the next, to another host, and home. */
function ring(hosts: number, pages: number) {
  const url = (host: number, number: number) => `https://h${host % hosts}.test/${number % pages}`;
  const web = (given: string): Answer => {
    const [, host, number] = /h(\d+)\.test\/(\d+)$/.exec(given) ?? [];
    return page(url(+host!, +number! + 1), url(+host! + 1, +number!), url(+host!, 0));
  };
  return { seed: url(0, 0), web, count: hosts * pages };
}

describe('a crawl on a simulated clock', () => {
  it('a crawl on a simulated clock fetches every reachable page once and ends by itself', () => {
    const { seed, web, count } = ring(7, 11);
    const driver = new TopologyDriver({ web });
    driver.inject([seed]);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.page, count);
    assert.equal(new Set(driver.requests.map(({ url }) => url)).size, count);
    assert.equal(driver.requests.length, count);
  });

  it('a crawl on a simulated clock gives the same result over several partitions', () => {
    const { seed, web, count } = ring(9, 5);
    const driver = new TopologyDriver({ web, partitions: 4 });
    driver.inject([seed]);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.page, count);
    assert.equal(driver.requests.length, count);
  });

  it('a crawl on a simulated clock is deterministic: the same script writes the same changelog, to the byte', () => {
    const logs = [1, 2].map(() => {
      const { seed, web } = ring(5, 9);
      const driver = new TopologyDriver({ web });
      driver.inject([seed]);
      driver.run();
      return Buffer.concat([...driver.changelog()]).toString('hex');
    });
    assert.equal(logs[0], logs[1]);
  });

  it('a crawl on a simulated clock keeps the delay between a completion and the next start, within leases and between them', () => {
    const { seed, web } = ring(1, 100); // the driver asserts each gap
    const driver = new TopologyDriver({ web, policy: { delayMs: 2_000, leadTimeMs: 10_000 } });
    driver.inject([seed]);
    driver.run();
    assert.equal(driver.counters.page, 100);
    assert.ok(driver.tasks.length >= 100 / 5);
  });

  it('a crawl on a simulated clock waits a multiple of the last fetch time if the policy says so', () => {
    const web = (): Answer => ({ kind: 'fetched', links: ['https://a.test/1'], takesMs: 1_000 });
    const driver = new TopologyDriver({ web, policy: { delayMs: 100, delayFactor: 10 } });
    driver.inject([a]);
    driver.run();
    const [first, second] = driver.requests;
    assert.ok(second!.startMs - first!.endMs >= 10_000);
  });

  it('a crawl on a simulated clock contacts a host only within its crawl window', () => {
    const { seed, web, count } = ring(1, 40);
    const hourMs = 3_600_000;
    const windows = [{ hosts: ['h0.test'], fromHour: 3, toHour: 4, utcOffsetMinutes: 0 }];
    const driver = new TopologyDriver({ web, policy: { windows, delayMs: 300_000 } });
    driver.inject([seed]);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.requests.length, count);
    const leases = driver.tasks.map(({ grantedAtMs }) => Math.floor(grantedAtMs / hourMs) % 24);
    assert.deepEqual([...new Set(leases)], [3]);
  });

  it('a crawl on a simulated clock stops at the depth limit, and counts deeper links', () => {
    const { seed, web } = ring(1, 50);
    const driver = new TopologyDriver({ web, policy: { maxDepth: 3 } });
    driver.inject([seed]);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.page, 4);
    assert.equal(driver.counters.tooDeep, 3); // the three links of the last page
  });
});

describe('a page quota', () => {
  for (const partitions of [1, 4]) {
    it(`a page quota ends the crawl after exactly that many pages on ${partitions} partition(s), and the crawl continues when it is raised`, () => {
      const { seed, web } = ring(12, 20);
      const driver = new TopologyDriver({ web, partitions, policy: { pageQuota: 50 } });
      driver.inject([seed]);
      assert.equal(driver.run(), 'quotaSpent');
      assert.equal(driver.counters.page, 50);
      driver.setPolicy({ ...defaultPolicy(), pageQuota: 75 });
      assert.equal(driver.run(), 'quotaSpent');
      assert.equal(driver.counters.page, 75);
    });
  }

  it('a page quota is refunded by an outcome without a page', () => {
    const links = ['x', 'y', 'b', 'c', 'd'].map((name) => `https://a.test/${name}`);
    const pages = Object.fromEntries(links.slice(2).map((url) => [url, page()]));
    const driver = new TopologyDriver({ web: site({ ...pages, [a]: page(...links) }), policy: { pageQuota: 3 } });
    driver.inject([a]);
    assert.equal(driver.run(), 'quotaSpent');
    assert.equal(driver.counters.page, 3);
  });

  it('a page quota above the number of pages ends with the crawl', () => {
    const { seed, web, count } = ring(6, 4);
    const driver = new TopologyDriver({ web, partitions: 3, policy: { pageQuota: 1_000 } });
    driver.inject([seed]);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.page, count);
  });
});

describe('retries', () => {
  it('retries come after each delay of the schedule, then the URL is dead-lettered', () => {
    const web = site({ [a]: { kind: 'serverError', status: 500 } });
    const driver = new TopologyDriver({ web, policy: { delayMs: 0, retriesMs: [5_000, 30_000] } });
    driver.inject([a]);
    assert.equal(driver.run(), 'done');
    const waits = driver.requests.slice(1).map(({ startMs }, i) => startMs - driver.requests[i]!.endMs);
    assert.deepEqual(waits, [5_000, 30_000]);
    assert.equal(driver.counters.dead, 1);
    assert.deepEqual(
      driver.deadLetters.map(({ reason, url, attempts, status }) => ({ reason, url, attempts, status })),
      [{ reason: 'retriesExhausted', url: a, attempts: 3, status: 500 }],
    );
  });

  it('retries stop at the first success', () => {
    let tries = 0;
    const web = (): Answer => (++tries < 2 ? { kind: 'timeout' } : page());
    const driver = new TopologyDriver({ web });
    driver.inject([a]);
    driver.run();
    assert.equal(driver.counters.page, 1);
    assert.equal(tries, 2);
  });

  it('retries wait for Retry-After if it is longer', () => {
    let tries = 0;
    const web = (): Answer => (++tries < 2 ? { kind: 'throttled', status: 429, retryAfterMs: 90_000 } : page());
    const driver = new TopologyDriver({ web });
    driver.inject([a]);
    driver.run();
    assert.ok(driver.requests[1]!.startMs - driver.requests[0]!.endMs >= 90_000);
  });

  it('retries are not made for permanent failures', () => {
    const driver = new TopologyDriver({ web: site({}) });
    driver.inject([a]);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.requests.length, 1);
    assert.equal(driver.counters.failed, 1);
  });
});

describe('a host in trouble', () => {
  it('a host whose robots.txt stays unreachable uses the schedule once, then its queue is dead-lettered, later arrivals too', () => {
    const links = Array.from({ length: 700 }, (_, i) => `https://down.test/${i}`);
    const pages: Record<string, Answer> = { [a]: page(...links) };
    const web = (url: string): Answer => (url.includes('down.test') ? { kind: 'robotsUnreachable' } : site(pages)(url));
    const driver = new TopologyDriver({ web, policy: { retriesMs: [1_000, 2_000, 4_000] } });
    driver.inject([a]);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.requests.filter(({ url }) => url.includes('down.test')).length, 4);
    assert.equal(driver.counters.dead, 700);
    assert.ok(driver.deadLetters.every(({ reason }) => reason === 'robotsUnreachable'));
    driver.inject(['https://down.test/later']);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.dead, 701);
  });

  it('a host that was given up and repaired returns by an operator’s order, not by a link', () => {
    let isMended = false;
    const web = (): Answer => (isMended ? page() : { kind: 'robotsUnreachable' });
    const driver = new TopologyDriver({ web, policy: { retriesMs: [1_000, 2_000] } });
    driver.inject([a]);
    assert.equal(driver.run(driver.nowMs + 60_000), 'done');
    assert.equal(driver.counters.dead, 1);
    isMended = true;
    driver.inject([`${a}/linked`]);
    assert.equal(driver.run(driver.nowMs + 60_000), 'done');
    assert.deepEqual([driver.counters.dead, driver.counters.page], [2, 0]);
    // As requeue and dlq replay send them.
    driver.inject([a], { intent: 'force' });
    assert.equal(driver.run(driver.nowMs + 60_000), 'done');
    assert.equal(driver.counters.page, 1);
    driver.inject([`${a}/later`]);
    assert.equal(driver.run(driver.nowMs + 60_000), 'done');
    assert.equal(driver.counters.page, 2);
  });

  it('a throttled host gets one probe at a time, further and further apart', () => {
    const links = Array.from({ length: 20 }, (_, i) => `https://slow.test/${i}`);
    const web = (url: string): Answer =>
      url.includes('slow.test') ? { kind: 'throttled', status: 503 } : page(...links);
    const driver = new TopologyDriver({ web, policy: { delayMs: 0, retriesMs: [1_000, 64_000] } });
    driver.inject([a]);
    driver.run(driver.nowMs + 60_000);
    const starts = driver.requests.filter(({ url }) => url.includes('slow.test')).map(({ startMs }) => startMs);
    const gaps = starts.slice(1).map((start, i) => start - starts[i]!);
    assert.ok(gaps.length >= 4 && gaps.length <= 6, `${gaps}`);
    assert.ok(
      gaps.every((gap, i) => i === 0 || gap > gaps[i - 1]!),
      `${gaps}`,
    );
  });

  it('a host with a Crawl-delay above the cap is deferred: never cut short, and no reason to delay the end', () => {
    const links = Array.from({ length: 5 }, (_, i) => `https://slow.test/${i}`);
    const web = (url: string): Answer => (url === a ? page(...links) : page());
    const policy = { crawlDelayCapMs: 60_000 };
    const driver = new TopologyDriver({ web, policy, crawlDelayMs: { 'slow.test': 3_600_000 } });
    driver.inject([a]);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.deferred, 5);
    driver.setPolicy({ ...defaultPolicy(), crawlDelayCapMs: 3_600_000 });
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.page, 6);
  });

  it('without a cap on Crawl-delay no host is deferred for it', () => {
    const web = (url: string): Answer => (url === a ? page('https://slow.test/0') : page());
    const driver = new TopologyDriver({
      web,
      policy: { crawlDelayCapMs: 0 },
      crawlDelayMs: { 'slow.test': 3_600_000 },
    });
    driver.inject([a]);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.page, 2);
  });
});

describe('redirects', () => {
  it('redirects pass the seen test: a known target is not refetched', () => {
    const b = 'https://a.test/b';
    const web = site({
      [a]: page(b, 'https://a.test/old'),
      [b]: page(),
      'https://a.test/old': { kind: 'redirect', redirectUrl: b },
    });
    const driver = new TopologyDriver({ web });
    driver.inject([a]);
    driver.run();
    assert.equal(driver.requests.filter(({ url }) => url === b).length, 1);
    assert.equal(driver.counters.redirected, 1);
  });

  it('redirects in a loop end', () => {
    const b = 'https://a.test/b';
    const web = site({ [a]: { kind: 'redirect', redirectUrl: b }, [b]: { kind: 'redirect', redirectUrl: a } });
    const driver = new TopologyDriver({ web });
    driver.inject([a]);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.requests.length, 2);
  });

  it('endless redirects are given up after ten hops', () => {
    const web = (url: string): Answer => ({
      kind: 'redirect',
      redirectUrl: `https://a.test/${+(url.split('/')[3] || 0) + 1}`,
    });
    const driver = new TopologyDriver({ web });
    driver.inject([a]);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.requests.length, 11);
  });
});

describe('leases', () => {
  it('unreported leases expire, cost no attempt, and isolate a poison URL, which is dead-lettered', () => {
    const poison = 'https://a.test/poison';
    const links = [poison, ...Array.from({ length: 9 }, (_, i) => `https://a.test/${i}`)];
    const web = (url: string): Answer => (url === a ? page(...links) : page());
    const takesLease = ({ urls }: { urls: readonly { url: string }[] }) => !urls.some(({ url }) => url === poison);
    const driver = new TopologyDriver({ web, takesLease });
    driver.inject([a]);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.page, 10);
    assert.deepEqual(
      driver.deadLetters.map(({ reason, url, attempts }) => ({ reason, url, attempts })),
      [{ reason: 'leaseExpired', url: poison, attempts: 0 }],
    );
  });

  it('leases are granted on demand, one per host', () => {
    const seeds = Array.from({ length: 50 }, (_, i) => `https://h${i}.test/`);
    const driver = new TopologyDriver({ web: () => page(), leasesMax: 8, takesLease: () => false });
    driver.inject(seeds);
    driver.run(driver.nowMs + 1);
    assert.equal(driver.core().state.leases.size, 8);
    assert.equal(new Set(driver.tasks.map(({ hostKey }) => hostKey)).size, 8);
  });

  it('leases count a result once, however often it is delivered', () => {
    const { seed, web, count } = ring(2, 6);
    const driver = new TopologyDriver({ web });
    driver.inject([seed]);
    driver.run();
    const before = driver.counters;
    driver.repeatResults();
    driver.run();
    assert.equal(driver.counters.page, count);
    assert.deepEqual(
      { ...driver.counters, lateResults: 0, fetches: 0, bytes: 0 },
      { ...before, lateResults: 0, fetches: 0, bytes: 0 },
    );
  });
});

describe('crashes', () => {
  it('crashes at any time lose nothing: checkpoint and changelog restore the state, and the crawl fetches the same pages', () => {
    const { seed, web, count } = ring(6, 12);
    const driver = new TopologyDriver({ web, policy: { delayMs: 300 } });
    driver.inject([seed]);
    for (let i = 0; i < 60; i++) {
      driver.run(driver.nowMs + 137);
      if (i % 3 === 0) driver.save();
      const live = digest(driver.core().state);
      assert.equal(digest(driver.rebuilt()), live, 'replay gives the live state');
      driver.crash(0, i % 2 === 0);
      assert.equal(digest(driver.rebuilt()), digest(driver.core().state), 'checkpoint and tail give what replay gives');
    }
    assert.equal(driver.run(), 'done');
    assert.equal(new Set(driver.requests.map(({ url }) => url)).size, count);
    assert.equal(driver.counters.page, count);
  });

  it('crashes leave a zombie without effect: commits of an older epoch are void', () => {
    const { seed, web, count } = ring(4, 4);
    const driver = new TopologyDriver({ web });
    driver.inject([seed]);
    driver.run(driver.nowMs + 1_000);
    const zombie = driver.core();
    driver.crash();
    const before = digest(driver.core().state);
    zombie.offer({ topic: 'discovered', offset: zombie.state.positions.discovered.offset, record: { groups: [] } });
    driver.append(zombie.step(driver.nowMs + 60_000, 10)!.commit);
    assert.equal(digest(driver.rebuilt()), before);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.page, count);
  });
});

describe('input', () => {
  it('unreadable input becomes a dead letter with its source, and the crawl goes on', () => {
    const driver = new TopologyDriver({ web: () => page() });
    driver.offerUnreadable('discovered', Buffer.from('junk'), 'it is junk');
    driver.inject([a]);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.page, 1);
    const [deadLetter] = driver.deadLetters;
    assert.equal(deadLetter?.reason, 'undecodable');
    assert.equal(deadLetter?.sourceTopic, 'discovered');
    assert.equal(deadLetter?.sourceOffset, 0);
    assert.deepEqual(Buffer.from(deadLetter!.original).toString(), 'junk');
  });

  it('input too large for one commit is processed in slices, each commit within its bound', () => {
    const links = Array.from({ length: 30_000 }, (_, i) => `https://h${i % 50}.test/a/rather/long/path/to/number/${i}`);
    const driver = new TopologyDriver({ web: () => page(), takesLease: () => false });
    driver.injectGroup(links);
    driver.run(driver.nowMs + 1);
    assert.equal(driver.counters.admitted, links.length);
    const sizes = driver.changelog().map(({ length }) => length);
    assert.ok(sizes.length > 4 && Math.max(...sizes) <= 512 * 1024, `${sizes}`);
    driver.crash();
    assert.equal(driver.counters.admitted, links.length);
  });

  it('input is read again after a crash in mid-message from the slice it had reached', () => {
    const links = Array.from({ length: 12_000 }, (_, i) => `https://h.test/a/rather/long/path/to/number/${i}`);
    const driver = new TopologyDriver({ web: () => page(), takesLease: () => false });
    driver.injectGroup(links);
    driver.stepOnce();
    assert.ok(driver.core().state.positions.discovered.slice > 0);
    driver.crash();
    driver.run(driver.nowMs + 1);
    assert.equal(driver.counters.admitted, links.length);
    assert.equal(driver.counters.discovered, links.length);
  });
});
