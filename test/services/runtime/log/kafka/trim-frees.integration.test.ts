/** A trim on a real broker gives the disk back: brokers delete whole segments alone, and never the one they append to. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startBroker, type TestBroker } from '../../../../../lab/kafka/broker.ts';
import { skipReason } from '../../../../../lab/kafka/components.ts';
import { openKafkaLog } from '../../../../../services/runtime/log/kafka/kafka-log.ts';
import type { Log, LogTopic } from '../../../../../services/runtime/log/log.ts';
import { topicsOfCrawl } from '../../../../../topology/topics.ts';
import { until } from '../../../until.ts';

const skip = (await skipReason()) ?? false;
const mebibyte = 2 ** 20;

describe('a trim', { skip, timeout: 120_000 }, () => {
  let broker: TestBroker;
  let log: Log;

  before(async () => {
    const settings = {
      'log.retention.check.interval.ms': '500',
      'log.initial.task.delay.ms': '500',
      'log.segment.delete.delay.ms': '100',
    };
    broker = await startBroker({ own: true, settings });
    log = await openKafkaLog({ brokers: broker.brokers.split(','), clientId: 'trim' });
  });
  after(async () => {
    await log?.close();
    await broker?.stop();
  });

  it('a trim frees everything but the segment in use', async () => {
    const topic = 'trimmed.results';
    // The shortest segments that Kafka 4 takes.
    const settings = { 'segment.bytes': `${mebibyte}` };
    await log.createTopics([{ name: topic, partitions: 1, retention: 'state', settings }]);
    const value = Buffer.alloc(mebibyte / 16, 7);
    for (let i = 0; i < 128; i++) await log.append([{ topic, partition: 0, key: null, value }]);
    const full = broker.diskBytes(topic)!;
    assert.ok(full > 7 * mebibyte, `${full} bytes`);
    await log.trim(topic, 0, (await log.offsets(topic, 0)).end);
    await until(() => broker.diskBytes(topic)! <= mebibyte);
  });

  it('a trim needs short segments: our topics have them, and topics with long ones are named', async () => {
    const specs: readonly LogTopic[] = topicsOfCrawl('short', 1);
    await log.createTopics(specs);
    assert.deepEqual(await log.risks!(specs), []);
    const long = { name: 'long.results', partitions: 1, retention: 'state' } as const;
    await log.createTopics([{ ...long, settings: { 'segment.bytes': '1073741824', 'max.message.bytes': '700' } }]);
    assert.deepEqual(
      (await log.risks!([long])).map(({ text, isUrgent }) => [/--add-config (\S+?)=/.exec(text)?.[1], isUrgent]),
      [
        ['max.message.bytes', true],
        ['segment.bytes', false],
      ],
    );
  });
});
