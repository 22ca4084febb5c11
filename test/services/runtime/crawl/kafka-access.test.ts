/** How a process gets at a crawl on brokers; the broker is the test's. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { accessOn, openBrokers, openKafkaAccess } from '../../../../services/runtime/crawl/kafka-access.ts';
import { type Script, startScriptedBroker } from '../log/kafka/scripted-broker.ts';

/** A broker without records, whose topics are those that were made. */
async function broker(t: TestContext, script: Script = {}) {
  return startScriptedBroker(t, { create: () => ({}), range: { start: 0, end: 0 }, ...script });
}

test('a crawl on brokers is read and written in its own topics', async (t) => {
  const { address } = await broker(t);
  const { log, codec } = await openKafkaAccess({ brokers: ` ${address},${address}`, crawl: 'c' });
  t.after(() => log.close());
  assert.equal(await log.partitionsOf('c.control'), 0);
  await log.createTopics([{ name: 'c.results', partitions: 1, retention: 'state' }]);
  assert.deepEqual([await log.partitionsOf('c.results'), await log.partitionsOf('c.flow')], [1, 0]);
  assert.equal(typeof codec.decode, 'function');
});

test('a crawl of a fleet whose topics lie together is read from its flow, without responses that lie apart', async (t) => {
  const { address } = await broker(t);
  const brokers = await openBrokers({ brokers: address, crawl: 'f.c' });
  t.after(() => brokers.close());
  for (const name of ['f.c.flow', 'f.c.responses', 'g.c.results'])
    await brokers.createTopics([{ name, partitions: 1, retention: 'time' }]);
  const folded = await openKafkaAccess({ brokers: address, crawl: 'f.c', role: 'a role' });
  t.after(() => folded.log.close());
  assert.equal(await folded.log.partitionsOf('f.c.results'), 1, 'in the flow');
  assert.equal(await folded.log.partitionsOf('f.c.responses'), 1);
  assert.deepEqual(await folded.log.offsets('f.c.results', 0), { start: 0, end: 0 });
  await assert.rejects(folded.log.trim('f.c.results', 0, 0), { code: 'UNSUPPORTED' });
  const apart = await openKafkaAccess({ brokers: address, crawl: 'g.c' });
  t.after(() => apart.log.close());
  assert.equal(await apart.log.partitionsOf('g.c.results'), 1);
  await apart.log.trim('g.c.results', 0, 0);
});

test('a registry that is given as an address or as one that is open gives the ids', async (t) => {
  const { address } = await broker(t);
  const log = await openBrokers({ brokers: address, crawl: 'c' });
  t.after(() => log.close());
  const asked: string[] = [];
  const schemas = {
    idFor: async (subject: string) => asked.push(subject),
    schemaById: async () => assert.fail('nothing is read'),
  };
  await accessOn(log, { crawl: 'c', registry: { url: 'http://registry.test', schemas } });
  assert.ok(asked.includes('c.pages-value'), 'each of our schemas has an id');
  await assert.rejects(accessOn(log, { crawl: 'c', registry: 'http://127.0.0.1:1' }), {
    code: 'REGISTRY_UNREACHABLE',
    message: /^the registry at http:\/\/127\.0\.0\.1:1 cannot be used/,
  });
});
