/** A partition that had no owner for longer than its leases last: what their fetchers reported meanwhile waits in the log. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankOutcome, blankResult } from '../../../../schemas/blank.ts';
import type { Task } from '../../../../schemas/types.ts';
import type { Clock } from '../../../../services/runtime/clock.ts';
import type { Log } from '../../../../services/runtime/log/log.ts';
import { frontierLimits } from '../../../../topology/frontier/frontier-limits.ts';
import { clock, type Harness, startHarness, until } from '../owner-harness.ts';

const limit = { timeout: 60_000 };
const awayMs = 600_000;

/** The same clock, so far ahead as `by` says. */
function ahead(by: () => number): Clock {
  return {
    nowMs: () => clock.nowMs() + by(),
    sleepUntil: (untilMs, signal) => clock.sleepUntil(untilMs - by(), signal),
  };
}

/** As over a socket: the first polls after an opening bring nothing of this topic yet. */
function slowToBegin(log: Log, topic: string, polls: number): Log {
  return {
    ...log,
    reader() {
      const reader = log.reader();
      let left = polls;
      return {
        seek: reader.seek.bind(reader),
        drop: reader.drop.bind(reader),
        pause: reader.pause.bind(reader),
        resume: reader.resume.bind(reader),
        wake: reader.wake.bind(reader),
        close: reader.close.bind(reader),
        async poll(options) {
          if (left > 0) {
            left -= 1;
            reader.pause(topic, 0);
            const records = await reader.poll({ ...options, waitMs: Math.min(options.waitMs, 20) });
            reader.resume(topic, 0);
            return records;
          }
          return reader.poll(options);
        },
      };
    },
  };
}

async function granted(harness: Harness, hosts: number): Promise<readonly Task[]> {
  await harness.discover(hosts);
  const owner = harness.owner();
  const run = owner.run();
  await until(async () => (await harness.tasks()).length === hosts);
  owner.stop();
  await run;
  return harness.tasks();
}

async function report({ log, codec }: Harness, tasks: readonly Task[]): Promise<void> {
  await log.append(
    tasks.map((task) => {
      const { partition, epoch, leaseId, hostKey } = task;
      const outcomes = task.urls.map(({ url }, index) => ({
        ...blankOutcome,
        ...{ kind: 'fetched' as const, status: 200, bytes: 1, index, url },
      }));
      const result = {
        ...blankResult,
        ...{ partition, epoch, leaseId, hostKey, fetcherId: 'f', last: true, completedAtMs: clock.nowMs(), outcomes },
      };
      return { topic: 't.results', partition: 0, key: Buffer.from(hostKey), value: codec.encode('results', result) };
    }),
  );
}

test('results that waited are accepted, and none of their URLs is leased again', limit, async () => {
  const harness = await startHarness();
  const tasks = await granted(harness, 5);
  await report(harness, tasks);
  const next = harness.owner({ clock: ahead(() => awayMs), log: slowToBegin(harness.log, 't.results', 8) });
  const run = next.run();
  await until(() => next.committed?.counters.leases === 0 && next.committed?.counters.page === 5);
  next.stop();
  await run;
  assert.equal((await harness.tasks()).length, 5, 'each URL was leased once');
});

test('leases without a report end a little later, and are granted again', limit, async () => {
  const harness = await startHarness();
  await granted(harness, 2);
  let movedMs = awayMs;
  const next = harness.owner({ clock: ahead(() => movedMs) });
  const run = next.run();
  await until(() => next.committed !== undefined);
  assert.equal(next.committed?.counters.leases, 2);
  movedMs += frontierLimits.expiryHoldMs;
  await until(async () => (await harness.tasks()).length === 4);
  next.stop();
  await run;
});
