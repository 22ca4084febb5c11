import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepPlaces } from '../../../../services/frontier/query/known-places.ts';
import type { PartitionPlace } from '../../../../services/frontier/query/partition-places.ts';

const place = (partition: number, pages: number) => ({ partition, owner: 'a', pages }) as PartitionPlace;
const committed = (page: number) => ({ counters: { page }, readyHosts: 1, delayedHosts: 2, freshness: null });

test('partitions are shown as last seen if nobody answers, with the age and local facts', async () => {
  let nowMs = 1_000;
  let look = async () => [place(0, 5), place(1, 7)];
  const own = () => [{ partition: 1, committed: committed(9) }] as never;
  const places = keepPlaces({ clock: { nowMs: () => nowMs }, look: () => look(), own, isCutOff: () => false });
  assert.deepEqual(await places(), { partitions: [place(0, 5), place(1, 7)], ageMs: 0 });
  const never = new Promise<never>(() => {});
  look = () => never;
  nowMs += 60_000;
  const { partitions, ageMs } = await places();
  assert.equal(ageMs, 60_000);
  assert.deepEqual(
    partitions.map(({ owner, pages, readyHosts }) => [owner, pages, readyHosts ?? null]),
    [
      ['a', 5, null],
      ['a', 9, 1],
    ],
  );
});

test('a failed look counts like one that does not end, and the next request tries again', async () => {
  let looks = 0;
  const look = async () => {
    looks += 1;
    if (looks < 3) throw new Error('no broker answers');
    return [place(0, 5)];
  };
  const places = keepPlaces({ clock: { nowMs: () => 1_000 }, look, own: () => [], isCutOff: () => false });
  assert.deepEqual(await places(), { partitions: [], ageMs: null });
  while ((await places()).ageMs === null);
  assert.equal(looks, 3);
});

test('no request waits for an absent broker', async () => {
  const never = new Promise<never>(() => {});
  const places = keepPlaces({ clock: { nowMs: () => 1_000 }, look: () => never, own: () => [], isCutOff: () => true });
  let isReported = false;
  void places().then(() => (isReported = true));
  await new Promise(setImmediate);
  assert.ok(isReported);
});
