/** What a slow fetcher knows of its own late reports, step by step. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankOutcome, blankTask } from '../../../../schemas/blank.ts';
import type { Outcome, Task } from '../../../../schemas/types.ts';
import { createLateReports } from '../../../../services/fetcher/leases/late-reports.ts';
import { createFakeClock } from '../fake-clock.ts';
import { taskUrls } from '../harness.ts';

const waitMs = 1_000;

function open() {
  const [clock, stop] = [createFakeClock(0), new AbortController()];
  return { clock, stop, late: createLateReports(clock, stop.signal, waitMs) };
}

const task = (leaseId: number, more: Partial<Task> = {}): Task => ({
  ...blankTask,
  ...{ leaseId, hostKey: 'a.test', grantedAtMs: 100 * leaseId, deadlineMs: 100 * leaseId + 50 },
  urls: taskUrls('http://a.test/1', 'http://a.test/2'),
  ...more,
});
const outcome = (index = 0, more: Partial<Outcome> = {}): Outcome => ({
  ...blankOutcome,
  ...{ kind: 'fetched', index },
  ...more,
});

/** Has it come about by now? */
async function isKept(promise: Promise<unknown> | undefined): Promise<boolean> {
  let kept = false;
  void promise?.then(() => (kept = true));
  await new Promise((resolve) => setImmediate(resolve));
  return kept;
}

test('a task waits for older leases of its host that had expired before it was granted', async () => {
  const { late } = open();
  const [first, second] = [task(1), task(2)];
  assert.equal(late.earlier([first]), undefined, 'nothing is running');
  late.begin(first);
  late.begin(second);
  assert.equal(late.earlier([task(9, { hostKey: 'b.test' })]), undefined);
  assert.equal(late.earlier([task(3, { grantedAtMs: first.deadlineMs })]), undefined, 'it did not run out before that');
  const one = late.earlier([task(3, { grantedAtMs: first.deadlineMs + 1 })]);
  const both = late.earlier([task(9, { hostKey: 'b.test' }), task(3)]);
  assert.deepEqual([await isKept(one), await isKept(both)], [false, false]);
  late.durable(first, [], false, 0);
  assert.equal(await isKept(one), false, 'it has more to report');
  late.durable(first, [], true, 0);
  assert.deepEqual([await isKept(one), await isKept(both)], [true, false]);
  late.durable(second, [], true, 0);
  assert.equal(await isKept(both), true);
  assert.equal(late.earlier([task(3)]), undefined);
});

test('a hanging lease delays others for a while, but never the end of the fetcher', async () => {
  const { late, clock, stop } = open();
  late.begin(task(1));
  const waits = late.earlier([task(3)]);
  await clock.advance(waitMs - 1);
  assert.equal(await isKept(waits), false);
  await clock.advance(1);
  assert.equal(await isKept(waits), true);
  const more = late.earlier([task(3)]);
  assert.equal(await isKept(more), false);
  stop.abort();
  assert.equal(await isKept(more), true);
});

test('a report answers a lease that was granted before the report was durable, and no later one', async () => {
  const { late } = open();
  const [first, again] = [task(1), task(2)];
  assert.equal(late.answerTo(again, 0), undefined);
  late.reported(first, outcome(0, { status: 200 }));
  assert.equal(late.answerTo(first, 0), undefined, 'it is its own');
  assert.equal(late.answerTo(again, 1), undefined, 'of another URL');
  const waits = late.answerTo(again, 0);
  assert.equal(await isKept(waits), false);
  // As it was published, which may say more.
  late.durable(first, [outcome(0, { status: 200, detail: 'published' })], true, 500);
  assert.equal((await waits)?.detail, 'published');
  assert.equal((await late.answerTo(again, 0))?.detail, 'published');
  assert.equal((await late.answerTo(task(4, { grantedAtMs: 500 }), 0))?.detail, 'published');
  assert.equal(late.answerTo(task(4, { grantedAtMs: 501 }), 0), undefined, 'it is a visit of its own');
});

test('a report that was durable by its deadline is known to the frontier', () => {
  const { late } = open();
  const first = task(1);
  for (const [atMs, isKnown] of [
    [first.deadlineMs, false],
    [first.deadlineMs + 1, true],
  ] as const) {
    late.reported(first, outcome());
    late.durable(first, [outcome()], true, atMs);
    assert.equal(late.answerTo(task(2, { grantedAtMs: 0 }), 0) !== undefined, isKnown, `${atMs}`);
  }
});

test('a retriable outcome is no answer, nor is a URL that another lease has reported', async () => {
  const { late } = open();
  const [first, second, third] = [task(1), task(2), task(3)];
  late.reported(first, outcome(0, { kind: 'serverError' }));
  late.reported(first, outcome(7));
  assert.equal(late.answerTo(second, 0), undefined);
  late.reported(first, outcome());
  const waits = late.answerTo(third, 0);
  // The newer report takes the older one's place, and whoever waited for that.
  late.reported(second, outcome(0, { status: 404 }));
  late.durable(first, [outcome()], true, 900);
  assert.equal(await isKept(waits), false);
  late.durable(second, [outcome(0, { status: 404 })], true, 900);
  assert.equal((await waits)?.status, 404);
});

test('a stopping fetcher waits for no report', async () => {
  const { late, stop } = open();
  late.reported(task(1), outcome());
  const waits = late.answerTo(task(2), 0);
  stop.abort();
  assert.equal(await waits, null);
  assert.equal(await late.answerTo(task(2), 0), null);
});
