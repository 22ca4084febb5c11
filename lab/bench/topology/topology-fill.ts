/** The generator: fills `discovered` of a crawl on Kafka, and sets its policy. */
import { createNoRegistry } from '../../../services/runtime/avro/no-registry.ts';
import { openCodec } from '../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { policyRecords } from '../../../services/runtime/crawl/requests.ts';
import { openKafkaLog } from '../../../services/runtime/log/kafka/kafka-log.ts';
import type { AppendRecord } from '../../../services/runtime/log/log.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { topicNames, topics } from '../../../topology/topics.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { BenchOptions } from '../bench-options.ts';
import { LinkSource } from '../frontier/link-source.ts';
import { type Cost, costOf } from '../process/process-cost.ts';

/** About the links that a fetcher gathers in its linger at full speed, or in a message of ten pages. */
const linksPerMessage = 500;
/** Messages in flight at once. */
const messagesAtOnce = 32;

export async function fillDiscovered(options: BenchOptions): Promise<Omit<Cost<never>, 'value'>> {
  const { brokers, crawl, partitions, urls, compression } = options;
  const log = await openKafkaLog({ brokers: brokers.split(','), clientId: 'generator', compression });
  try {
    const codec = await openCodec(createNoRegistry(), crawl);
    await log.createTopics(
      topicNames.map((name) => ({ name: `${crawl}.${name}`, partitions, retention: topics[name].retention })),
    );
    const policy = { ...defaultPolicy(), queuedMax: urls + 1 };
    const manifest = { crawl, partitions, keyMode: 'host' } as const;
    await log.append(policyRecords(codec, manifest, policy, 'bench', new SystemClock().nowMs()));
    const source = new LinkSource(options);
    const { value: _, ...cost } = await costOf(async () => {
      for (let made = 0; made < urls; ) {
        const count = Math.min(urls - made, linksPerMessage * messagesAtOnce);
        const { groups } = source.message(count);
        const ofPartition = Array.from({ length: partitions }, () => [] as (typeof groups)[number][]);
        for (const group of groups) ofPartition[partitionOf(group.hostKey, partitions)]!.push(group);
        const records = ofPartition.flatMap((own, partition) =>
          messagesOf(own).map(
            (some): AppendRecord => ({
              ...{ topic: `${crawl}.discovered`, partition, key: null },
              value: codec.encode('discovered', { groups: some }),
            }),
          ),
        );
        await log.append(records);
        made += count;
      }
    });
    return cost;
  } finally {
    await log.close();
  }
}

/** Groups, with as many together as a message has links. */
function messagesOf<T extends { readonly links: readonly unknown[] }>(groups: readonly T[]): T[][] {
  const messages: T[][] = [];
  let links = linksPerMessage;
  for (const group of groups) {
    if (links >= linksPerMessage) {
      messages.push([]);
      links = 0;
    }
    messages.at(-1)!.push(group);
    links += group.links.length;
  }
  return messages;
}
