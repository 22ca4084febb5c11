/** A member that rolling updates wait for: until its copies of others' partitions have caught up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinFrontierGroup } from '../../../../services/frontier/frontier-group.ts';
import type { GroupOptions, Log } from '../../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { clock, key, startHarness, until } from '../owner-harness.ts';

test('a member waits until each copy that it was assigned has caught up once, and not again while the brokers are away', async () => {
  const harness = await startHarness();
  const owner = harness.owner();
  const owning = owner.run();
  await harness.discover(50);
  await until(() => owner.committed?.counters.admitted === 50);
  let isAway = true;
  let assign: GroupOptions['onAssigned'] = () => {};
  const log: Log = {
    ...harness.log,
    offsets: (...asked) => (isAway ? new Promise(() => {}) : harness.log.offsets(...asked)),
    join: async ({ onAssigned }) => {
      assign = onAssigned;
      return { name: 'copying', members: 2, leave: async () => {} };
    },
  };
  let laterMs = 0;
  const later = { ...clock, nowMs: () => clock.nowMs() + laterMs, sleepUntil: clock.sleepUntil.bind(clock) };
  const group = await joinFrontierGroup({
    ...{ log, codec: harness.codec, clock: later, crawl: 't', partitions: 1, key, endsLeases: false },
    ...{ leasesPerPartition: 0, openStore: async () => createMemoryStore() },
    onFailure: (error) => assert.fail(String(error)),
  });
  assert.equal(group.warms(), null);
  assign([], [{ partition: 0, rank: 1 }]);
  assert.deepEqual([group.waitsFor(), group.warms()], [null, 'copying partition 0']);
  isAway = false;
  await until(() => group.warms() === null);
  isAway = true;
  laterMs = 60_000;
  assert.equal(group.standbys().get(0)!.status.hasCaughtUp, false);
  assert.equal(group.warms(), null);
  isAway = false;
  assign([], []);
  assert.equal(group.warms(), null);
  await group.stop();
  owner.stop();
  await owning;
});
