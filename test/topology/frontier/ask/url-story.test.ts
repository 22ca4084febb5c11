import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer } from '../../../../lab/simulation/driver.ts';
import { TopologyDriver } from '../../../../lab/simulation/driver.ts';
import { UrlStory } from '../../../../topology/frontier/ask/url-story.ts';
import { decodeChangelog } from '../../../../topology/frontier/changes/changelog.ts';
import { defaultTraps } from '../../../../topology/policy/traps/trap-config.ts';

const site = 'https://a.test';

function storyOf(driver: TopologyDriver, url: string): UrlStory {
  const story = new UrlStory('a.test', url);
  for (const [offset, record] of driver.changelog().entries()) story.take(offset, decodeChangelog(record));
  return story;
}

/** Forty pages found on the first. */
function web(url: string): Answer {
  const links = url === `${site}/` ? Array.from({ length: 40 }, (_, n) => `${site}/p/${n}`) : [];
  return { kind: 'fetched', links };
}

describe('the story of a URL', () => {
  it('says when it was admitted, on which leases it was, and what came of it', () => {
    const driver = new TopologyDriver({ web });
    driver.inject([`${site}/`]);
    driver.run();
    const { admitted, leased, outcomes, place } = storyOf(driver, `${site}/p/7`);
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
    assert.equal(storyOf(driver, `${site}/p/99`).place, undefined);
  });

  it('counts what goes before it: the frontier leases its host’s URLs in that order', () => {
    const driver = new TopologyDriver({ web, leasesMax: 1, policy: { delayMs: 1_000, leadTimeMs: 3_000 } });
    driver.inject([`${site}/`]);
    driver.run(driver.nowMs + 5_000);
    const places = Array.from({ length: 40 }, (_, n) => ({ n, place: storyOf(driver, `${site}/p/${n}`).place }));
    const waiting = places.flatMap(({ n, place }) => (place?.in === 'band' ? [{ n, ahead: place.ahead }] : []));
    assert.ok(waiting.length > 10 && waiting.length < 40);
    const done = driver.tasks.length;
    driver.run();
    const order = driver.tasks.slice(done).flatMap(({ urls }) => urls.map(({ url }) => url));
    const told = waiting.sort((a, b) => a.ahead - b.ahead).map(({ n }) => `${site}/p/${n}`);
    assert.deepEqual(order, told);
    assert.deepEqual(
      waiting.map(({ ahead }) => ahead),
      waiting.map((_, at) => at),
    );
  });

  it('tells retries with the time they are due, over a crash of the owner and its fetchers', () => {
    let tries = 0;
    const driver = new TopologyDriver({
      web: () => (++tries < 3 ? { kind: 'serverError', status: 500 } : { kind: 'fetched' }),
    });
    driver.inject([`${site}/`]);
    driver.run(driver.nowMs + 1_000);
    const { place, outcomes } = storyOf(driver, `${site}/`);
    assert.equal(place?.in, 'again');
    assert.ok(place?.in === 'again' && place.dueAtMs > driver.nowMs);
    assert.deepEqual(
      outcomes.map(({ status, attempts }) => [status, attempts]),
      [['again', 1]],
    );
    driver.crash(0, true);
    driver.run();
    assert.deepEqual(
      storyOf(driver, `${site}/`).outcomes.map(({ status }) => status),
      ['again', 'again', 'page'],
    );
  });

  it('names the trap it waits in, and its release', () => {
    const driver = new TopologyDriver({
      web: (url) => ({ kind: 'fetched', links: [`${url}a/b/`] }),
      policy: { traps: defaultTraps },
    });
    driver.inject([`${site}/`]);
    driver.run();
    const url = `${site}/a/b/a/b/a/b/`;
    const before = storyOf(driver, url);
    assert.ok(before.place?.in === 'band');
    assert.equal(before.trapOf(before.place.band)?.reason, 'repeatedSegments');
    assert.equal(before.trapOf(before.place.band)?.released, false);
    driver.control(0, { kind: 'releaseTrap', hostKey: 'a.test', payload: JSON.stringify({ pattern: '//' }) });
    driver.run(driver.nowMs + 60_000);
    assert.deepEqual(storyOf(driver, url).place, { in: 'end', status: 'page' });
  });
});
