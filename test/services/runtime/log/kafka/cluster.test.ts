/** Leaders and brokers as a cluster's metadata shows them, from a broker that the test plays. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createBrokerWatch } from '../../../../../services/runtime/log/kafka/broker-watch.ts';
import { openCluster } from '../../../../../services/runtime/log/kafka/cluster.ts';
import { type Script, type ScriptedMetadata, startScriptedBroker } from './scripted-broker.ts';

const times = { openTimeoutMs: 5_000, patienceMs: 5_000, metadataMs: 600_000 };

async function cluster(t: TestContext, script: Script = {}) {
  const broker = await startScriptedBroker(t, script);
  const options = { clientId: 'test', credentials: () => ({}) };
  const watch = createBrokerWatch(() => {});
  const opened = await openCluster([{ host: '127.0.0.1', port: broker.port }], options, times, watch);
  t.after(() => opened.close());
  return { broker, cluster: opened };
}

test('a partition has a leader with its epoch and address, known from the first question on', async (t) => {
  const { broker, cluster: known } = await cluster(t);
  assert.deepEqual([known.knownLeaderOf('t', 0), known.epochOf('t', 0)], [undefined, -1]);
  const { node, epoch } = await known.leader('t', 0);
  assert.deepEqual([node, epoch, await known.leaderOf('t', 0), await known.partitionCount('t')], [1, 0, 1, 1]);
  assert.deepEqual([known.knownLeaderOf('t', 0), known.epochOf('t', 0)], [1, 0]);
  assert.deepEqual([known.addressOf(1), known.addressOf(2)], [`127.0.0.1:${broker.port}`, undefined]);
  assert.deepEqual([known.brokerCount(), await known.nodeIds()], [1, [1]]);
  await assert.rejects(known.leader('t', 1), {
    code: 'INVALID_ARGUMENT',
    message: 'topic t has no partition 1, only 0 to 0',
  });
  known.drop('t');
  assert.deepEqual([known.knownLeaderOf('t', 0), known.epochOf('t', 0)], [undefined, -1]);
});

test('a topic that does not exist is asked for some times, and then an error that names it', async (t) => {
  const { cluster: known } = await cluster(t, { create: () => ({}) });
  assert.deepEqual(await known.look(['none']), [undefined]);
  await assert.rejects(known.leaderOf('none', 0), {
    code: 'INVALID_ARGUMENT',
    message: 'topic none does not exist: create it first',
  });
});

test('a partition without a leader is an error that passes once it has one', async (t) => {
  let leader = -1;
  let port = 0;
  const metadata = (): ScriptedMetadata => ({ brokers: [{ nodeId: 1, port }], leader, epoch: 3 });
  const opened = startScriptedBroker(t, { metadata });
  port = (await opened).port;
  const options = { clientId: 'test', credentials: () => ({}) };
  const known = await openCluster(
    [{ host: '127.0.0.1', port }],
    options,
    times,
    createBrokerWatch(() => {}),
  );
  t.after(() => known.close());
  await assert.rejects(known.leader('t', 0), {
    code: 'BROKER_UNREACHABLE',
    message: 't/0 has no leader at the moment',
  });
  await assert.rejects(known.look(['t']), { code: 'BROKER_UNREACHABLE', message: 'topic t has no leaders yet' });
  assert.equal(known.knownLeaderOf('t', 0), undefined);
  // A broker that is in nobody's list leads nothing.
  leader = 9;
  await assert.rejects(known.leader('t', 0), { code: 'BROKER_UNREACHABLE' });
  assert.equal(known.knownLeaderOf('t', 0), undefined);
  leader = 1;
  assert.equal(await known.leaderOf('t', 0), 1, 'it is asked for again');
  assert.deepEqual(await known.look(['t']), [1]);
});

test('a broker may have the number 0', async (t) => {
  let port = 0;
  const metadata = (): ScriptedMetadata => ({ brokers: [{ nodeId: 0, port }], leader: 0, epoch: 1 });
  port = (await startScriptedBroker(t, { metadata })).port;
  const known = await openCluster(
    [{ host: '127.0.0.1', port }],
    { clientId: 'test', credentials: () => ({}) },
    times,
    createBrokerWatch(() => {}),
  );
  t.after(() => known.close());
  assert.deepEqual(await known.look(['t']), [1]);
  assert.equal(await known.leaderOf('t', 0), 0);
  assert.equal(known.knownLeaderOf('t', 0), 0);
  known.forget('t', 0);
  await known.lookAgain(0);
  assert.equal(known.knownLeaderOf('t', 0), 0);
});

test('a leader is the newest known one, or an error that passes', async (t) => {
  const { cluster: known } = await cluster(t);
  const leader = await known.leader('t', 0);
  known.expectLeader('t', 0, leader);
  for (const other of [
    { ...leader, node: 2 },
    { ...leader, epoch: 1 },
  ])
    assert.throws(() => known.expectLeader('t', 0, other), {
      code: 'BROKER_UNREACHABLE',
      message: `t/0 has another leader than broker ${other.node}`,
    });
  assert.throws(() => known.expectLeader('t', 1, leader), { code: 'BROKER_UNREACHABLE' });
  known.saw('t', 0, 5);
  assert.throws(() => known.expectLeader('t', 0, leader), { code: 'BROKER_UNREACHABLE' }, 'a record is newer');
});

test('leaders are asked for again when one does not answer, and not for brokers that lead nothing', async (t) => {
  const { broker, cluster: known } = await cluster(t);
  await known.leader('t', 0);
  const asked = () => broker.metadataAsked.length;
  const before = asked();
  await known.lookAgain(2);
  assert.equal(asked(), before);
  await known.lookAgain(1);
  assert.equal(asked(), before + 1);
  await known.leader('t', 0);
  assert.equal(asked(), before + 1);
  known.forget('t');
  assert.equal(known.knownLeaderOf('t', 0), undefined);
  await Promise.all([known.leader('t', 0), known.leader('t', 0)]);
  assert.ok(asked() > before + 1 && asked() <= before + 3);
  await known.askMost('t');
});
