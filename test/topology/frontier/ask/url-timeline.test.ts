import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { controlOf } from '../../../../lab/model/model-script.ts';
import type { Answer } from '../../../../lab/simulation/driver.ts';
import { TopologyDriver } from '../../../../lab/simulation/driver.ts';
import { UrlTimeline } from '../../../../topology/frontier/ask/url-timeline.ts';
import { decodeChangelog } from '../../../../topology/frontier/changes/changelog.ts';
import { budgetQueue, trapQueueFirst } from '../../../../topology/frontier/queues/held-queues.ts';
import { defaultBudget } from '../../../../topology/policy/budget.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { defaultTraps } from '../../../../topology/policy/traps/trap-config.ts';
import { frontQueueCount } from '../../../../topology/url/front-queue.ts';

const site = 'https://a.test';

function timelineOf(driver: TopologyDriver, url: string): UrlTimeline {
  const timeline = new UrlTimeline('a.test', url);
  for (const [offset, record] of driver.changelog().entries()) timeline.take(offset, decodeChangelog(record));
  return timeline;
}

function handTimeline({ rig }: Hand, url: string): UrlTimeline {
  const timeline = new UrlTimeline('a.test', url);
  for (const [offset, record] of rig.changelog.entries()) timeline.take(offset, decodeChangelog(record));
  return timeline;
}

/** Forty pages found on the first. */
function web(url: string): Answer {
  const links = url === `${site}/` ? Array.from({ length: 40 }, (_, n) => `${site}/p/${n}`) : [];
  return { kind: 'fetched', links };
}

describe('the history of a URL', () => {
  it('the history of a URL has its admission, its leases and their outcomes', () => {
    const driver = new TopologyDriver({ web });
    driver.inject([`${site}/`]);
    driver.run();
    const { admitted, leased, outcomes, place } = timelineOf(driver, `${site}/p/7`);
    assert.deepEqual(
      admitted.map(({ depth, isNew, policyVersion }) => ({ depth, isNew, policyVersion })),
      [{ depth: 1, isNew: true, policyVersion: 1 }],
    );
    const [{ discovered } = { discovered: null }] = admitted;
    assert.ok(discovered !== null && discovered.to.offset > discovered.from.offset);
    assert.equal(leased.length, 1);
    assert.deepEqual(
      outcomes.map(({ status, leaseId }) => [status, leaseId]),
      [['page', leased[0]!.leaseId]],
    );
    assert.deepEqual(place, { in: 'end', status: 'page' });
    assert.equal(timelineOf(driver, `${site}/p/99`).place, undefined);
  });

  it('the history of a URL counts the URLs before it: the frontier leases its host’s URLs in that order', () => {
    const driver = new TopologyDriver({ web, leasesMax: 1, policy: { delayMs: 1_000, leadTimeMs: 3_000 } });
    driver.inject([`${site}/`]);
    driver.run(driver.nowMs + 5_000);
    const places = Array.from({ length: 40 }, (_, n) => ({ n, place: timelineOf(driver, `${site}/p/${n}`).place }));
    const waiting = places.flatMap(({ n, place }) => (place?.in === 'frontQueue' ? [{ n, ahead: place.ahead }] : []));
    assert.ok(waiting.length > 10 && waiting.length < 40);
    const done = driver.tasks.length;
    driver.run();
    const order = driver.tasks.slice(done).flatMap(({ urls }) => urls.map(({ url }) => url));
    const reported = waiting.sort((a, b) => a.ahead - b.ahead).map(({ n }) => `${site}/p/${n}`);
    assert.deepEqual(order, reported);
    assert.deepEqual(
      waiting.map(({ ahead }) => ahead),
      waiting.map((_, at) => at),
    );
  });

  it('the history of a URL has retries with their due times, over a crash of the owner and its fetchers', () => {
    let tries = 0;
    const driver = new TopologyDriver({
      web: () => (++tries < 3 ? { kind: 'serverError', status: 500 } : { kind: 'fetched' }),
    });
    driver.inject([`${site}/`]);
    driver.run(driver.nowMs + 1_000);
    const { place, outcomes } = timelineOf(driver, `${site}/`);
    assert.equal(place?.in, 'again');
    assert.ok(place?.in === 'again' && place.dueAtMs > driver.nowMs);
    assert.deepEqual(
      outcomes.map(({ status, attempts }) => [status, attempts]),
      [['again', 1]],
    );
    driver.crash(0, true);
    driver.run();
    assert.deepEqual(
      timelineOf(driver, `${site}/`).outcomes.map(({ status }) => status),
      ['again', 'again', 'page'],
    );
  });

  it('the history of a URL names the trap it waits in, and its release', () => {
    const driver = new TopologyDriver({
      web: (url) => ({ kind: 'fetched', links: [`${url}a/b/`] }),
      policy: { traps: defaultTraps },
    });
    driver.inject([`${site}/`]);
    driver.run();
    const url = `${site}/a/b/a/b/a/b/`;
    const before = timelineOf(driver, url);
    assert.ok(before.place?.in === 'frontQueue');
    assert.equal(before.trapOf(before.place.frontQueue)?.reason, 'repeatedSegments');
    assert.equal(before.trapOf(before.place.frontQueue)?.released, false);
    driver.control(0, { kind: 'releaseTrap', hostKey: 'a.test', payload: JSON.stringify({ pattern: '//' }) });
    driver.run(driver.nowMs + 60_000);
    assert.deepEqual(timelineOf(driver, url).place, { in: 'end', status: 'page' });
  });

  it('the history of a URL excludes other URLs of its host: their dead letters end them alone', () => {
    const hand = new Hand({ retriesMs: [1_000], urlsPerLeaseMax: 1 });
    hand.links('a.test', 1);
    hand.report(hand.lease());
    hand.links('a.test', 3, { from: 1 });
    for (let tries = 0; tries < 2; tries++) hand.report(hand.lease(3_600_000), { kind: 'robotsUnreachable' });
    while (hand.counters.dead < 3) assert.ok(hand.rig.step(hand.nowMs, 0), 'the queue is given up on');
    const placeOf = (n: number) => handTimeline(hand, `${site}/${n}`).place;
    assert.deepEqual([0, 3, 4].map(placeOf), [{ in: 'end', status: 'page' }, { in: 'end', status: 'dead' }, undefined]);
  });

  it('the history of a URL has each end at once: nothing is due after it', () => {
    const hand = new Hand({ retriesMs: [5_000] });
    hand.links('a.test', 1);
    const [first, second] = [hand.lease(), () => hand.lease(5_000)];
    hand.report(first, { kind: 'serverError' });
    const againMs = hand.nowMs + 5_000;
    hand.report(second(), { kind: 'gone' });
    assert.deepEqual(
      handTimeline(hand, `${site}/0`).outcomes.map(({ status, dueAtMs }) => [status, dueAtMs]),
      [
        ['again', againMs],
        ['failed', 0],
      ],
    );
  });

  it('the history of a URL counts ahead of it better front queues and released traps, but nothing deferred', () => {
    const policy = { ...defaultPolicy(), budget: { ...defaultBudget, base: 3, perSource: 0 }, traps: defaultTraps };
    const hand = new Hand(policy);
    const trapped = [1, 2].map((n) => `${site}/a/b/a/b/a/b/${n}`);
    hand.links('a.test', 5);
    hand.linksTo([`${site}/late`], 7, { depth: 0 });
    hand.linksTo(trapped);
    const placeOf = (url: string) => handTimeline(hand, url).place;
    assert.deepEqual(placeOf(`${site}/late`), { in: 'frontQueue', frontQueue: 7, ahead: 3 });
    // Among themselves alone: when their turn comes is not known.
    assert.deepEqual(placeOf(`${site}/4`), { in: 'frontQueue', frontQueue: budgetQueue, ahead: 1 });
    assert.deepEqual(placeOf(trapped[1]!), { in: 'frontQueue', frontQueue: trapQueueFirst, ahead: 1 });
    const timeline = handTimeline(hand, trapped[1]!);
    assert.deepEqual(
      [frontQueueCount - 1, frontQueueCount, trapQueueFirst, trapQueueFirst + 1].map((frontQueue) =>
        timeline.isHeld(frontQueue),
      ),
      [false, true, true, true],
    );
    const payload = JSON.stringify({ pattern: timeline.trapOf(trapQueueFirst)!.pattern });
    hand.rig.send('control', controlOf({ kind: 'releaseTrap', hostKey: 'a.test', payload }));
    hand.rig.step(hand.nowMs, 0);
    const released = handTimeline(hand, trapped[1]!);
    assert.equal(released.isHeld(trapQueueFirst), false);
    assert.deepEqual(released.place, { in: 'frontQueue', frontQueue: trapQueueFirst, ahead: 3 + 1 + 1 });
  });
});
