import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { recordsOf } from '../../../../services/runtime/log/records-of.ts';
import type { Change } from '../../../../topology/frontier/changes/changes.ts';
import { lostUrls } from '../../../../topology/frontier/changes/counters.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { type Harness, startHarness, until } from '../owner-harness.ts';

const { apply } = FrontierState.prototype;
afterEach(() => {
  FrontierState.prototype.apply = apply;
});

/** A bug: the state throws at such a change, and has changed by half already. Returns how often it did. */
function plantFault(throwsAt: (change: Change) => boolean): () => number {
  let times = 0;
  FrontierState.prototype.apply = function (this: FrontierState, change: Change): void {
    apply.call(this, change);
    if (!throwsAt(change)) return;
    times += 1;
    throw new RangeError('a planted bug');
  };
  return () => times;
}

const isPoison = (change: Change) => JSON.stringify(change).includes('poison.test');

async function deadLettersShown({ log, codec }: Harness) {
  const deadLetters = [];
  const { end } = await log.offsets('t.dead-letters', 0);
  for await (const { value } of recordsOf(log, 't.dead-letters', 0, 0, end))
    deadLetters.push(codec.decode('dead-letters', value));
  return deadLetters;
}

test('a record that fails its step twice becomes a dead letter with its bytes, and the partition goes on', async () => {
  const harness = await startHarness();
  const times = plantFault(isPoison);
  const reasons: string[] = [];
  const owner = harness.owner({ onReopen: ({ message }) => void reasons.push(message) });
  const run = owner.run();
  await harness.discoverUrls(['http://a.test/', 'http://poison.test/', 'http://b.test/']);
  await until(async () => (await harness.tasks()).length === 2);
  owner.stop();
  await run;
  assert.equal(times(), 2);
  assert.match(
    reasons[0]!,
    /^a step of partition 0 on discovered\/0, offset 1, failed and was rolled back: a planted bug/,
  );
  const deadLetters = await deadLettersShown(harness);
  assert.equal(deadLetters.length, 1);
  assert.deepEqual([deadLetters[0]!.sourceTopic, deadLetters[0]!.sourceOffset], ['discovered', 1]);
  assert.match(deadLetters[0]!.detail, /after 2 tries.*a planted bug/);
  const { groups } = harness.codec.decode('discovered', Buffer.from(deadLetters[0]!.original));
  assert.equal(groups[0]!.hostKey, 'poison.test');
  const { state } = await harness.replayed();
  assert.deepEqual([state.counters.admitted, lostUrls(state.counters)], [2, 0]);
  assert.equal(digest(state), digest((await harness.replayed()).state));
});

test('a record that fails a later part of its step is found among those that came with it', async () => {
  const harness = await startHarness();
  await harness.discoverUrls(['http://a.test/', 'http://b.test/', 'http://poison.test/', 'http://c.test/']);
  // The grant of the host throws, long after its links were taken.
  let poison = -1;
  plantFault((change) => {
    if (change.kind === 'admit' && isPoison(change)) poison = 1;
    return change.kind === 'count' && poison === 1 && (poison = -1) === -1;
  });
  const owner = harness.owner();
  const run = owner.run();
  await until(async () => (await harness.tasks()).length === 3);
  owner.stop();
  await run;
  assert.deepEqual(
    (await deadLettersShown(harness)).map(({ sourceOffset }) => sourceOffset),
    [2],
  );
});
