/** Several brokers of a cluster, of which some are away, lag behind or have forgotten a leader. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createBrokerWatch } from '../../../../../services/runtime/log/kafka/broker-watch.ts';
import { openCluster } from '../../../../../services/runtime/log/kafka/cluster.ts';
import { raw } from '../../../../../services/runtime/log/kafka/kafkajs-wire.ts';
import { until } from '../../../until.ts';
import { type ScriptedBroker, type ScriptedMetadata, startScriptedBroker } from './scripted-broker.ts';

interface Known {
  leader: number;
  epoch: number;
  /** It breaks each connection that asks for metadata. */
  isAway?: boolean;
}

/** Brokers 1 to `known.length`, each of which says what the test has it know. */
async function brokers(t: TestContext, known: readonly Known[], metadataMs = 600_000) {
  const started: ScriptedBroker[] = [];
  const listed = () => started.map(({ port }, n) => ({ nodeId: n + 1, port }));
  for (const one of known) {
    const metadata = (): ScriptedMetadata | undefined =>
      one.isAway ? undefined : { brokers: listed(), leader: one.leader, epoch: one.epoch };
    started.push(await startScriptedBroker(t, { metadata, group: { assignment: () => Buffer.alloc(0) } }));
  }
  const reported: string[] = [];
  const open = async (...bootstrap: readonly number[]) => {
    const addresses = bootstrap.map((n) => ({ host: '127.0.0.1', port: started[n - 1]!.port }));
    const times = { openTimeoutMs: 5_000, patienceMs: 5_000, metadataMs };
    const options = { clientId: 'test', credentials: () => ({}) };
    const watch = createBrokerWatch((text) => void reported.push(text));
    const cluster = await openCluster(addresses, options, times, watch);
    t.after(() => cluster.close());
    return cluster;
  };
  return { started, open };
}

const leads = (leader: number, epoch: number): Known => ({ leader, epoch });

test('a cluster is opened by whichever broker answers, and knows all of them from then on', async (t) => {
  const known = [{ ...leads(2, 1), isAway: true }, leads(2, 1), leads(2, 1)];
  const { started, open } = await brokers(t, known);
  const cluster = await open(1, 3);
  assert.equal(cluster.brokerCount(), 3);
  assert.deepEqual(await cluster.nodeIds(), [1, 2, 3]);
  assert.equal(await cluster.leaderOf('t', 0), 2);
  assert.equal(cluster.addressOf(2), `127.0.0.1:${started[1]!.port}`);
});

test('a broker that is behind the others is not believed once a majority was asked', async (t) => {
  const known = [leads(1, 3), leads(2, 4), leads(2, 4)];
  const { started, open } = await brokers(t, known);
  const cluster = await open(1);
  const asked = () => started.map(({ metadataAsked }) => metadataAsked.length);
  await cluster.leader('t', 0);
  const before = asked();
  await Promise.all([cluster.askMost('t'), cluster.askMost('t'), cluster.askMost('t')]);
  const after = asked();
  for (const n of [0, 1, 2]) assert.ok(after[n]! - before[n]! <= 2, 'calls at once share their questions');
  const { node, epoch } = await cluster.leader('t', 0);
  assert.deepEqual([node, epoch], [2, 4]);
  assert.throws(() => cluster.expectLeader('t', 0, { node: 1, epoch: 3 }), {
    code: 'BROKER_UNREACHABLE',
    message: 't/0 has another leader than broker 1',
  });
  cluster.expectLeader('t', 0, { node: 2, epoch: 4 });
});

test('a majority answers though one broker is away, and without a majority nothing is confirmed', async (t) => {
  const known = [leads(1, 1), leads(1, 1), leads(1, 1)];
  const { open } = await brokers(t, known);
  const cluster = await open(1);
  await cluster.leader('t', 0);
  known[2]!.isAway = true;
  await cluster.askMost('t');
  known[1]!.isAway = true;
  await assert.rejects(cluster.askMost('t'), {
    code: 'BROKER_UNREACHABLE',
    message: /^fewer than half of the 3 brokers answer: /,
  });
  known[1]!.isAway = false;
  await cluster.askMost('t');
});

test('one connection serves the requests of a purpose to a broker, until it is released or fails', async (t) => {
  const { open } = await brokers(t, [leads(1, 1), leads(1, 1)]);
  const cluster = await open(1);
  const [first, same] = await Promise.all([cluster.link(1, 'a'), cluster.link(1, 'a')]);
  const [other, elsewhere] = await Promise.all([cluster.link(1, 'b'), cluster.link(2, 'a')]);
  assert.equal(first, same);
  assert.equal(new Set([first, other, elsewhere]).size, 3);
  cluster.release('a');
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    [first, elsewhere, other].map((link) => link.isOpen()),
    [false, false, true],
  );
  const again = await cluster.link(1, 'a');
  assert.ok(again.isOpen());
  again.close();
  const next = await cluster.link(1, 'a');
  assert.notEqual(next, again);
  assert.ok(next.isOpen());
  await assert.rejects(cluster.link(9, 'a'), {
    code: 'BROKER_UNREACHABLE',
    message: 'broker 9 is unknown at the moment',
  });
  cluster.close();
  await assert.rejects(cluster.link(1, 'a'), { code: 'STORE_CLOSED' });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([next.isOpen(), other.isOpen()], [false, false]);
});

test('the leader of a partition gets the requests about it, and is looked for again after a failure', async (t) => {
  const known = [leads(2, 1), leads(2, 1)];
  const { started, open } = await brokers(t, known);
  const cluster = await open(1);
  const leaders: number[] = [];
  const ask = () =>
    cluster.sendLeader('t', 0, (leader) => {
      leaders.push(leader.node);
      return raw('Heartbeat', { groupId: 'g', groupGenerationId: 1, memberId: 'm' });
    });
  await ask();
  assert.deepEqual(leaders, [2]);
  known[0]!.leader = known[1]!.leader = 1;
  known[0]!.epoch = known[1]!.epoch = 2;
  await ask();
  assert.deepEqual(leaders, [2, 2], 'it is known');
  const asked = () => started.reduce((sum, { metadataAsked }) => sum + metadataAsked.length, 0);
  const before = asked();
  cluster.forget('t', 0);
  await ask();
  assert.deepEqual(leaders, [2, 2, 1]);
  assert.ok(asked() > before);
});

test('the coordinator of a group is asked for once, and again after it failed', async (t) => {
  const { open } = await brokers(t, [leads(1, 1)]);
  const counts = new Map<string, number>();
  const cluster = await open(1);
  const measured = (api: string) => counts.set(api, (counts.get(api) ?? 0) + 1);
  const link = await cluster.link(1, 'shared');
  const send = link.send.bind(link);
  Object.assign(link, {
    send: (request: { readonly request: { readonly apiName: string } }) => {
      measured(request.request.apiName);
      return send(request as never);
    },
  });
  const beat = () =>
    cluster.sendCoordinator('g', 'p', raw('Heartbeat', { groupId: 'g', groupGenerationId: 1, memberId: 'm' }));
  await beat();
  await beat();
  assert.equal(counts.get('GroupCoordinator'), 1);
  cluster.forgetCoordinator('g');
  await beat();
  assert.equal(counts.get('GroupCoordinator'), 2);
  (await cluster.link(1, 'p')).close();
  await beat();
  assert.equal(counts.get('GroupCoordinator'), 2, 'a closed connection is only opened again');
});

test('leaders are looked at again from time to time, though no request shows that they moved', async (t) => {
  const known = [leads(1, 1), leads(1, 1)];
  const { open } = await brokers(t, known, 10);
  const cluster = await open(1);
  assert.equal(await cluster.leaderOf('t', 0), 1);
  for (const one of known) Object.assign(one, leads(2, 2));
  await until(() => cluster.knownLeaderOf('t', 0) === 2);
});

test('a broker that failed as a leader is no coordinator either, until it is found again', async (t) => {
  const { started, open } = await brokers(t, [leads(1, 1)]);
  const cluster = await open(1);
  const heartbeat = raw('Heartbeat', { groupId: 'g', groupGenerationId: 1, memberId: 'm' });
  await cluster.leader('t', 0);
  await cluster.sendCoordinator('g', 'p', heartbeat);
  const asked = () => started[0]!.coordinatorAsked();
  assert.equal(asked(), 1);
  cluster.forget('t');
  await cluster.sendCoordinator('g', 'p', heartbeat);
  assert.equal(asked(), 1, 'no leader failed');
  await cluster.leader('t', 0);
  cluster.forget('t', 0);
  await cluster.sendCoordinator('g', 'p', heartbeat);
  assert.equal(asked(), 2);
});

test('a leader that does not answer is forgotten, and its request fails', async (t) => {
  const known = [leads(1, 1)];
  const { open } = await brokers(t, known);
  const cluster = await open(1);
  await cluster.leader('t', 0);
  // The broker has no answer to it, and breaks the connection.
  await assert.rejects(
    cluster.sendLeader('t', 0, () => raw('ListGroups', {})),
    { code: 'BROKER_UNREACHABLE' },
  );
  assert.equal(cluster.knownLeaderOf('t', 0), undefined);
  assert.equal(await cluster.leaderOf('t', 0), 1);
});

test('of several failures, the one that does not pass is reported, whichever broker has it', async (t) => {
  const old = await startScriptedBroker(t, { metadataVersion: 6 });
  const nobody = { host: '127.0.0.1', port: 1 };
  const place = { host: '127.0.0.1', port: old.port };
  const options = { clientId: 'test', credentials: () => ({}) };
  const times = { openTimeoutMs: 5_000, patienceMs: 5_000, metadataMs: 600_000 };
  for (const order of [
    [nobody, place],
    [place, nobody],
  ])
    await assert.rejects(
      openCluster(
        order,
        options,
        times,
        createBrokerWatch(() => {}),
      ),
      { code: 'UNSUPPORTED' },
    );
});

test('a leader that failed is not the next broker that is asked for leaders', async (t) => {
  const known = [leads(1, 1), leads(1, 1), leads(1, 1)];
  const { started, open } = await brokers(t, known);
  const cluster = await open(1, 2, 3);
  for (let epoch = 2; epoch < 12; epoch++) {
    const leader = 1 + (epoch % 3);
    for (const one of known) Object.assign(one, leads(leader, epoch));
    cluster.saw('t', 0, epoch);
    assert.equal(await cluster.leaderOf('t', 0), leader);
    const asked = () => started[leader - 1]!.metadataAsked.length;
    const before = asked();
    cluster.forget('t', 0);
    assert.equal(await cluster.leaderOf('t', 0), leader);
    assert.equal(asked(), before, `broker ${leader}`);
  }
});
