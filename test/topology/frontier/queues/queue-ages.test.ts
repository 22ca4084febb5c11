import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RowsInMemory } from '../../../../lab/model/rows-in-memory.ts';
import { fingerprintKey } from '../../../../lab/simulation/driver.ts';
import { saveCheckpoint } from '../../../../topology/frontier/checkpoint/save-checkpoint.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';

const hourMs = 3_600_000;

/** URLs `first` to `end` of a host, queued at a time. */
function admit(state: FrontierState, nowMs: number, first: number, end: number, frontQueue = 2, host = 'h.test') {
  state.nowMs = nowMs;
  for (let n = first; n < end; n++) {
    const entry = { url: `https://${host}/${n}`, depth: 1, hop: 0, attempts: 0, expiries: 0, frontQueue };
    state.apply({ kind: 'admit', hostKey: host, known: false, entries: [entry] });
  }
}

function grant(state: FrontierState, leaseId: number, count: number, frontQueue = 2, hostKey = 'h.test') {
  const frontQueues = [[frontQueue, count]] as const;
  state.apply({ kind: 'grant', leaseId, hostKey, again: 0, frontQueues, deadlineMs: 1, delayMs: 0 });
}

describe('the age of queued URLs', () => {
  it('the age of queued URLs is exact with few of them, and forgets leased ones', () => {
    const state = new FrontierState(fingerprintKey);
    admit(state, 0, 0, 10);
    admit(state, hourMs, 10, 100);
    assert.deepEqual(state.queues.ages.at(2 * hourMs).all, { p50S: 3_600, p95S: 7_200 });
    grant(state, 1, 10);
    assert.deepEqual(state.queues.ages.at(2 * hourMs).all, { p50S: 3_600, p95S: 3_600 });
    grant(state, 2, 90);
    assert.equal(state.queues.ages.at(2 * hourMs).all, undefined);
  });

  it('the age of queued URLs is given by front queue, without deferred URLs', () => {
    const state = new FrontierState(fingerprintKey);
    admit(state, 0, 0, 5, 7);
    admit(state, 3 * hourMs, 5, 10, 0);
    admit(state, 0, 10, 500, 8);
    const { all, byFrontQueue } = state.queues.ages.at(4 * hourMs);
    assert.equal(byFrontQueue[7]?.p95S, 4 * 3_600);
    assert.equal(byFrontQueue[0]?.p95S, 3_600);
    assert.equal(byFrontQueue[3], undefined);
    assert.equal(all?.p95S, 4 * 3_600);
  });

  it('the age of queued URLs is within a few hundredths with more URLs than samples, also once most have gone', () => {
    const state = new FrontierState(fingerprintKey);
    // One URL in two seconds of virtual time, over ten hosts.
    for (let n = 0; n < 30_000; n++) admit(state, 2_000 * n, n, n + 1, 2, `h${n % 10}.test`);
    const near = (reported: number | undefined, wanted: number) =>
      assert.ok(Math.abs(reported! - wanted) < 0.03 * wanted, `${reported} s, not ${wanted}`);
    const whole = state.queues.ages.at(60_000_000).all;
    near(whole?.p50S, 30_000);
    near(whole?.p95S, 57_000);
    for (let h = 0; h < 10; h++) grant(state, h + 1, 2_950, 2, `h${h}.test`);
    for (let n = 30_000; n < 50_000; n++) admit(state, 2_000 * n, n, n + 1, 2, `h${n % 10}.test`);
    const later = state.queues.ages.at(100_000_000).all;
    near(later?.p50S, 20_500);
    near(later?.p95S, 38_950);
  });

  it('the age of queued URLs counts at least from the checkpoint after a restart', () => {
    const rows = new RowsInMemory();
    const before = new FrontierState(fingerprintKey);
    admit(before, 0, 0, 20_000);
    before.nowMs = hourMs;
    rows.run(saveCheckpoint(before));
    const state = new FrontierState(fingerprintKey);
    rows.load(state);
    assert.deepEqual(state.queues.ages.at(3 * hourMs).all, { p50S: 7_200, p95S: 7_200 });
    admit(state, 2 * hourMs, 20_000, 60_000);
    const mixed = state.queues.ages.at(3 * hourMs).all;
    assert.deepEqual(mixed, { p50S: 3_600, p95S: 7_200 });
  });
});
