/**
 * Three brokers, of which the first was cut off from the two others and stays reachable: it goes on naming itself as the
 * leader, by an older epoch. The second one leads.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openKafkaLog } from '../../../../../services/runtime/log/kafka/kafka-log.ts';
import type { LogReader, LogRecord } from '../../../../../services/runtime/log/log.ts';
import { LogTruncated } from '../../../../../services/runtime/log/log-truncated.ts';
import { until } from '../../../until.ts';
import {
  lyingAt,
  type ProducedBatch,
  type Script,
  type ScriptedBroker,
  startScriptedBroker,
} from './scripted-broker.ts';

const errors = { outOfRange: 1, notLeader: 6, notEnoughReplicas: 19, notEnoughAfterAppend: 20, timedOut: 7 } as const;
const epochErrors = { fenced: 74, unknown: 75 } as const;

interface Trio {
  readonly brokers: readonly ScriptedBroker[];
  /** From now on the second broker leads, and the first has not heard of it. */
  cutOff(): void;
}

/** `stale`: what the first broker does beyond what it says of leaders. */
async function startTrio(t: TestContext, stale: Script, newer: Script, others: Script = {}): Promise<Trio> {
  let isCutOff = false;
  const brokers: ScriptedBroker[] = [];
  const known = () => brokers.map(({ port }, i) => ({ nodeId: i + 1, port }));
  const old = () => ({ brokers: known(), leader: 1, epoch: 5 });
  const now = () => ({ brokers: known(), leader: 2, epoch: 6 });
  const refuse = (epoch: number) => (known: number) =>
    known > epoch ? epochErrors.unknown : known >= 0 && known < epoch ? epochErrors.fenced : 0;
  brokers.push(await startScriptedBroker(t, { metadata: old, refuse: refuse(5), ...stale }));
  const see = { metadata: () => (isCutOff ? now() : old()) };
  brokers.push(await startScriptedBroker(t, { ...see, refuse: refuse(6), ...newer }));
  brokers.push(await startScriptedBroker(t, { ...see, ...others }));
  return {
    brokers,
    cutOff: () => void (isCutOff = true),
  };
}

async function openLog(t: TestContext, { brokers }: Trio, bootstrap = brokers) {
  const lines: string[] = [];
  const log = await openKafkaLog({
    brokers: bootstrap.map(({ address }) => address),
    clientId: 'test',
    deliveryTimeoutMs: 60_000,
    compression: 'none',
    onBrokers: (text) => lines.push(text),
  });
  t.after(() => log.close());
  const append = (value: string) => log.append([{ topic: 't', partition: 0, key: null, value: Buffer.from(value) }]);
  return { log, append, lines };
}

const kept = () => {
  let end = 0;
  return (batch: ProducedBatch) => {
    end += batch.records;
    return { baseOffset: end - batch.records };
  };
};

for (const [name, error] of [
  ['has too few replicas', errors.notEnoughReplicas],
  ['has too few replicas after it has appended', errors.notEnoughAfterAppend],
  ['waits for its followers until the time is over', errors.timedOut],
] as const)
  test(`an append that a cut-off leader refuses because it ${name} goes to the new leader`, async (t) => {
    const trio = await startTrio(t, { produce: () => ({ error }) }, { produce: kept() });
    const { append } = await openLog(t, trio);
    trio.cutOff();
    const startMs = performance.now();
    assert.deepEqual(await append('a'), [0]);
    assert.ok(performance.now() - startMs < 5_000, `${performance.now() - startMs} ms`);
  });

test('an append that a cut-off leader never answers goes to the new leader', {
  timeout: 30_000,
}, async (t) => {
  const never = new Promise<never>(() => {});
  const trio = await startTrio(t, { produce: () => never }, { produce: kept() });
  const { append } = await openLog(t, trio);
  const startMs = performance.now();
  const appended = append('a');
  await until(() => trio.brokers[0]!.batches.length > 0);
  trio.cutOff();
  assert.deepEqual(await appended, [0]);
  assert.ok(performance.now() - startMs < 8_000, `${performance.now() - startMs} ms`);
});

test('a leader that was replaced is never asked again, however often the cut-off broker names itself', async (t) => {
  const trio = await startTrio(t, { produce: () => ({ error: errors.notEnoughReplicas }) }, { produce: kept() });
  const { append, log } = await openLog(t, trio);
  trio.cutOff();
  await append('a');
  const asked = trio.brokers[0]!.batches.length;
  for (let n = 0; n < 20; n++) {
    await log.partitionsOf('t');
    await append(`b${n}`);
  }
  assert.equal(trio.brokers[0]!.batches.length, asked);
  assert.ok(trio.brokers[0]!.metadataAsked.length > 3, 'the cut-off broker was asked too');
});

test('brokers take turns to be asked for leaders', async (t) => {
  const trio = await startTrio(t, {}, {});
  const { log } = await openLog(t, trio);
  for (let n = 0; n < 9; n++) await log.partitionsOf('t');
  for (const { metadataAsked } of trio.brokers) assert.ok(metadataAsked.length >= 3, `${metadataAsked.length}`);
});

test('the end of a partition is that of the newest leader, also for a process that knows the cut-off broker alone', async (t) => {
  const trio = await startTrio(t, { range: { start: 0, end: 248 } }, { range: { start: 0, end: 325 } });
  trio.cutOff();
  const { log } = await openLog(t, trio, [trio.brokers[0]!]);
  assert.deepEqual(await log.offsets('t', 0), { start: 0, end: 325 });
});

test('the end that a cut-off leader knows is not believed while the other brokers cannot be asked', {
  timeout: 60_000,
}, async (t) => {
  const stale = { range: { start: 0, end: 248 } };
  const trio = await startTrio(t, stale, { metadata: () => undefined }, { metadata: () => undefined });
  const log = await openKafkaLog({
    ...{ brokers: [trio.brokers[0]!.address], clientId: 'test', operationTimeoutMs: 1_000 },
  });
  t.after(() => log.close());
  await assert.rejects(log.offsets('t', 0), {
    code: 'BROKER_UNREACHABLE',
    message: /fewer than half of the 3 brokers/,
  });
});

test('the end of a partition is known soon after one broker of two has died and left the cluster', async (t) => {
  const { port: dead, address } = await startScriptedBroker(t, { metadata: () => undefined });
  let hasLeft = false;
  const one: ScriptedBroker = await startScriptedBroker(t, {
    range: { start: 3, end: 25 },
    metadata: () => {
      const [own, other] = [
        { nodeId: 1, port: one.port },
        { nodeId: 2, port: dead },
      ];
      return { brokers: hasLeft ? [own] : [own, other], leader: 1, epoch: 5 };
    },
  });
  const log = await openKafkaLog({ brokers: [one.address, address], clientId: 'test', operationTimeoutMs: 8_000 });
  t.after(() => log.close());
  await assert.rejects(log.offsets('t', 0), /fewer than half of the 2 brokers/);
  hasLeft = true;
  const beganMs = performance.now();
  assert.deepEqual(await log.offsets('t', 0), { start: 3, end: 25 });
  assert.ok(performance.now() - beganMs < 3_000, `${performance.now() - beganMs} ms`);
});

async function pollOne(reader: LogReader): Promise<LogRecord> {
  for (let left = 300; left > 0; left--) {
    const [record] = await reader.poll({ maxBytes: 1 << 20, waitMs: 20 });
    if (record !== undefined) return record;
  }
  throw new Error('no record came');
}

test('a position beyond the end of a cut-off leader is read on from the new leader', async (t) => {
  const [batch] = await batchesOf(t, 'new');
  const trio = await startTrio(
    t,
    { range: { start: 0, end: 248 }, fetch: () => ({ error: errors.outOfRange }) },
    {
      range: { start: 0, end: 325 },
      fetch: (offset, _, epoch) =>
        epoch !== 6 ? { error: epochErrors.fenced } : offset === 292 ? { batches: lyingAt(batch!, 292) } : {},
    },
  );
  const { log } = await openLog(t, trio);
  trio.cutOff();
  const reader = log.reader();
  reader.seek('t', 0, 292);
  assert.equal(`${(await pollOne(reader)).value}`, 'new');
});

test('a cut-off leader that lacks what was read does not make a reader report truncated records', async (t) => {
  const [batch] = await batchesOf(t, 'new');
  const trio = await startTrio(
    t,
    { epochEnd: () => ({ end: 248 }), fetch: () => ({ batches: lyingAt(batch!, 292) }) },
    {
      epochEnd: (_, known) => (known === 6 ? { end: 300 } : { error: epochErrors.fenced, end: -1 }),
      fetch: (offset) => (offset === 292 ? { batches: lyingAt(batch!, 292) } : {}),
    },
  );
  const { log } = await openLog(t, trio);
  trio.cutOff();
  const reader = log.reader();
  reader.seek('t', 0, 292, { end: 292, leaderEpoch: 5 });
  assert.equal(`${(await pollOne(reader)).value}`, 'new');
});

test('records that the newest leader lacks are reported as truncated', async (t) => {
  const trio = await startTrio(t, {}, { epochEnd: () => ({ end: 248 }), fetch: () => ({}) });
  trio.cutOff();
  const { log } = await openLog(t, trio, [trio.brokers[1]!]);
  const reader = log.reader();
  reader.seek('t', 0, 292, { end: 292, leaderEpoch: 6 });
  await assert.rejects(pollOne(reader), LogTruncated);
});

test('fetches and questions about offsets name the epoch of the leader as it is known', async (t) => {
  const epochs: number[] = [];
  const fetch = (_: number, __: number, epoch: number) => {
    epochs.push(epoch);
    return {};
  };
  const trio = await startTrio(t, {}, { fetch });
  trio.cutOff();
  const { log } = await openLog(t, trio, [trio.brokers[2]!]);
  const reader = log.reader();
  reader.seek('t', 0, 0);
  while (epochs.length === 0) await reader.poll({ maxBytes: 100, waitMs: 50 });
  assert.deepEqual([...new Set(epochs)], [6]);
});

test('epochs of brokers before Kafka 2.4 are not believed: their last answer counts', async (t) => {
  const old: Script = { metadataVersion: 8 };
  const trio = await startTrio(
    t,
    { ...old, produce: kept() },
    { ...old, produce: () => ({ error: errors.notLeader }) },
    old,
  );
  const { append } = await openLog(t, trio);
  assert.deepEqual(await append('a'), [0]);
});

test('a partition that takes no append for 10 s is named with the reason, once at the beginning and once at the end', {
  timeout: 60_000,
}, async (t) => {
  let isOver = false;
  const keep = kept();
  const produce = (batch: ProducedBatch) => (isOver ? keep(batch) : { error: errors.notEnoughReplicas });
  const trio = await startTrio(t, { produce }, {});
  const { log, append, lines } = await openLog(t, trio);
  const appended = append('a');
  assert.equal(log.appendsBlocked!(), null);
  await until(() => log.appendsBlocked!() !== null, 20_000);
  assert.match(log.appendsBlocked!()!.text, /^no append to t\/0 for 1\d s \(.*NOT_ENOUGH_REPLICAS/);
  await until(() => lines.length > 0, 10_000);
  isOver = true;
  await appended;
  assert.equal(log.appendsBlocked!(), null);
  await until(() => lines.length > 1, 10_000);
  assert.match(lines[0]!, /^no append to t\/0 for 1\d s/);
  assert.match(lines[1]!, /^all partitions take appends again, after \d+ s$/);
  assert.equal(lines.length, 2);
});

/** Batches as this client writes them, to be laid into a log. */
async function batchesOf(t: TestContext, ...values: string[]): Promise<readonly ProducedBatch[]> {
  const broker = await startScriptedBroker(t, { produce: kept() });
  const log = await openKafkaLog({ brokers: [broker.address], clientId: 'test', compression: 'none' });
  t.after(() => log.close());
  for (const value of values) await log.append([{ topic: 't', partition: 0, key: null, value: Buffer.from(value) }]);
  return broker.batches;
}
