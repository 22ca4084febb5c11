import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTaskIntake } from '../../../../services/fetcher/leases/intake.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { taskUrls } from '../harness.ts';

test('a task is taken once, and again only where it was given back unstarted', async () => {
  const codec = await openCodec(createMemoryRegistry(), 't');
  const value = codec.encode('tasks', {
    partition: 3,
    epoch: 1,
    leaseId: 7,
    hostKey: 'a.test',
    grantedAtMs: 1,
    deadlineMs: 60_000,
    notBeforeMs: 0,
    lanes: 1,
    delayMs: 0,
    crawlDelayCapMs: 0,
    delayFactor: 0,
    signatures: false,
    policyVersion: 1,
    robotsHops: [],
    sitemaps: { sinceMs: -1, origin: '', urls: [] },
    urls: taskUrls('http://a.test/'),
  });
  const record = { topic: 't.tasks', partition: 5, offset: 0, timestampMs: 0, key: null, value, headers: {} };
  const intake = createTaskIntake({ codec, deadLetterTopic: 't.dead-letters' });
  const wait = { clock: new SystemClock(), signal: new AbortController().signal, isHeld: () => true };
  const [taken] = (await intake.take([record], wait)).tasks;
  assert.equal(taken?.task.leaseId, 7);
  assert.equal(taken.readFrom, 5, 'which need not be the partition that granted it');
  assert.deepEqual((await intake.take([record], wait)).tasks, []);
  intake.forget(taken.task);
  assert.equal((await intake.take([record], wait)).tasks.length, 1);
});
