/** A broker that limits how fast topics are made (controller_mutation_rate, KIP-599), as platform teams set it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startBroker, type TestBroker } from '../../../../../lab/kafka/broker.ts';
import { kafkaJars, skipReason } from '../../../../../lab/kafka/components.ts';
import { openKafkaLog } from '../../../../../services/runtime/log/kafka/kafka-log.ts';

const skip = (await skipReason()) ?? false;
const clientId = 'limited';

describe('a quota on making topics', { skip, timeout: 600_000 }, () => {
  let broker: TestBroker;

  before(async () => {
    broker = await startBroker({ own: true });
    const tool = ['-XX:TieredStopAtLevel=1', '-cp', `${await kafkaJars()}/*`, 'kafka.admin.ConfigCommand'];
    const entity = ['--entity-type', 'clients', '--entity-name', clientId];
    const quota = ['--alter', '--add-config', 'controller_mutation_rate=2'];
    await promisify(execFile)('java', [...tool, '--bootstrap-server', broker.brokers, ...entity, ...quota]);
  });
  after(() => broker?.stop());

  it('a quota on topic creation is waited for: all topics are created by two concurrent starters', async (t) => {
    const specs = Array.from({ length: 12 }, (_, i) => ({
      name: `quota-${i}`,
      partitions: 3,
      retention: 'time' as const,
    }));
    const startedAt = performance.now();
    await Promise.all(
      [1, 2].map(async () => {
        const log = await openKafkaLog({ brokers: [broker.brokers], clientId });
        try {
          await log.createTopics(specs.slice(0, 6));
          await log.createTopics(specs);
          for (const { name } of specs) assert.equal(await log.partitionsOf(name), 3);
        } finally {
          await log.close();
        }
      }),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    // Ten seconds' worth may be made at once.
    assert.ok(seconds > 3, `the broker did not limit anything: ${seconds} s`);
    t.diagnostic(`36 partitions at 2 a second: ${seconds.toFixed(1)} s`);
  });
});
