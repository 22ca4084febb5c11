/** Waiting beside something that may fail, for as long as a crawl lasts. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { failFirst } from '../../../../services/application/crawl/fail-first.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

test('a wait returns its value or its own failure', async () => {
  const orFailure = failFirst(new Promise(() => {}));
  assert.equal(await orFailure(Promise.resolve(7)), 7);
  await assert.rejects(orFailure(Promise.reject(new Error('its own'))), /its own/);
});

test('a failure ends the wait under way, and every later one', async () => {
  let fail!: (error: Error) => void;
  const orFailure = failFirst(new Promise((_, reject) => (fail = reject)));
  const waiting = orFailure(new Promise(() => {}));
  fail(new Error('the disk is full'));
  await assert.rejects(waiting, /the disk is full/);
  await assert.rejects(orFailure(new Promise(() => {})), /the disk is full/);
});

test('finished waits leave nothing behind', async () => {
  const orFailure = failFirst(new Promise(() => {}));
  const given: WeakRef<object>[] = [];
  const wait = async () => {
    const look = { counters: new Array(100) };
    given.push(new WeakRef(look));
    await orFailure(Promise.resolve(look));
  };
  for (let i = 0; i < 100; i++) await wait();
  // References are weak from the next turn of the event loop on.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  assert.ok(given.filter((one) => one.deref() !== undefined).length <= 1);
  await assert.doesNotReject(orFailure(Promise.resolve()));
});
