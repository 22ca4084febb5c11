import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Task } from '../../../../schemas/types.ts';
import { createTaskIntake } from '../../../../services/fetcher/leases/intake.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { partitionOf } from '../../../../topology/url/partition.ts';
import { taskUrls } from '../harness.ts';

const partitions = 8;
const home = partitionOf('a.test', partitions);
const elsewhere = (home + 1) % partitions;
const codec = await openCodec(createMemoryRegistry(), 't');
const wait = { clock: new SystemClock(), signal: new AbortController().signal, isHeld: () => true };
const named = { codec, partitions, keyMode: 'host' } as const;

/** The record of a task of a.test, as it lies in a partition of `tasks`. */
function lying(partition: number, granted: Partial<Task> = {}) {
  const value = codec.encode('tasks', {
    partition: home,
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
    serverErrorsMax: 0,
    serverErrors: 0,
    signatures: false,
    policyVersion: 1,
    robotsHops: [],
    sitemaps: { sinceMs: -1, origin: '', urls: [] },
    urls: taskUrls('http://a.test/'),
    ...granted,
  });
  return { topic: 't.tasks', partition, offset: 0, timestampMs: 0, key: null, value, headers: {} };
}

test('a task on a wrong partition is a dead letter and does not run', async () => {
  const intake = createTaskIntake(named);
  for (const record of [lying(elsewhere), lying(home, { partition: elsewhere })]) {
    const { tasks, deadLetters, misrouted, positions } = await intake.take([record], wait);
    assert.deepEqual([tasks, misrouted, positions.length], [[], 1, 1]);
    const { deadLetter } = deadLetters[0]!;
    assert.deepEqual([deadLetter.reason, deadLetter.hostKey], ['misrouted', 'a.test']);
    assert.deepEqual(deadLetter.original, record.value);
  }
  assert.equal((await intake.take([lying(home)], wait)).tasks.length, 1);
});

test('a task is accepted once, and again only if it was returned unstarted', async () => {
  const hop = { url: 'http://a.test/robots.txt', asked: ['http://b.test/robots.txt'], partition: elsewhere };
  const record = lying(elsewhere, { urls: [], robotsHops: [hop] });
  const intake = createTaskIntake(named);
  const [taken] = (await intake.take([record], wait)).tasks;
  assert.equal(taken?.task.leaseId, 7);
  assert.equal(taken.readFrom, elsewhere, 'which need not be the partition that granted it');
  assert.deepEqual((await intake.take([record], wait)).tasks, []);
  intake.forget(taken.task);
  assert.equal((await intake.take([record], wait)).tasks.length, 1);
});

test('a task with an impossible number is a dead letter that names the field, and does not run', async () => {
  const intake = createTaskIntake(named);
  const [url] = taskUrls('http://a.test/');
  const { tasks, deadLetters } = await intake.take([lying(home, { urls: [{ ...url!, depth: 2 ** 31 - 2 }] })], wait);
  assert.deepEqual(tasks, []);
  const { deadLetter } = deadLetters[0]!;
  assert.deepEqual([deadLetter.reason, deadLetter.hostKey], ['undecodable', 'a.test']);
  assert.match(deadLetter.detail, /^urls\[0\]\.depth is 2147483646, but must be from 0 to 1000000/);
});

test('a task with a URL that is none is a dead letter that names the field, and does not run', async () => {
  const intake = createTaskIntake(named);
  const [sound] = taskUrls('http://a.test/');
  for (const url of ['', 'a.test', 'https://a.test:99999/', 'javascript:1', `https://${'a'.repeat(300)}:x/`]) {
    const hop = { url, asked: [], partition: home };
    for (const [field, granted] of [
      ['urls[1].url', { urls: [sound!, { ...sound!, url }] }],
      ['robotsHops[0].url', { urls: [], robotsHops: [hop] }],
    ] as const) {
      const { tasks, deadLetters } = await intake.take([lying(home, granted)], wait);
      assert.deepEqual(tasks, []);
      const { reason, detail, hostKey } = deadLetters[0]!.deadLetter;
      assert.deepEqual([reason, hostKey, detail.startsWith(`${field} is "`)], ['undecodable', 'a.test', true], detail);
      assert.ok(detail.length < 400);
    }
  }
  assert.equal((await intake.take([lying(home)], wait)).tasks.length, 1);
});

test('a task with a URL of another host is a dead letter that names the field, and does not run', async () => {
  const intake = createTaskIntake(named);
  const [sound] = taskUrls('http://a.test/');
  const others = [
    ...['http://b.test/', 'http://www.a.test/', 'http://a.test:8080/', 'http://a.test@b.test/', 'http:b.a.test/'],
    ...['http://b.test\\a.test/', 'http://a.test./', 'http://a.test.b.test/a.test/'],
  ];
  for (const url of others)
    for (const [field, bad] of [
      ['urls[1].url', { ...sound!, url }],
      ['urls[1].normal', { ...sound!, normal: url }],
    ] as const) {
      const { tasks, deadLetters } = await intake.take([lying(home, { urls: [sound!, bad] })], wait);
      assert.deepEqual(tasks, [], url);
      const { reason, detail, hostKey } = deadLetters[0]!.deadLetter;
      assert.deepEqual([reason, hostKey, detail.startsWith(`${field} is "`)], ['undecodable', 'a.test', true], detail);
      assert.match(detail, /must be a URL of a\.test/);
    }
  const own = ['https://a.test/x', 'http://a.test:80/x', 'http://a.test/?u=http://b.test/'];
  assert.equal(
    (await intake.take([lying(home, { urls: own.map((url) => ({ ...sound!, url })) })], wait)).tasks.length,
    1,
  );
});
