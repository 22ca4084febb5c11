/** A group member in a process of its own, for the tests to stop: prints each assignment, and what commits say. */
import { createInterface } from 'node:readline';
import { openKafkaLog } from '../../../../../services/runtime/log/kafka/kafka-log.ts';

const [brokers = '', group = '', topic = ''] = process.argv.slice(2);
const say = (what: object) => process.stdout.write(`${JSON.stringify(what)}\n`);
const log = await openKafkaLog({
  brokers: brokers.split(','),
  clientId: 'member',
  sessionTimeoutMs: 1500,
  heartbeatMs: 200,
});
const membership = await log.join({
  group,
  topics: [topic],
  onAssigned: (partitions) => say({ assigned: partitions }),
  onFailure: (error) => say({ failed: String(error) }),
});
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'leave') break;
  const { commit } = JSON.parse(line) as { commit: number };
  const outcome = await log.commit(group, [{ topic, partition: commit, offset: 1 }]).then(
    () => 'done',
    (error: { code?: string }) => error.code,
  );
  say({ commit: outcome });
}
await membership.leave();
await log.close();
// A pipe from the parent would keep this process alive; nothing of the log may.
process.stdin.destroy();
