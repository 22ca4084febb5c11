/** The log on Kafka as a process has it, on a broker that the test plays. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type KafkaLogOptions, openKafkaLog } from '../../../../../services/runtime/log/kafka/kafka-log.ts';
import { encodeMetadata, shareOut } from '../../../../../services/runtime/log/kafka/member-data.ts';
import { until } from '../../../until.ts';
import { type Script, startScriptedBroker } from './scripted-broker.ts';

async function open(t: TestContext, script: Script = {}, options: Partial<KafkaLogOptions> = {}) {
  const broker = await startScriptedBroker(t, script);
  const log = await openKafkaLog({ brokers: [broker.address], clientId: 'test', heartbeatMs: 5, ...options });
  t.after(() => log.close());
  return { broker, log };
}

const metadata = encodeMetadata(
  { group: 'g', topics: ['t'], onAssigned: () => {}, onFailure: () => {} },
  { owned: [], generation: 1, standbys: [], warmingMs: {} },
);
/** Partition 0 of `t`. */
const assignment = () => shareOut([{ memberId: 'm', memberMetadata: metadata }], ['t'], 1)[0]!.memberAssignment;
const joining = { group: 'g', topics: ['t'], onAssigned: () => {}, onFailure: assert.ifError };
const position = (partition: number, offset: number) => ({ topic: 't', partition, offset });

test('an address of a broker is a host and a port, and each other one is refused by name', async (t) => {
  const broker = await startScriptedBroker(t, {});
  for (const bad of ['', 'host', 'host:', ':9092', 'host:70000', 'host:65536', 'host:123456', 'host:x'])
    await assert.rejects(openKafkaLog({ brokers: [broker.address, bad], clientId: 'test' }), {
      code: 'INVALID_ARGUMENT',
      message: `broker "${bad}" is not an address: write host:port`,
    });
  for (const good of [` ${broker.address} `, `[127.0.0.1]:${broker.port}`])
    await (await openKafkaLog({ brokers: [good], clientId: 'test' })).close();
  // Behind the highest port is none.
  await assert.rejects(openKafkaLog({ brokers: ['127.0.0.1:65535'], clientId: 'test', openTimeoutMs: 1 }), {
    code: 'BROKER_UNREACHABLE',
    message: /127\.0\.0\.1:65535/,
  });
});

test('a process outside a group commits its positions while the group has no members', async (t) => {
  const commits: unknown[] = [];
  let error = 0;
  const { log } = await open(t, {
    group: {
      assignment,
      commit: (by, positions) => {
        commits.push({ ...by, positions });
        return error;
      },
    },
  });
  await log.commit('g', []);
  assert.deepEqual(commits, []);
  await log.commit('g', [position(0, 5), { topic: 'u', partition: 1, offset: 6 }]);
  assert.deepEqual(commits, [{ member: '', generation: -1, positions: ['t/0@5', 'u/1@6'] }]);
  error = 25;
  await assert.rejects(log.commit('g', [position(0, 6)]), {
    code: 'GROUP_ACTIVE',
    message: 'group g has members: only they commit its positions',
  });
});

test('a member commits in its generation, and only positions of partitions that it holds', async (t) => {
  const commits: string[] = [];
  const { log } = await open(t, {
    group: {
      assignment,
      commit: ({ member, generation }, positions) => {
        commits.push(`${member} ${generation} ${positions}`);
        return 0;
      },
    },
  });
  const membership = await log.join(joining);
  await assert.rejects(log.join(joining), {
    code: 'INVALID_ARGUMENT',
    message: 'this process is already in group g',
  });
  await log.commit('g', [position(0, 5)]);
  const lost = (partition: number) => ({
    code: 'OWNERSHIP_LOST',
    message: `t/${partition} is not this member's of group g any more: its position is not committed`,
  });
  await assert.rejects(log.commit('g', [position(0, 6), position(1, 1)]), lost(1));
  await membership.leave();
  await assert.rejects(log.commit('g', [position(0, 6)]), lost(0));
  assert.deepEqual(commits, ['m 1 t/0@5']);
  await log.join(joining);
  await log.commit('g', [position(0, 7)]);
  assert.deepEqual(commits.slice(1), ['m 2 t/0@7']);
});

test('a commit during a rebalance is tried again in the next generation', async (t) => {
  const generations: number[] = [];
  let isRebalancing = false;
  const { log } = await open(t, {
    group: {
      assignment,
      heartbeat: () => {
        if (!isRebalancing) return 0;
        isRebalancing = false;
        return 27;
      },
      commit: ({ generation }) => {
        generations.push(generation);
        if (generations.length === 1) isRebalancing = true;
        return generation === 1 ? 27 : 0;
      },
    },
  });
  await log.join(joining);
  await log.commit('g', [position(0, 5)]);
  assert.equal(generations.at(-1), 2);
  assert.deepEqual(log.tallies!().rebalances.get('g'), 2);
});

test('a position of a partition that was away from its member since the call is not committed', async (t) => {
  let [commits, assignments, isRebalancing] = [0, 0, false];
  const { log } = await open(t, {
    group: {
      // The partition goes to another member, and comes back.
      assignment: (nth) => (nth === 1 ? Buffer.alloc(0) : assignment()),
      heartbeat: () => (isRebalancing ? 27 : 0),
      commit: () => {
        commits += 1;
        isRebalancing = true;
        return 27;
      },
    },
  });
  await log.join({
    ...joining,
    onAssigned: () => {
      assignments += 1;
      if (assignments === 3) isRebalancing = false;
    },
  });
  await assert.rejects(log.commit('g', [position(0, 5)]), { code: 'OWNERSHIP_LOST' });
  assert.equal(commits, 1);
});

test('credentials that cannot be read for a moment are the last ones that could', async (t) => {
  const reads: string[] = [];
  let isHalfWritten = false;
  const { broker, log } = await open(
    t,
    { fetch: () => ({}) },
    {
      credentials: () => {
        reads.push(isHalfWritten ? 'failed' : 'read');
        if (isHalfWritten) throw new Error('half of a file');
        return {};
      },
    },
  );
  isHalfWritten = true;
  const reader = log.reader();
  reader.seek('t', 0, 0);
  // A reader has its own connection.
  await reader.poll({ maxBytes: 1, waitMs: 1 });
  await until(() => broker.fetches.length > 0);
  assert.ok(reads.includes('failed'));
  const failing = () => {
    throw new Error('no file');
  };
  const first = openKafkaLog({ brokers: [broker.address], clientId: 'test', credentials: failing });
  await assert.rejects(first, /no file/);
});

test('a log counts its requests, and says which brokers are away and which appends are blocked', async (t) => {
  const { log } = await open(t, { create: () => ({}) });
  assert.deepEqual([log.brokersAway!(), log.appendsBlocked!()], [null, null]);
  assert.equal(await log.partitionsOf('t'), 0);
  await log.createTopics([{ name: 't', partitions: 1, retention: 'time' }]);
  assert.equal(await log.partitionsOf('t'), 1);
  const { count, failures } = log.tallies!().requests.get('Metadata')!;
  assert.ok(count >= 3);
  assert.equal(failures, 0);
  await assert.rejects(openKafkaLog({ brokers: ['127.0.0.1:1'], clientId: 'test', openTimeoutMs: 1 }), {
    code: 'BROKER_UNREACHABLE',
  });
});

test('a log that is closed takes no calls, and closes once', async (t) => {
  const { log } = await open(t, { group: { assignment } });
  let isOut = false;
  const membership = await log.join(joining);
  const reader = log.reader();
  reader.seek('t', 0, 0);
  const closing = log.close();
  assert.equal(log.close(), closing);
  for (const call of [
    () => log.createTopics([{ name: 't', partitions: 1, retention: 'time' }]),
    () => log.deleteTopics!(['t']),
    () => log.partitionsOf('t'),
    () => log.join({ ...joining, group: 'h' }),
  ])
    await assert.rejects(call(), { code: 'STORE_CLOSED', message: 'the log is closed' });
  assert.throws(() => log.reader(), { code: 'STORE_CLOSED' });
  await closing;
  await membership.leave().then(() => (isOut = true));
  assert.ok(isOut);
  await assert.rejects(reader.poll({ maxBytes: 1, waitMs: 1 }), { code: 'STORE_CLOSED' });
});
