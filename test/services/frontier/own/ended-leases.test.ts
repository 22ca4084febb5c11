import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankOutcome, blankResult } from '../../../../schemas/blank.ts';
import { replay } from '../../../../topology/frontier/replay.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { clock, key, startHarness, until } from '../owner-harness.ts';

test('a lease that ends and the lease in its place are in one commit', { timeout: 30_000 }, async () => {
  const harness = await startHarness();
  const { log, codec } = harness;
  await harness.discover(4);
  const owner = harness.owner({ leasesMax: 1 });
  const run = owner.run();
  for (let granted = 1; granted <= 3; granted++) {
    await until(async () => (await harness.tasks()).length === granted);
    const { partition, epoch, leaseId, hostKey, urls } = (await harness.tasks()).at(-1)!;
    const outcome = { ...blankOutcome, kind: 'fetched' as const, status: 200, bytes: 1, index: 0, url: urls[0]!.url };
    const ended = { last: true, completedAtMs: clock.nowMs(), outcomes: [outcome] };
    const result = { ...blankResult, partition, epoch, leaseId, hostKey, fetcherId: 'f', ...ended };
    const value = codec.encode('results', result);
    await log.append([{ topic: 't.results', partition: 0, key: Buffer.from(hostKey), value }]);
  }
  await until(async () => (await harness.tasks()).length === 4);
  owner.stop();
  await run;

  const state = new FrontierState(key);
  const leasesAfterResults: number[] = [];
  for (const [offset, record] of await harness.records()) {
    const before = state.positions.results.offset;
    replay(state, offset, record);
    if (state.positions.results.offset > before) leasesAfterResults.push(state.leases.size);
  }
  assert.deepEqual(leasesAfterResults, [1, 1, 1]);
});
