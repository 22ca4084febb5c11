/** Topics made on a broker that limits how fast they are made (THROTTLING_QUOTA_EXCEEDED, KIP-599). */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { openKafkaLog } from '../../../../../services/runtime/log/kafka/kafka-log.ts';
import { type Script, startScriptedBroker } from './scripted-broker.ts';

const quotaExceeded = 89;
const throttleMs = 400;
const names = ['one', 'two', 'three'];

async function make(test: TestContext, create: Script['create'] & {}) {
  const broker = await startScriptedBroker(test, { create });
  const log = await openKafkaLog({ brokers: [broker.address], clientId: 'test' });
  test.after(() => log.close());
  await log.createTopics(names.map((name) => ({ name, partitions: 1, retention: 'time' as const })));
  for (const name of names) assert.equal(await log.partitionsOf(name), 1, name);
  const times = broker.creations.map(({ askedMs }) => askedMs);
  return { broker, pausesMs: times.slice(1).map((askedMs, before) => askedMs - times[before]!) };
}

describe('topic creation under a quota', () => {
  it('topic creation is retried after the time that the broker names, as often as it does', async (t) => {
    const errors = Object.fromEntries(names.map((name) => [name, quotaExceeded]));
    const { broker, pausesMs } = await make(t, (_, nth) => (nth < 2 ? { errors, throttleMs } : {}));
    assert.deepEqual(
      broker.creations.map(({ topics }) => topics),
      [names, names, names],
    );
    for (const pauseMs of pausesMs) assert.ok(pauseMs >= throttleMs - 1, `asked again after ${pauseMs} ms`);
  });

  it('topic creation is retried if other topics of the request were created', async (t) => {
    const errors = { two: quotaExceeded };
    const { pausesMs } = await make(t, (_, nth) => (nth === 0 ? { errors, throttleMs } : {}));
    assert.equal(pausesMs.length, 1);
    assert.ok(pausesMs[0]! >= throttleMs - 1, `asked again after ${pausesMs[0]} ms`);
  });

  it('topic creation is retried after a moment if the broker names no time', async (t) => {
    const errors = { one: quotaExceeded };
    const { pausesMs } = await make(t, (_, nth) => (nth === 0 ? { errors } : {}));
    assert.equal(pausesMs.length, 1);
  });
});
