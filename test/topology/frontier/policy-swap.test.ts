import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../../lab/simulation/driver.ts';
import { TopologyDriver } from '../../../lab/simulation/driver.ts';
import { decodeChangelog } from '../../../topology/frontier/changes/changelog.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';

/** Pages of ten hosts that each link to the next two of every host. */
function web(url: string): Answer {
  const n = Number(/\d+$/.exec(url)?.[0] ?? 0);
  const links = n > 12 ? [] : Array.from({ length: 10 }, (_, host) => `https://h${host}.test/p/${n + 1}`);
  return { kind: 'fetched', links };
}

test('a policy swapped in mid-crawl applies from a recorded position on, on every partition; a replay gives the same digest', () => {
  const driver = new TopologyDriver({ web, partitions: 3, policy: { delayMs: 1_000 } });
  driver.inject(['https://h0.test/p/0']);
  driver.run(driver.nowMs + 4_000);
  const before = driver.counters;
  assert.ok(before.page > 0 && before.tooDeep === 0);
  driver.setPolicy({ ...defaultPolicy(), delayFactor: 0, maxDepth: 3 });
  driver.run(driver.nowMs + 1_000);
  for (const partition of [0, 1, 2]) {
    assert.equal(driver.core(partition).state.policyVersion, 2);
    driver.save(partition);
    driver.crash(partition);
    assert.equal(driver.core(partition).policy?.config.maxDepth, 3, 'it survives a restart');
  }
  assert.equal(driver.run(), 'done');
  assert.ok(driver.counters.tooDeep > 0);
  for (const partition of [0, 1, 2]) {
    const { state } = driver.core(partition);
    assert.equal(digest(driver.rebuilt(partition)), digest(state));
    const versions = driver.changelog(partition).map((record) => decodeChangelog(record));
    const seen = versions.flatMap((record) => (record.kind === 'commit' ? [record.policyVersion] : []));
    assert.deepEqual([...new Set(seen)], [1, 2], 'each commit names the version it decided with');
    assert.deepEqual(seen, [...seen].sort(), 'and none goes back');
  }
});
