/** What lies in the only partition of a topic, as a client that is not ours reads it. */
import { Kafka, logLevel } from 'kafkajs';

/** Values up to where the topic ends now, in order; tombstones are left out. */
export async function topicValues(brokers: string, topic: string): Promise<Buffer[]> {
  const kafka = new Kafka({ clientId: 'reader', brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const { high, low } = (await admin.fetchTopicOffsets(topic))[0]!;
  await admin.disconnect();
  if (high === low) return [];
  const consumer = kafka.consumer({ groupId: `of-${topic}` });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const values: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const eachMessage = async ({ message }: { message: { offset: string; value: Buffer | null } }) => {
      if (message.value !== null) values.push(message.value);
      if (Number(message.offset) === Number(high) - 1) resolve();
    };
    consumer.run({ eachMessage }).catch(reject);
  });
  await consumer.disconnect();
  return values;
}
