import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ModelRig } from '../../../../../lab/model/model-rig.ts';
import { controlOf } from '../../../../../lab/model/model-script.ts';
import { type Answer, TopologyDriver } from '../../../../../lab/simulation/driver.ts';
import { blankLinkGroup } from '../../../../../schemas/blank.ts';
import { defaultPolicy } from '../../../../../topology/policy/policy.ts';
import { partitionOf } from '../../../../../topology/url/partition.ts';
import { urlLimits } from '../../../../../topology/url/url-limits.ts';

const page = (...links: string[]): Answer => ({ kind: 'fetched', links });
const urlsOf = (host: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `https://${host}.test/${from + i}`);

const group = { ...blankLinkGroup, depth: 1 } as const;

describe('a full partition that pauses', () => {
  it('a full partition that pauses reads no message while leases can drain it, and everything in the end', () => {
    const driver = new TopologyDriver({ web: () => page(), policy: { queuedMax: 20, delayMs: 100 } });
    for (let i = 0; i < 30; i++) driver.injectGroup(urlsOf(`h${i % 3}`, 10, 10 * i));
    let most = 0;
    for (let i = 0; driver.counters.page < 300; i++) {
      assert.ok(i < 1_000, 'it gets there');
      driver.run(driver.nowMs + 200);
      most = Math.max(most, driver.counters.queued + driver.counters.retrying);
    }
    assert.equal(most, 20);
    assert.deepEqual([driver.counters.discovered, driver.counters.queueFull], [300, 0]);
  });

  it('a full partition that pauses takes as many of a page’s links as fit, and the others in their turn', () => {
    const driver = new TopologyDriver({ web: () => page(), policy: { queuedMax: 10, delayMs: 100 } });
    driver.injectGroup(urlsOf('a', 500));
    let most = 0;
    for (let i = 0; driver.counters.page < 500; i++) {
      assert.ok(i < 2_000, 'it gets there');
      driver.run(driver.nowMs + 200);
      most = Math.max(most, driver.counters.queued + driver.counters.retrying);
    }
    assert.equal(most, 10);
    assert.equal(driver.counters.discovered, 500);
  });

  it('a full partition that pauses still reads results and operators’ orders', () => {
    const driver = new TopologyDriver({ web: () => page(), policy: { queuedMax: 5 }, leasesMax: 0 });
    driver.injectGroup(urlsOf('a', 5));
    driver.injectGroup(urlsOf('b', 5));
    driver.run(driver.nowMs + 10);
    // Held back, a host's URLs are nothing that leases could drain: there is room for others.
    assert.equal(driver.counters.discovered, 5);
    driver.control(0, { kind: 'blockHost', hostKey: 'a.test' });
    driver.run(driver.nowMs + 10);
    assert.equal(driver.counters.discovered, 10);
  });

  it('a full partition that pauses leaves other partitions’ links in its topic; links one by one bound it, and none is lost', () => {
    const names = Array.from({ length: 60 }, (_, i) => `h${i}`);
    const of = (partition: number) => names.filter((name) => partitionOf(`${name}.test`, 2) === partition);
    const [slow] = of(0);
    const quick = of(1).slice(0, 20);
    const linksPerPage = 5;
    let published = 0;
    const web = (url: string): Answer => {
      const { host, pathname } = new URL(url);
      if (host === `${slow}.test`) return page();
      const links = Array.from({ length: linksPerPage }, (_, i) => `https://${slow}.test/${host}${pathname}/${i}`);
      published += links.length;
      return page(...links);
    };
    const queuedMax = 5;
    const driver = new TopologyDriver({ web, partitions: 2, policy: { queuedMax, delayMs: 1_000 } });
    for (const host of quick) driver.inject(urlsOf(host, 10));
    const { state } = driver.core(0);
    let most = 0;
    for (let second = 0; second < 300; second++) {
      driver.run(driver.nowMs + 1_000);
      // One message a link here: the position says how many were taken.
      const waiting = published - state.positions.discovered.offset;
      most = Math.max(most, waiting);
      assert.ok(state.counters.queued + state.counters.retrying <= queuedMax);
    }
    const pages = quick.length * 10;
    assert.ok(most > 100 * queuedMax, `${most} links waited: far more than the queue may hold`);
    assert.ok(most <= pages * linksPerPage, 'and no more than the pages of others have');
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.page, pages + pages * linksPerPage);
  });

  it('a full partition that pauses drops nothing after a crash either', () => {
    const driver = new TopologyDriver({ web: () => page(), policy: { queuedMax: 5, delayMs: 100 } });
    for (let i = 0; i < 10; i++) driver.injectGroup(urlsOf('a', 4, 4 * i));
    driver.run(driver.nowMs + 150);
    driver.save();
    driver.crash(0, true);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.page, 40);
  });
});

describe('a full partition that drops', () => {
  it('a full partition that drops refuses low front queues first, and the first one only when it is wholly full', () => {
    const rig = new ModelRig(1_000);
    const policy = { ...defaultPolicy(), queuedMax: 160, queueShareMax: 1, whenFull: 'dropLowest' };
    rig.send('control', controlOf({ kind: 'policy', version: 1, payload: JSON.stringify(policy) }));
    const queuedAfter = (priority: number, count: number) => {
      const from = rig.core.state.counters.discovered;
      const links = urlsOf('a', count, from).map((url) => ({ url, lastModifiedMs: 0, priority, spelling: '' }));
      rig.send('discovered', { groups: [{ ...group, hostKey: 'a.test', links }] });
      rig.step(1_000, 0);
      return rig.core.state.counters.queued;
    };
    const steps = [queuedAfter(7, 200), queuedAfter(7, 50), queuedAfter(4, 200), queuedAfter(0, 200)];
    assert.deepEqual(steps, [90, 90, 120, 160], 'a sixteenth of the room less for each front queue');
    assert.equal(rig.core.state.counters.queueFull, 650 - 160);
  });

  it('a full partition that drops leaves no fingerprint: the same link is admitted once there is room', () => {
    const policy = { queuedMax: 3, whenFull: 'dropLowest', delayMs: 0 } as const;
    const driver = new TopologyDriver({ web: () => page(), policy });
    driver.injectGroup(urlsOf('a', 9));
    assert.equal(driver.run(), 'done');
    const first = driver.counters.page;
    assert.ok(first < 9 && driver.counters.queueFull === 9 - first);
    for (let i = 0; i < 9; i++) {
      driver.inject(urlsOf('a', 9));
      driver.run();
    }
    assert.equal(driver.counters.page, 9);
  });
});

describe('a full host', () => {
  it('a full host drops its own new URLs, counted, and delays nobody else', () => {
    const driver = new TopologyDriver({ web: () => page(), policy: { urlsPerHostMax: 5 }, takesLease: () => false });
    driver.control(0, { kind: 'blockHost', hostKey: 'a.test' });
    driver.injectGroup([...urlsOf('a', 12), ...urlsOf('b', 3)]);
    driver.run(driver.nowMs + 1);
    assert.deepEqual([driver.counters.deferred, driver.counters.hostFull], [5, 7]);
    assert.equal(driver.counters.admitted, 8);
  });

  it('a full host leaves no fingerprint of what it dropped', () => {
    const driver = new TopologyDriver({ web: () => page(), policy: { urlsPerHostMax: 5, delayMs: 0 } });
    driver.injectGroup(urlsOf('a', 12));
    driver.run();
    assert.equal(driver.counters.page, 5);
    driver.injectGroup(urlsOf('a', 12));
    driver.run();
    assert.equal(driver.counters.page, 10);
  });

  it('a full host takes what an operator forces', () => {
    const driver = new TopologyDriver({ web: () => page(), policy: { urlsPerHostMax: 1, queuedMax: 1_000 } });
    driver.control(0, { kind: 'blockHost', hostKey: 'a.test' });
    driver.injectGroup(urlsOf('a', 3));
    driver.inject(['https://a.test/forced'], { intent: 'force' });
    driver.run(driver.nowMs + 1);
    assert.deepEqual([driver.counters.deferred, driver.counters.hostFull], [2, 2]);
  });
});

describe('a URL that is too long', () => {
  it('a URL that is too long is dropped under its own name', () => {
    const driver = new TopologyDriver({ web: () => page() });
    driver.inject([`https://a.test/${'x'.repeat(urlLimits.urlCharsMax)}`, 'https://a.test/']);
    driver.run();
    assert.deepEqual([driver.counters.tooLong, driver.counters.invalid, driver.counters.page], [1, 0, 1]);
  });
});
