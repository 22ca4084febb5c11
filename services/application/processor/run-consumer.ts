/**
 * Runs a processor that is a consumer group over the crawl's topics: joins, reads, measures and ends it, whatever it
 * does with the records. It runs in the crawl's process or in a separate one, with its state and positions in its
 * part of the folder.
 */
import type { AvroTopic } from '../../../topology/topics.ts';
import type { ConsumerOptions } from '../../runtime/consumer/consumer.ts';
import { type Consumer, startConsumer } from '../../runtime/consumer/consumer.ts';
import { consumerMetrics } from '../../runtime/consumer/consumer-metrics.ts';
import { appendDeadLetters } from '../../runtime/log/append-dead-letters.ts';
import type { Membership } from '../../runtime/log/log.ts';
import type { ProcessorContext, RunningProcessor } from './processor.ts';

export interface ConsumerWork<T extends AvroTopic> {
  readonly name: string;
  readonly topics: readonly T[];
  readonly handle: ConsumerOptions<T>['handle'];
  readonly beforeBatch?: ConsumerOptions<T>['beforeBatch'];
  readonly positions: ConsumerOptions<T>['positions'];
  readonly batchRecords?: number;
  readonly batchMs?: number;
  readonly retriesMs?: readonly number[];
  /** How to handle a failed record. Absent: the consumer stops, and starts again at that record. */
  readonly whenFailed?: ConsumerOptions<T>['whenFailed'];
  /** Folder of its files. Absent: the part with its name. */
  readonly folder?: string;
  /** True: one process reads all partitions, and the others stand by. */
  readonly alone?: boolean;
  /** Called after a drain, before `close`. */
  readonly finish?: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function runConsumer<T extends AvroTopic>(
  context: ProcessorContext,
  work: ConsumerWork<T>,
): Promise<RunningProcessor> {
  const { log, codec, clock, manifest, service } = context;
  const { crawl } = manifest;
  const { name, topics, finish = async () => {}, close } = work;
  let failure: { readonly error: unknown } | undefined;
  const consumer = startConsumer<T>({
    ...context,
    crawl,
    group: name,
    topics,
    handle: work.handle,
    positions: work.positions,
    from: context.fromStart ? 'start' : 'committed',
    whenFailed: work.whenFailed ?? 'stop',
    ...(work.beforeBatch !== undefined && { beforeBatch: work.beforeBatch }),
    ...(work.batchRecords !== undefined && { batchRecords: work.batchRecords }),
    ...(work.batchMs !== undefined && { batchMs: work.batchMs }),
    ...(work.retriesMs !== undefined && { retriesMs: work.retriesMs }),
    onRetry: (error) => context.say(`${name}: ${error.message}; retrying`),
    deadLetter: (deadLetters) => appendDeadLetters(log, codec, `${crawl}.dead-letters`, deadLetters),
  });
  let stopped: Promise<void> | undefined;
  const fail = (error: unknown) => {
    failure ??= { error };
    void consumer.stop().catch(() => {});
  };
  const membership = await join(context, work, consumer, fail).catch(async (error: unknown) => {
    await consumer.stop().catch(() => {});
    await close();
    throw error;
  });
  const metered = consumerMetrics(name, consumer);
  service.sources.add(metered);
  service.disks.set(name, work.folder ?? context.part(name));
  const unwatch = service.lag.add({ log, clock, group: `${crawl}.${name}`, positions: consumer.positions });
  const ended = consumer.ended
    .then(() => {
      if (failure !== undefined) throw failure.error;
    })
    .finally(() => {
      unwatch();
      service.sources.delete(metered);
    });
  ended.catch(() => {});
  return {
    name,
    ended,
    stats: consumer.stats,
    async drain() {
      await consumer.drain();
      await finish();
    },
    stop() {
      stopped ??= (async () => {
        await consumer.stop().catch(() => {});
        await membership.leave();
        try {
          if (failure === undefined) await finish();
        } finally {
          await close();
        }
        await ended;
      })();
      return stopped;
    },
  };
}

/** Joins the group of the consumer, which then gets its partitions. */
function join<T extends AvroTopic>(
  { log, manifest: { crawl, partitions } }: ProcessorContext,
  { name, topics, alone = false }: ConsumerWork<T>,
  consumer: Consumer,
  onFailure: (error: unknown) => void,
): Promise<Membership> {
  const all = Array.from({ length: partitions }, (_, partition) => partition);
  return log.join({
    group: alone ? `${crawl}.${name}-leader` : `${crawl}.${name}`,
    topics: topics.map((topic) => `${crawl}.${topic}`),
    partitions,
    onFailure,
    // The process that has the first partition leads.
    onAssigned: (assigned) => consumer.assign(alone ? (assigned.includes(0) ? all : []) : assigned),
  });
}
