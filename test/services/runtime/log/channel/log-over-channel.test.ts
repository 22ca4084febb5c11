/** A log behind a channel: what each side does with calls that overlap, and what callers of the other side see. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logOverChannel } from '../../../../../services/runtime/log/channel/log-over-channel.ts';
import { type Channel, createChannel } from '../../../../../services/runtime/log/channel/message-channel.ts';
import { serveLog } from '../../../../../services/runtime/log/channel/serve-log.ts';
import type { GroupOptions, Log, LogReader, LogRecord } from '../../../../../services/runtime/log/log.ts';
import { CrawlstreamError } from '../../../../../topology/errors.ts';
import { until } from '../../../until.ts';
import { streamPair } from './stream-pair.ts';

const noFault = (error: unknown): void => {
  throw error;
};

/** A log over a channel to the one that the test plays, and the end of the process that has it. */
function over(there: Partial<Log>) {
  const [ours, theirs] = streamPair();
  const server = serveLog(there as Log, () => serving);
  const serving: Channel = createChannel(theirs, server.served, noFault);
  const client = logOverChannel(() => channel);
  const channel: Channel = createChannel(ours, client.served, noFault);
  return { log: client.log, server, channel };
}

/** A reader whose acts are noted, and whose polls the test answers. */
function playedReader() {
  const acts: string[] = [];
  const polls: ((records: readonly LogRecord[]) => void)[] = [];
  const note =
    (name: string) =>
    (...given: readonly unknown[]) =>
      void acts.push([name, ...given.filter((one) => one !== undefined).map((one) => JSON.stringify(one))].join(' '));
  const reader: LogReader = {
    ...{ seek: note('seek'), drop: note('drop'), pause: note('pause'), resume: note('resume'), wake: note('wake') },
    poll: () => new Promise((resolve) => polls.push((records) => resolve([...records]))),
    close: async () => note('close')(),
  };
  return { reader, acts, polls };
}

const record = (partition: number, offset: number): LogRecord => ({
  ...{ topic: 't', partition, offset, timestampMs: 5, key: null },
  ...{ value: Buffer.from(`${offset}`), headers: { a: 'b' } },
});
const places = (records: readonly LogRecord[]) => records.map(({ partition, offset }) => `${partition}/${offset}`);
const all = { maxBytes: 1_000, waitMs: 1_000 };

test('records arrive with all that they have, and a partition’s own acts reach its reader', async () => {
  const { reader: played, acts, polls } = playedReader();
  const { log } = over({ reader: () => played });
  const reader = log.reader();
  reader.seek('t', 0, 7, { end: 7, leaderEpoch: 2 });
  const polled = reader.poll(all);
  await until(() => polls.length === 1);
  polls.shift()!([{ ...record(0, 7), key: Buffer.from('k') }]);
  assert.deepEqual(await polled, [{ ...record(0, 7), key: Buffer.from('k') }]);
  reader.wake();
  reader.pause('t', 1);
  reader.pause('t', 0);
  reader.resume('t', 0);
  reader.drop('t', 0);
  await reader.close();
  assert.deepEqual(acts, [
    'seek "t" 0 7 {"end":7,"leaderEpoch":2}',
    'wake',
    'pause "t" 0',
    'resume "t" 0',
    'drop "t" 0',
    'close',
  ]);
});

test('records that were under way are dropped after a seek or a drop of their partition, and others are not', async () => {
  const { reader: played, polls } = playedReader();
  const { log } = over({ reader: () => played });
  const reader = log.reader();
  for (const partition of [0, 1, 2]) reader.seek('t', partition, 0);
  const polled = reader.poll(all);
  await until(() => polls.length === 1);
  // The other side has not heard of these when it answers.
  polls.shift()!([record(0, 0), record(1, 0), record(2, 0)]);
  reader.seek('t', 0, 5);
  reader.drop('t', 1);
  assert.deepEqual(places(await polled), ['2/0']);
  const next = reader.poll(all);
  await until(() => polls.length === 1);
  polls.shift()!([record(0, 5), record(2, 1)]);
  assert.deepEqual(places(await next), ['0/5', '2/1']);
});

test('records of a paused partition are read again from the first of them, once', async () => {
  const { reader: played, acts, polls } = playedReader();
  const { log } = over({ reader: () => played });
  const reader = log.reader();
  reader.seek('t', 0, 3);
  reader.seek('t', 1, 0);
  const polled = reader.poll(all);
  await until(() => polls.length === 1);
  polls.shift()!([record(0, 3), record(0, 4), record(1, 0)]);
  reader.pause('t', 0);
  assert.deepEqual(places(await polled), ['1/0']);
  reader.resume('t', 0);
  const next = reader.poll(all);
  await until(() => polls.length === 1);
  assert.deepEqual(acts.slice(2), ['pause "t" 0', 'seek "t" 0 3', 'resume "t" 0']);
  polls.shift()!([record(0, 3), record(0, 4)]);
  assert.deepEqual(places(await next), ['0/3', '0/4']);
});

test('a partition that is dropped while it is paused is not paused when it is read again', async () => {
  const { reader: played, polls } = playedReader();
  const { log } = over({ reader: () => played });
  const reader = log.reader();
  reader.seek('t', 0, 0);
  reader.pause('t', 0);
  reader.drop('t', 0);
  reader.pause('t', 0);
  reader.seek('t', 0, 1);
  const polled = reader.poll(all);
  await until(() => polls.length === 1);
  polls.shift()!([record(0, 1)]);
  assert.deepEqual(places(await polled), ['0/1']);
});

test('an error of a seek is the error of the next poll', async () => {
  const { reader: played } = playedReader();
  const seek = () => {
    throw new CrawlstreamError('INVALID_ARGUMENT', 'no such partition');
  };
  const { log } = over({ reader: () => ({ ...played, seek }) });
  const reader = log.reader();
  reader.seek('t', 9, 0);
  await assert.rejects(reader.poll(all), { code: 'INVALID_ARGUMENT', message: 'no such partition' });
});

test('one poll runs at a time, and none once the reader is closed', async () => {
  const { reader: played, acts, polls } = playedReader();
  const { log } = over({ reader: () => played });
  const reader = log.reader();
  const polled = reader.poll(all);
  await assert.rejects(reader.poll(all), /one poll at a time/);
  await until(() => polls.length === 1);
  polls.shift()!([]);
  assert.deepEqual(await polled, []);
  await reader.close();
  await reader.close();
  assert.deepEqual(acts, ['close']);
  await assert.rejects(reader.poll(all), { code: 'STORE_CLOSED' });
});

test('a log that closes waits for its appends, whatever becomes of them, closes its readers and takes no calls', async () => {
  const { reader: played, acts, polls } = playedReader();
  const ends: (() => void)[] = [];
  const { log } = over({
    reader: () => played,
    append: (records, options) =>
      new Promise((resolve, reject) =>
        ends.push(() => (records.length > 1 ? reject(new CrawlstreamError('DISK_FULL', 'no room')) : resolve([7]))),
      ).then((offsets) => [...(offsets as number[]), options?.leads ? 1 : 0]),
  });
  const one = { topic: 't', partition: 0, key: null, value: Buffer.from('a') };
  const appends = [log.append([one], { leads: true }), log.append([one, one]), log.append([one])];
  const failed = assert.rejects(appends[1]!, { code: 'DISK_FULL', message: 'no room' });
  const reader = log.reader();
  const polled = reader.poll(all).catch(() => 'ended');
  await until(() => ends.length === 3 && polls.length === 1);
  let isClosed = false;
  const closing = log.close().then(() => (isClosed = true));
  await assert.rejects(log.append([one]), { code: 'STORE_CLOSED' });
  for (const call of [() => log.offsets('t', 0), () => log.committed('g', 't', 0), () => log.last('t', 0)])
    await assert.rejects(call(), { code: 'STORE_CLOSED' });
  assert.throws(() => log.reader(), { code: 'STORE_CLOSED' });
  assert.deepEqual([isClosed, acts], [false, []]);
  for (const end of ends) end();
  assert.deepEqual(await appends[0], [7, 1]);
  assert.deepEqual(await appends[2], [7, 0]);
  await failed;
  await closing;
  assert.deepEqual(acts, ['close']);
  polls.shift()!([]);
  await polled;
  await log.close();
});

test('calls pass their arguments and results on', async () => {
  const given: unknown[] = [];
  const answering =
    <T>(result: T) =>
    async (...args: readonly unknown[]) => {
      given.push(args);
      return result;
    };
  const { log } = over({
    partitionsOf: answering(4),
    offsets: answering({ start: 1, end: 9 }),
    offsetAt: answering(3),
    last: async (_, partition) => (partition === 0 ? record(0, 8) : undefined),
    trim: answering(undefined),
    commit: answering(undefined),
    committedAll: answering(new Map([[1, 5]])),
    groups: answering([{ group: 'g', members: 2 }]),
    forgetGroup: answering(undefined),
    membersOf: answering([]),
    createTopics: answering(undefined),
  });
  assert.equal(await log.partitionsOf('t'), 4);
  assert.deepEqual(await log.offsets('t', 1), { start: 1, end: 9 });
  assert.equal(await log.offsetAt('t', 1, 77), 3);
  assert.deepEqual([await log.last('t', 0), await log.last('t', 1)], [record(0, 8), undefined]);
  await log.trim('t', 1, 6);
  await log.commit('g', [{ topic: 't', partition: 1, offset: 5 }]);
  assert.deepEqual([await log.committed('g', 't', 1), await log.committed('g', 't', 2)], [5, undefined]);
  assert.deepEqual(await log.groups('g'), [{ group: 'g', members: 2 }]);
  await log.forgetGroup('g');
  assert.deepEqual(await log.membersOf('g'), []);
  await log.createTopics([{ name: 't', partitions: 2, retention: 'time' }]);
  assert.deepEqual(given, [
    ['t'],
    ['t', 1],
    ['t', 1, 77],
    ['t', 1, 6],
    ['g', [{ topic: 't', partition: 1, offset: 5 }]],
    ['g', 't', [1]],
    ['g', 't', [2]],
    ['g'],
    ['g'],
    ['g'],
    [[{ name: 't', partitions: 2, retention: 'time' }]],
  ]);
});

/** A group in the other process: what was joined with, and how often it was left. */
function playedGroup() {
  let joined: GroupOptions | undefined;
  const left: string[] = [];
  let members = 3;
  const there: Partial<Log> = {
    join: async (options) => {
      joined = options;
      return {
        name: 'm-1',
        get members() {
          return members;
        },
        leave: async () => void left.push(options.group),
      };
    },
  };
  return {
    there,
    left,
    options: () => joined!,
    assign: (count: number, ...partitions: readonly number[]) => {
      members = count;
      joined!.onAssigned(partitions, [{ partition: 9, rank: 1 }]);
    },
  };
}

test('a member learns of its partitions, of the number of members and of a failure, until it has left', async () => {
  const group = playedGroup();
  const { log, channel } = over(group.there);
  const reports: unknown[] = [];
  const membership = await log.join({
    ...{ group: 'g', topics: ['t'], instanceId: 'i', standbys: 1, holds: () => [1], caughtUp: () => [] },
    onAssigned: (partitions, standbys) => reports.push([...partitions, standbys]),
    onFailure: (error) => reports.push(error),
  });
  const { onAssigned: _, onFailure: __, ...joining } = group.options();
  assert.deepEqual(joining, { group: 'g', topics: ['t'], instanceId: 'i', standbys: 1 }, 'without its callbacks');
  assert.deepEqual([membership.name, membership.members], ['m-1', 3]);
  group.assign(5, 1, 2);
  await until(() => reports.length === 1);
  assert.deepEqual([reports[0], membership.members], [[1, 2, [{ partition: 9, rank: 1 }]], 5]);
  group.options().onFailure(new CrawlstreamError('OWNERSHIP_LOST', 'fenced'));
  await until(() => reports.length === 2);
  assert.ok(reports[1] instanceof CrawlstreamError);
  assert.deepEqual([reports[1].code, reports[1].message], ['OWNERSHIP_LOST', 'fenced']);
  await membership.leave();
  assert.deepEqual(group.left, ['g']);
  group.assign(1, 7);
  group.options().onFailure(new Error('late'));
  await channel.call('log.membersOf', 'g').catch(() => {});
  assert.equal(reports.length, 2, 'a member that has left hears nothing');
});

test('readers and memberships of a process that is gone are closed and left, also if one of them fails', async () => {
  const group = playedGroup();
  const { reader: first, acts } = playedReader();
  const { reader: second, acts: others } = playedReader();
  const readers = [{ ...first, close: () => Promise.reject(new Error('broken')) }, second];
  const { log, server } = over({ ...group.there, reader: () => readers.shift()! });
  await log.join({ group: 'g', topics: ['t'], onAssigned: () => {}, onFailure: () => {} });
  for (const reader of [log.reader(), log.reader()]) reader.seek('t', 0, 0);
  await until(() => acts.length === 1 && others.length === 1);
  await server.close();
  assert.deepEqual([group.left, others], [['g'], ['seek "t" 0 0', 'close']]);
  await server.close();
  assert.equal(group.left.length, 1);
});
