/** Link farms and endless sitemaps, against a partition that pauses when it is full. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, TopologyDriver } from '../../../../../lab/simulation/driver.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';

const page = (...links: string[]): Answer => ({ kind: 'fetched', links });
const honest = Array.from({ length: 40 }, (_, i) => `https://honest.test/${i}`);

/** Links of a page of the farm: `hosts` names of one domain, so many URLs each. */
function farm(hosts: number, urlsEach: number): string[] {
  return Array.from({ length: hosts }, (_, host) =>
    Array.from({ length: urlsEach }, (_, i) => `https://h${host}.farm.test/${i}`),
  ).flat();
}

const links = { sourceUrl: 'https://elsewhere.test/', depth: 1 } as const;

function driverOf(policy: object = {}, farmed: readonly string[] = farm(1, 3_000)): TopologyDriver {
  const driver = new TopologyDriver({
    web: () => page(),
    policy: { queuedMax: 1_000, delayMs: 1_000, ...policy },
    leasesMax: 12,
  });
  for (let at = 0; at < farmed.length; at += 500) driver.injectGroup(farmed.slice(at, at + 500), links);
  driver.injectGroup(honest, links);
  return driver;
}

const fetchedOf = (driver: TopologyDriver, host: string) =>
  driver.requests.filter(({ url }) => new URL(url).hostname.endsWith(host)).length;

describe('a host or domain that fills the queue', () => {
  for (const [what, farmed] of [
    ['one host with a sitemap of thousands', farm(1, 3_000)],
    ['a thousand names of one domain', farm(1_000, 3)],
  ] as const) {
    it(`${what} fills only its share of the queue, and an honest host goes on at once`, () => {
      const driver = driverOf({}, farmed);
      driver.run(driver.nowMs + 1);
      assert.ok(driver.counters.overShare > 2_000, 'the excess is counted');
      driver.run(driver.nowMs + 100_000);
      assert.equal(
        fetchedOf(driver, 'honest.test'),
        40,
        'all of the honest host is fetched in little more than its delays',
      );
      const { counters } = driver;
      assert.equal(counters.discovered, 3_040, 'nothing waits in the topic');
      assert.equal(counters.queueFull + counters.hostFull, 0, 'and nothing is lost');
    });
  }

  it('a host or domain that fills the queue is fetched whole in the end, deferred URLs after the others, across a crash', () => {
    const driver = driverOf({ delayMs: 10 }, farm(1, 400));
    driver.run(driver.nowMs + 500);
    driver.save();
    driver.crash();
    assert.equal(digest(driver.rebuilt()), digest(driver.core().state));
    assert.equal(driver.run(), 'done');
    assert.deepEqual([driver.counters.page, driver.counters.deferred], [440, 0]);
    assert.equal(digest(driver.rebuilt()), digest(driver.core().state));
  });

  it('a host or domain with released deferred URLs does not count them against its share', () => {
    const driver = driverOf({ delayMs: 100 }, farm(1, 3_000));
    driver.run(driver.nowMs + 60_000);
    const { state } = driver.core();
    assert.ok(state.counters.queued > 1_000 && state.counters.deferred === 0, 'the front queue is open');
    driver.injectGroup(
      honest.map((url) => `${url}/later`),
      links,
    );
    driver.run(driver.nowMs + 10_000);
    assert.equal(fetchedOf(driver, 'honest.test'), 80);
  });

  it('a host or domain that fills the queue is dropped beyond its share if the partition drops', () => {
    const driver = driverOf({ whenFull: 'dropLowest' });
    driver.run(driver.nowMs + 1);
    assert.deepEqual([driver.counters.hostFull, driver.counters.deferred], [2_900, 0]);
    assert.equal(driver.counters.queueFull, 0);
  });

  it('a host or domain takes any share if a policy allows that, and seeds have no limit', () => {
    const all = driverOf({ queueShareMax: 1 });
    all.run(all.nowMs + 1);
    assert.equal(all.counters.deferred, 0);
    const driver = new TopologyDriver({ web: () => page(), policy: { queuedMax: 1_000 } });
    driver.injectGroup(farm(1, 300));
    driver.run(driver.nowMs + 1);
    assert.equal(driver.counters.deferred, 0);
  });
});
