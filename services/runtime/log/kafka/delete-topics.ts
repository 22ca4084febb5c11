/** Deletes topics with their records. */
import type { Cluster } from './cluster.ts';
import { deadlineIn, retrying, throwFor, transient } from './errors.ts';
import { kafkaLimits } from './kafka-limits.ts';
import { errorOf, raw } from './kafkajs-wire.ts';

interface Answer {
  readonly topicErrors: readonly { readonly topic: string; readonly errorCode: number }[];
}

/** Deletes topics. Resolves when no broker knows them any more. Missing topics are ignored. */
export async function deleteTopics(cluster: Cluster, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const deadline = deadlineIn(kafkaLimits.createTimeoutMs);
  await retrying(deadline, async () => {
    const request = raw('DeleteTopics', { topics: names, timeout: kafkaLimits.requestTimeoutMs - 1000 });
    const { topicErrors } = await cluster.sendAny<Answer>(request);
    for (const { topic, errorCode } of topicErrors)
      if (errorOf(errorCode).type !== 'UNKNOWN_TOPIC_OR_PARTITION') throwFor(errorCode, `removing topic ${topic}`);
  });
  await retrying(deadline, async () => {
    for (const name of names) cluster.drop(name);
    const there = await cluster.look(names);
    const left = names.find((_, at) => there[at] !== undefined);
    if (left !== undefined) throw transient(`topic ${left} was removed, but a broker still lists it`);
  });
}
