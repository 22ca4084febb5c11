import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, fingerprintKey, TopologyDriver } from '../../../../../lab/simulation/driver.ts';
import { numbers } from '../../../../../lab/web/random.ts';
import { SourceSketch } from '../../../../../topology/frontier/budgets/source-sketch.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import { budgetQueue } from '../../../../../topology/frontier/queues/held-queues.ts';
import { type BudgetConfig, defaultBudget } from '../../../../../topology/policy/budget.ts';
import { hostKeyOf } from '../../../../../topology/url/host-key.ts';
import { fingerprintOf } from '../../seen/fingerprints.ts';

const dayMs = 24 * 3_600_000;
const budget: BudgetConfig = { ...defaultBudget, base: 10, perSource: 5, max: 200 };
const page = (...links: string[]): Answer => ({ kind: 'fetched', links });
const pagesOf = (driver: TopologyDriver, host: RegExp) =>
  driver.requests.filter(({ hostKey }) => host.test(hostKey)).length;

/** A host whose front page links to so many pages. */
function site(host: string, pages: number): (url: string) => Answer {
  const links = Array.from({ length: pages }, (_, n) => `https://${host}/${n}`);
  return (url) => (url === `https://${host}/` ? page(...links) : page());
}

describe('the sketch of distinct sources', () => {
  it('the sketch of distinct sources is exact for few, and within a third for many; a source counts once', () => {
    for (const sources of [1, 16, 17, 100, 1_000, 20_000]) {
      const sketch = new SourceSketch();
      let before = 0;
      for (let n = 0; n < sources; n++) {
        sketch.add(fingerprintOf(n)[0]);
        assert.ok(sketch.count >= before);
        before = sketch.count;
      }
      const exact = sources <= 16;
      assert.ok(Math.abs(sketch.count - sources) <= (exact ? 0 : sources / 3), `${sketch.count} of ${sources}`);
      for (let n = 0; n < sources; n += 7) assert.equal(sketch.add(fingerprintOf(n)[0]), false);
      assert.equal(SourceSketch.load(sketch.save()).count, sketch.count);
    }
  });
});

describe('a budget', () => {
  it('a budget defers what exceeds it, and releases one budget a day, oldest first, until nothing is left', () => {
    const driver = new TopologyDriver({ web: site('a.test', 45), policy: { budget } });
    driver.inject(['https://a.test/']);
    const days: number[] = [];
    const beganMs = driver.nowMs - (driver.nowMs % dayMs);
    for (let day = 1; day <= 6; day++) {
      driver.run(beganMs + day * dayMs - 1);
      days.push(pagesOf(driver, /^a\.test$/));
    }
    // A seed is nobody's deferral, but it is spent.
    assert.deepEqual(days, [10, 20, 30, 40, 46, 46]);
    assert.equal(driver.counters.deferred, 0);
    const paths = driver.requests.map(({ url }) => Number(new URL(url).pathname.slice(1)));
    assert.deepEqual(
      paths,
      [...paths].sort((a, b) => a - b),
    );
  });

  it('a budget counts deferred URLs as deferred, and does not delay the end of a crawl', () => {
    const driver = new TopologyDriver({ web: site('a.test', 45), policy: { budget } });
    driver.inject(['https://a.test/']);
    assert.equal(driver.run(driver.nowMs + 60_000), 'done');
    assert.equal(driver.counters.deferred, 36);
    assert.equal(driver.counters.page, 10);
  });

  it('a budget grows with the distinct domains that link to the host, not with links, subdomains or its own', () => {
    const linkers = ['one.test', 'two.test', 'three.test'];
    const web = (url: string): Answer => {
      const host = hostKeyOf(url);
      if (host === 'a.test') return site('a.test', 80)(url);
      // Many links, from many hosts of each domain.
      return page('https://a.test/', 'https://a.test/?again');
    };
    const driver = new TopologyDriver({ web, policy: { budget } });
    driver.inject([
      'https://a.test/',
      ...linkers.flatMap((domain) => [0, 1, 2, 3].map((n) => `https://w${n}.${domain}/`)),
    ]);
    driver.run(driver.nowMs + 3_600_000);
    assert.equal(pagesOf(driver, /^a\.test$/), 10 + 3 * 5);
  });

  it('a budget may be set for a host by an operator, and lifted by a policy without budgets', () => {
    const driver = new TopologyDriver({ web: site('a.test', 90), policy: { budget } });
    driver.control(0, { kind: 'budget', hostKey: 'a.test', amount: 30 });
    driver.inject(['https://a.test/']);
    driver.run(driver.nowMs + 600_000);
    assert.equal(pagesOf(driver, /^a\.test$/), 30);
    driver.control(0, { kind: 'budget', hostKey: 'a.test', amount: 50 });
    driver.run(driver.nowMs + 600_000);
    assert.equal(pagesOf(driver, /^a\.test$/), 50);
    driver.setPolicy({ ...driver.core().policy!.config, budget: undefined });
    driver.run(driver.nowMs + 600_000);
    assert.equal(pagesOf(driver, /^a\.test$/), 91);
  });

  it('a budget is the same after a restart and in a replay, and deferred URLs still return', () => {
    const driver = new TopologyDriver({ web: site('a.test', 35), policy: { budget } });
    driver.inject(['https://a.test/']);
    driver.run(driver.nowMs + 5_000);
    driver.save();
    driver.run(driver.nowMs + 60_000);
    driver.crash();
    assert.equal(digest(driver.core().state), digest(driver.rebuilt()));
    driver.run(driver.nowMs + 5 * dayMs);
    assert.equal(pagesOf(driver, /^a\.test$/), 36);
    assert.equal(digest(driver.core().state), digest(driver.rebuilt()));
    assert.ok(fingerprintKey.hi > 0);
  });

  it('a budget keeps 10,000 hosts that link to each other from taking more than their share from a good host', () => {
    const farm = (n: number) => `https://f${n % 10_000}.farm.test/`;
    const linkers = Array.from({ length: 40 }, (_, n) => `https://linker${n}.test/`);
    const web = (url: string): Answer => {
      const host = hostKeyOf(url);
      if (host === 'good.test') return site('good.test', 150)(url);
      if (!host.endsWith('farm.test')) return page('https://good.test/', farm(0));
      const n = Number(/^f(\d+)\./.exec(host)![1]);
      return page(...Array.from({ length: 30 }, (_, i) => farm(n * 31 + i * 7 + 1)), `${url}more`);
    };
    // Few leases at once, so that hosts compete for them.
    const driver = new TopologyDriver({ web, policy: { budget, delayMs: 100 }, leasesMax: 2 });
    driver.inject(['https://good.test/', ...linkers, farm(0)]);
    driver.run(driver.nowMs + 3_600_000);
    assert.equal(pagesOf(driver, /^good\.test$/), 151, 'all of the good host, in an hour');
    // The farm is one domain, to which 40 others link: no more than its budget.
    assert.ok(pagesOf(driver, /farm\.test$/) <= budget.max);
    assert.ok(driver.counters.deferred > 100);
  });
});

describe('a host with a budget of its own, in a domain whose hosts share one', () => {
  it('a host with a larger budget of its own does not wait behind siblings whose budget is spent', () => {
    const web = (url: string): Answer => site(hostKeyOf(url), 40)(url);
    const driver = new TopologyDriver({ web, policy: { budget } });
    driver.inject(['https://a.x.test/', 'https://b.x.test/']);
    driver.run(driver.nowMs + 600_000);
    assert.equal(pagesOf(driver, /x\.test$/), budget.base);
    driver.control(0, { kind: 'budget', hostKey: 'b.x.test', amount: 30 });
    driver.run(driver.nowMs + 600_000);
    assert.equal(pagesOf(driver, /x\.test$/), 30);
  });

  it('a URL waits for a budget only while that of its host is spent, whoever waits before it', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const next = numbers(seed);
      const hosts = Array.from({ length: 2 + (next() % 4) }, (_, n) => `h${n}.x.test`);
      const own = new Map(hosts.filter(() => next() % 2 === 0).map((host) => [host, next() % 60]));
      const overlays = hosts
        .filter((host) => !own.has(host) && next() % 3 === 0)
        .map((host) => ({ name: host, match: { hosts: [host] }, set: { budget: next() % 60 } }));
      const web = (url: string): Answer => site(hostKeyOf(url), 5 + (url.length % 3) * 20)(url);
      const driver = new TopologyDriver({ web, policy: { budget, overlays } });
      driver.inject(hosts.map((host) => `https://${host}/`));
      for (const [hostKey, amount] of own) {
        driver.run(driver.nowMs + (next() % 120_000));
        driver.control(0, { kind: 'budget', hostKey, amount });
      }
      driver.run(driver.nowMs + 3_600_000);
      const { state } = driver.core();
      const used = state.budgets.accounts.get('x.test')!.used;
      for (const host of hosts) {
        const overlaid = overlays.find(({ name }) => name === host)?.set.budget;
        const most = own.get(host) ?? overlaid ?? budget.base;
        const waiting = state.hosts.get(host)?.queue.sizeOf(budgetQueue) ?? 0;
        assert.ok(waiting === 0 || used >= most, `seed ${seed}: ${waiting} of ${host} wait, ${used} of ${most} used`);
      }
    }
  });
});
