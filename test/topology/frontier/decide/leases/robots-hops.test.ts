import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, TopologyDriver } from '../../../../../lab/simulation/driver.ts';
import type { RobotsHop } from '../../../../../schemas/types.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import { frontierLimits } from '../../../../../topology/frontier/frontier-limits.ts';

const b = 'b.test';
const page = (n: number) => `https://${b}/${n}`;
const hopFor = (host: string): RobotsHop => ({
  url: `https://${b}/robots.txt`,
  asked: [`https://${host}/robots.txt`],
  partition: 0,
});
const wish = (driver: TopologyDriver, ...hosts: string[]) => {
  for (const host of hosts) driver.report(0, { hostKey: b, robotsHops: [hopFor(host)] });
};
const web = (): Answer => ({ kind: 'fetched' });
const hopsOf = ({ tasks }: TopologyDriver) => tasks.flatMap(({ robotsHops }) => robotsHops);

describe('a redirect of another host’s robots.txt', () => {
  it('a redirect of another host’s robots.txt is leased like its host: one at a time, with the host’s delay between', () => {
    // The driver asserts the delay and one request at a time for every request.
    const driver = new TopologyDriver({ web, policy: { delayMs: 500 } });
    driver.inject([page(1), page(2), page(3)]);
    driver.run(driver.nowMs + 1);
    wish(driver, 'a.test', 'c.test');
    assert.equal(driver.run(), 'done');
    assert.deepEqual(
      hopsOf(driver).map(({ asked }) => asked[0]),
      ['https://a.test/robots.txt', 'https://c.test/robots.txt'],
    );
    assert.equal(driver.requests.length, 5);
    assert.equal(driver.counters.page, 3);
  });

  it('a redirect of another host’s robots.txt takes turns with the host’s own URLs', () => {
    const driver = new TopologyDriver({ web, policy: { delayMs: 100, urlsPerLeaseMax: 1 } });
    driver.inject(Array.from({ length: 40 }, (_, n) => page(n)));
    wish(driver, ...Array.from({ length: 40 }, (_, n) => `a${n}.test`));
    driver.run();
    const first = driver.tasks.slice(0, 40).filter(({ robotsHops }) => robotsHops.length > 0).length;
    assert.ok(first > 10 && first < 30, `${first} of the first 40 leases`);
  });

  it('a redirect of another host’s robots.txt to an uncrawled host is leased too, and costs no page quota', () => {
    const driver = new TopologyDriver({ web, policy: { pageQuota: 1 } });
    driver.inject(['https://z.test/']);
    driver.run();
    wish(driver, 'a.test');
    driver.run();
    assert.equal(hopsOf(driver).length, 1);
    assert.equal(driver.counters.quotaSpent, 1);
  });

  it('a redirect of another host’s robots.txt never goes to a blocked host', () => {
    const driver = new TopologyDriver({ web });
    driver.control(0, { kind: 'blockHost', hostKey: b });
    wish(driver, 'a.test');
    driver.run();
    assert.equal(hopsOf(driver).length, 0);
    driver.control(0, { kind: 'releaseHost', hostKey: b });
    driver.run();
    assert.equal(hopsOf(driver).length, 1);
  });

  it('a redirect of another host’s robots.txt never goes to a purged host, nor is it kept: after a release it is requested again', () => {
    const driver = new TopologyDriver({ web });
    driver.control(0, { kind: 'blockHost', hostKey: b });
    wish(driver, 'a.test');
    driver.run();
    driver.control(0, { kind: 'purge', hostKey: b });
    driver.run();
    wish(driver, 'c.test');
    driver.run();
    assert.deepEqual([driver.requests.length, driver.core().state.robotsHops.size], [0, 0]);
    driver.control(0, { kind: 'releaseHost', hostKey: b });
    driver.run();
    assert.equal(hopsOf(driver).length, 0);
    wish(driver, 'c.test');
    driver.run();
    assert.equal(hopsOf(driver).length, 1);
  });

  it('a redirect of another host’s robots.txt that is requested twice is leased once; invalid or excessive ones are dropped', () => {
    const driver = new TopologyDriver({ web });
    driver.control(0, { kind: 'blockHost', hostKey: b });
    wish(driver, 'a.test', 'a.test');
    const strange: Partial<RobotsHop>[] = [{ partition: 1 }, { partition: -1 }, { asked: [] }, { url: '' }];
    for (const one of strange) driver.report(0, { hostKey: b, robotsHops: [{ ...hopFor('c.test'), ...one }] });
    driver.report(0, { hostKey: b, robotsHops: [{ ...hopFor('d.test'), url: `https://${b}/${'x'.repeat(3_000)}` }] });
    driver.run();
    const { state } = driver.core();
    assert.deepEqual(state.robotsHops.of(state.hosts.get(b)!.id), [hopFor('a.test')]);
    wish(driver, ...Array.from({ length: 100 }, (_, n) => `a${n}.test`));
    driver.run();
    assert.equal(state.robotsHops.of(state.hosts.get(b)!.id).length, frontierLimits.robotsHopsMax);
  });

  it('a redirect of another host’s robots.txt to anything but /robots.txt of a stranger is dropped, in scope or not', () => {
    const driver = new TopologyDriver({ web, policy: { scope: { kind: 'domain', names: ['a.test'] } } });
    driver.control(0, { kind: 'blockHost', hostKey: b });
    const hop = (url: string) => driver.report(0, { hostKey: b, robotsHops: [{ ...hopFor('a.test'), url }] });
    for (const path of ['/search?q=all', '/robots.txt?q=all', '/deep/robots.txt', '/']) hop(`https://${b}${path}`);
    driver.run();
    const { state } = driver.core();
    assert.equal(state.robotsHops.size, 0);
    hop(`https://${b}/robots.txt`);
    driver.run();
    assert.equal(state.robotsHops.size, 1);
  });

  it('a redirect of another host’s robots.txt survives a crash while it waits; on lease, its host stays leased until the deadline', () => {
    const driver = new TopologyDriver({ web, takesLease: () => false });
    driver.control(0, { kind: 'blockHost', hostKey: b });
    wish(driver, 'a.test', 'c.test');
    driver.run();
    for (const saves of [true, false]) {
      if (saves) driver.save();
      driver.crash();
      assert.equal(digest(driver.rebuilt()), digest(driver.core().state));
    }
    driver.control(0, { kind: 'releaseHost', hostKey: b });
    driver.run(driver.nowMs + 1_000);
    assert.equal(hopsOf(driver).length, 1);
    driver.save();
    driver.crash();
    driver.run(driver.nowMs + 1_000);
    assert.equal(hopsOf(driver).length, 1, 'nobody else contacts the host meanwhile');
    driver.run();
    assert.equal(hopsOf(driver).length, 2, 'an expired lease ends one wish, and the next has its turn');
    assert.equal(digest(driver.rebuilt()), digest(driver.core().state));
  });
});
