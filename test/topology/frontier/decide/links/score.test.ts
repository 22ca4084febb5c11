import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer } from '../../../../../lab/simulation/driver.ts';
import { TopologyDriver } from '../../../../../lab/simulation/driver.ts';
import { UrlTimeline } from '../../../../../topology/frontier/ask/url-timeline.ts';
import { decodeChangelog } from '../../../../../topology/frontier/changes/changelog.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import { InLinks } from '../../../../../topology/frontier/state/in-links.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { defaultScore } from '../../../../../topology/policy/score/score-config.ts';

const site = 'https://a.test';

describe('in-links', () => {
  it('in-links are counted per URL, never too small, and survive as rows', () => {
    const counts = new InLinks();
    for (let n = 1; n <= 300; n++) for (let times = 0; times < n % 7; times++) counts.count([n * 7919, n * 104_729]);
    const loaded = new InLinks();
    for (const { key, value } of counts.takeRows()) loaded.load(key, value);
    assert.deepEqual(counts.takeRows(), []);
    assert.equal(loaded.total, counts.total);
    let exact = 0;
    for (let n = 1; n <= 300; n++) {
      const count = counts.countOf(n * 7919, n * 104_729);
      assert.ok(count >= n % 7);
      assert.equal(loaded.countOf(n * 7919, n * 104_729), count);
      if (count === n % 7) exact += 1;
    }
    assert.ok(exact > 290, `${exact}`);
  });
});

describe('a policy that scores', () => {
  const { factors, scales } = defaultScore;
  const score = {
    ...defaultScore,
    factors: { ...factors, authority: 0, cash: 0, depth: 0, type: 0, source: 0, quality: 0 },
    scales: { ...scales, inLinksMost: 30 },
  };
  const hub = `${site}/hub`;
  /** Thirty pages that all link to one. */
  const web = (url: string): Answer => {
    if (url === hub) return { kind: 'fetched' };
    return {
      kind: 'fetched',
      links: url === `${site}/` ? Array.from({ length: 30 }, (_, n) => `${site}/p/${n}`) : [hub],
    };
  };

  function crawled(policy: Partial<PolicyConfig>): TopologyDriver {
    const driver = new TopologyDriver({ web, policy: { delayMs: 0, ...policy } });
    driver.inject([`${site}/`]);
    driver.run();
    assert.equal(driver.counters.page, 32);
    return driver;
  }

  function countOf(driver: TopologyDriver): number {
    const { state } = driver.core();
    const [hi, lo] = state.fingerprintOf(hub);
    return state.inLinks.countOf(hi!, lo!);
  }

  it('a policy that scores counts links as they are sighted, over restarts and in a replay alike', () => {
    const driver = crawled({ score });
    assert.equal(countOf(driver), 30);
    driver.save();
    driver.crash();
    assert.equal(countOf(driver), 30);
    assert.equal(digest(driver.rebuilt()), digest(driver.core().state));
    assert.equal(countOf(crawled({})), 0, 'and counts nothing where nobody asks');
  });

  it('a policy that scores puts a URL with many links into a better front queue than depth alone', () => {
    for (const [policy, frontQueue] of [
      [{ score }, 0],
      [{}, 4],
    ] as const) {
      const driver = crawled(policy);
      driver.inject([hub], { intent: 'force', depth: 5 });
      driver.run();
      const timeline = new UrlTimeline('a.test', hub);
      for (const [offset, record] of driver.changelog().entries()) timeline.take(offset, decodeChangelog(record));
      assert.equal(timeline.admitted.at(-1)?.frontQueue, frontQueue);
    }
  });

  it('a policy that scores counts the domains that link to a host, without a budget, over restarts too', () => {
    const ofOthers = (url: string): Answer => ({
      kind: 'fetched',
      links: url.startsWith('https://seed') ? ['https://known.test/', 'https://known.test/2'] : [],
    });
    const seeds = [1, 2, 3].map((n) => `https://seed${n}.test/`);
    const countedIn = (policy: Partial<PolicyConfig>) => {
      const driver = new TopologyDriver({ web: ofOthers, policy: { delayMs: 0, ...policy } });
      driver.inject(seeds);
      driver.run();
      driver.save();
      driver.crash();
      const { state } = driver.core();
      assert.equal(digest(driver.rebuilt()), digest(state));
      return state.budgets.accounts.get('known.test')?.sources.count ?? 0;
    };
    assert.equal(countedIn({ score: defaultScore }), 3);
    assert.equal(countedIn({ score: { ...defaultScore, domain: 0 } }), 0, 'the factor has no weight');
    assert.equal(countedIn({}), 0);
  });
});
