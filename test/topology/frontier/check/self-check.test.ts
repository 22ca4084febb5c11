import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprintKey, TopologyDriver } from '../../../../lab/simulation/driver.ts';
import { type Commit, decodeChangelog } from '../../../../topology/frontier/changes/changelog.ts';
import { frontierLimits } from '../../../../topology/frontier/frontier-limits.ts';
import { replay } from '../../../../topology/frontier/replay.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';

/** A crawl of a few hundred commits. */
function changelog(): readonly Buffer[] {
  const driver = new TopologyDriver({
    web: (url) => ({ kind: 'fetched', links: url.length < 40 ? [`${url}a`, `${url}b`] : [] }),
    policy: { delayMs: 0, urlsPerLeaseMax: 2 },
  });
  driver.inject(['http://a.test/', 'http://b.test/long/']);
  driver.run(driver.nowMs + 60_000);
  return driver.changelog();
}

const commits = changelog();
const checksOf = ({ changes }: Commit) => [...changes].filter(({ kind }) => kind === 'check');

test('every so many commits the changelog holds the expected digest of the state', () => {
  let checks = 0;
  for (const bytes of commits) {
    const record = decodeChangelog(bytes);
    if (record.kind === 'claim') continue;
    const due = record.seq % frontierLimits.checkEvery === 0;
    const found = checksOf(record).length;
    assert.ok(found <= (due ? 1 : 0));
    checks += found;
  }
  assert.ok(checks >= 5, `${checks} checks in ${commits.length} commits`);
});

test('a replay that diverges stops at the next check, which is named', () => {
  for (const spoil of [
    (state: FrontierState) => state.seen.add(1, 2),
    (state: FrontierState) => (state.counters.fetches += 1),
    (state: FrontierState) => (state.quota.wanted += 1),
    // After checks of the policy as it was, which is summed once.
    (state: FrontierState) => (state.policyJson += ' '),
  ]) {
    const state = new FrontierState(fingerprintKey);
    const from = 20;
    const next = commits.findIndex((bytes, offset) => {
      const record = decodeChangelog(bytes);
      return offset > from && record.kind === 'commit' && checksOf(record).length > 0;
    });
    const replayAll = () =>
      commits.forEach((bytes, offset) => {
        if (offset === from) spoil(state);
        replay(state, offset, decodeChangelog(bytes));
      });
    assert.throws(replayAll, { code: 'STATE_DIVERGED', message: new RegExp(`offset ${next} `) });
  }
});
