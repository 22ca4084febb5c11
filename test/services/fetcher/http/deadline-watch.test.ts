import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeadlineWatch, type Watched } from '../../../../services/fetcher/http/deadline-watch.ts';
import { until } from '../../until.ts';

test('an expired deadline is reported once, a moved deadline is waited for, and a removed one is forgotten', async () => {
  const watch = createDeadlineWatch(1);
  const reported: string[] = [];
  const watched = (name: string, inMs: number): Watched => ({
    deadlineMs: performance.now() + inMs,
    expire: () => reported.push(name),
  });
  const [soon, moved, gone] = [watched('soon', 0), watched('moved', 0), watched('gone', 0)];
  moved.deadlineMs = Number.POSITIVE_INFINITY;
  for (const one of [soon, moved, gone]) watch.add(one);
  watch.remove(gone);
  await until(() => reported.length > 0);
  moved.deadlineMs = 0;
  await until(() => reported.length > 1);
  assert.deepEqual(reported, ['soon', 'moved']);
  // Nothing is watched by now: the next one has a timer of its own.
  watch.add(watched('later', 0));
  await until(() => reported.length > 2);
  assert.deepEqual(reported, ['soon', 'moved', 'later']);
});

test('no timer runs while no deadline is watched', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const watch = createDeadlineWatch(50);
  let looks = 0;
  const entry = (deadlineMs: number) => ({
    get deadlineMs() {
      looks += 1;
      return deadlineMs;
    },
    expire: () => {},
  });
  watch.add(entry(Number.POSITIVE_INFINITY));
  const kept = entry(0);
  watch.add(kept);
  t.mock.timers.tick(49);
  assert.equal(looks, 0);
  t.mock.timers.tick(1);
  assert.equal(looks, 2, 'each is looked at once a look');
  t.mock.timers.tick(50);
  assert.equal(looks, 3, 'the one that expired is no more');
});
