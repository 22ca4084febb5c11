/**
 * Brokers of one topic as appenders and readers meet them: they know idempotent producers (KIP-98) and epochs of
 * leaders (KIP-320), and a test decides when and how they answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../../../../services/runtime/log/kafka/cluster.ts';
import type { FetchedPart } from '../../../../../services/runtime/log/kafka/fetch-request.ts';
import type { Link } from '../../../../../services/runtime/log/kafka/link.ts';
import type { ProducedPart } from '../../../../../services/runtime/log/kafka/produce-request.ts';
import { readBatches } from '../../../../../services/runtime/log/kafka/record-batch.ts';

export const topic = 't';
const refused = { outOfRange: 1, notLeader: 6, outOfOrder: 45, producerFenced: 47, oldEpoch: 74, newEpoch: 75 };
/** Batches of one answer to a reader, which are then not all that there are. */
const batchesOfAnswer = 3;

interface ProducerState {
  epoch: number;
  next: number;
  lastSequence: number;
  lastOffset: number;
}

export interface ScriptedCluster {
  readonly cluster: Cluster;
  /** What each partition holds: values as text. */
  readonly logs: readonly string[][];
  readonly leaders: number[];
  /** First offset that each partition still has. */
  readonly starts: number[];
  /** Another broker leads the partition from now on. */
  move(partition: number, node: number): void;
  /** One past the newest record of this leader epoch. */
  epochEnd(partition: number, epoch: number): number;
  /** The leaders are not known any more, as when a reader meets a moved one. */
  forget(): void;
}

export interface Script {
  /** Before a broker takes a request; throws: the request is lost. */
  arriving?(node: number): Promise<void> | void;
  /** What a broker does with a batch, where not what Kafka does: an error code, and nothing is appended. */
  refusing?(node: number, partition: number, records: number): number | undefined;
  /** After a broker took a request, before its answer is there; throws: the answer is lost. */
  answering?(node: number): Promise<void> | void;
  /** Before a leader is known again; throws: it is not found. */
  looking?(): Promise<void> | void;
}

export function scriptedCluster(partitions: number, script: Script): ScriptedCluster {
  const logs = Array.from({ length: partitions }, (): string[] => []);
  const leaders = logs.map(() => 1);
  const starts = logs.map(() => 0);
  const epochs = logs.map(() => 0);
  const batches = logs.map((): { readonly base: number; readonly epoch: number; readonly bytes: Buffer }[] => []);
  let producerIds = 7;
  const producers = logs.map(() => new Map<string, ProducerState>());
  let isLeaderKnown = true;

  const take = (partition: number, batch: Buffer): Pick<ProducedPart, 'errorCode' | 'baseOffset'> => {
    const [id, epoch, sequence] = [batch.readBigInt64BE(43), batch.readInt16BE(51), batch.readInt32BE(53)];
    const { records } = readBatches(batch, topic, partition, 0, []);
    const log = logs[partition]!;
    const fresh = { epoch: -1, next: 0, lastSequence: -1, lastOffset: -1 };
    const known = producers[partition]!.get(`${id}`) ?? fresh;
    const isKnown =
      epoch === known.epoch && sequence === known.lastSequence && sequence + records.length === known.next;
    if (isKnown) return { errorCode: 0, baseOffset: known.lastOffset };
    if (epoch < known.epoch) return { errorCode: refused.producerFenced, baseOffset: -1 };
    if (sequence !== (epoch > known.epoch ? 0 : known.next)) return { errorCode: refused.outOfOrder, baseOffset: -1 };
    const state = { epoch, next: sequence + records.length, lastSequence: sequence, lastOffset: log.length };
    producers[partition]!.set(`${id}`, state);
    const bytes = Buffer.from(batch);
    bytes.writeBigInt64BE(BigInt(log.length), 0);
    bytes.writeInt32BE(epochs[partition]!, 12);
    batches[partition]!.push({ base: log.length, epoch: epochs[partition]!, bytes });
    for (const { value } of records) log.push(value.toString());
    return { errorCode: 0, baseOffset: state.lastOffset };
  };

  const produce = (node: number, request: Buffer): ProducedPart[] => {
    // Transactional id, acks, timeout and the count of topics come first; there is one topic.
    let at = 2 + 2 + 4 + 4;
    at += 2 + request.readInt16BE(at);
    const parts = request.readInt32BE(at);
    at += 4;
    return Array.from({ length: parts }, () => {
      const partition = request.readInt32BE(at);
      const batch = Buffer.from(request.subarray(at + 8, at + 8 + request.readInt32BE(at + 4)));
      at += 8 + batch.length;
      if (leaders[partition] !== node) return { topic, partition, errorCode: refused.notLeader, baseOffset: -1 };
      const errorCode = script.refusing?.(node, partition, batch.readInt32BE(57));
      const taken = errorCode === undefined ? take(partition, batch) : { errorCode, baseOffset: -1 };
      return { topic, partition, ...taken };
    });
  };

  const fetched = (node: number, partition: number, offset: number, epoch: number) => {
    const none = Buffer.alloc(0);
    if (leaders[partition] !== node) return { errorCode: refused.notLeader, batches: none };
    if (epoch >= 0 && epoch < epochs[partition]!) return { errorCode: refused.oldEpoch, batches: none };
    if (epoch > epochs[partition]!) return { errorCode: refused.newEpoch, batches: none };
    if (offset < starts[partition]! || offset > logs[partition]!.length)
      return { errorCode: refused.outOfRange, batches: none };
    const all = batches[partition]!;
    const first = all.findLastIndex(({ base }) => base <= offset);
    if (offset === logs[partition]!.length || first < 0) return { errorCode: 0, batches: none };
    const some = all.slice(first, first + batchesOfAnswer);
    return { errorCode: 0, batches: Buffer.concat(some.map(({ bytes }) => bytes)) };
  };

  const fetch = (node: number, request: Buffer): FetchedPart[] => {
    // Replica, longest wait, least and most bytes, isolation and session come first; each partition is a topic.
    let at = 4 + 4 + 4 + 4 + 1 + 4 + 4;
    const parts = request.readInt32BE(at);
    at += 4;
    return Array.from({ length: parts }, () => {
      at += 2 + request.readInt16BE(at) + 4;
      const [partition, epoch] = [request.readInt32BE(at), request.readInt32BE(at + 4)];
      const offset = Number(request.readBigInt64BE(at + 8));
      at += 4 + 4 + 8 + 8 + 4;
      return { topic, partition, aborted: [], preferredReplica: -1, ...fetched(node, partition, offset, epoch) };
    });
  };

  const linkTo = (node: number): Pick<Link, 'send'> => ({
    async send<T>(wire: Parameters<Link['send']>[0]) {
      const { buffer } = await (wire.request as unknown as { encode(): Promise<{ buffer: Buffer }> }).encode();
      await script.arriving?.(node);
      const isFetch = wire.request.apiName === 'Fetch';
      const parts = isFetch ? fetch(node, buffer) : produce(node, buffer);
      // A broker waits before an answer without records.
      if (isFetch) await sleep(1);
      await script.answering?.(node);
      return { clientSideThrottleTime: 0, errorCode: 0, parts } as T;
    },
  });

  const cluster = {
    knownLeaderOf: (_topic: string, partition: number) => (isLeaderKnown ? leaders[partition] : undefined),
    async leaderOf(_topic: string, partition: number) {
      await script.looking?.();
      isLeaderKnown = true;
      return leaders[partition]!;
    },
    addressOf: (node: number) => `b:${node}`,
    forget: () => (isLeaderKnown = false),
    leader: async (_topic: string, partition: number) => ({ node: leaders[partition]!, epoch: epochs[partition]! }),
    // Of the leader that was last asked for, which may have moved.
    epochOf: (_topic: string, partition: number) => (isLeaderKnown ? epochs[partition]! : -1),
    saw: () => {},
    askMost: async () => {},
    expectLeader: () => {},
    release: () => {},
    lookAgain: async () => {},
    sendAny: async () => ({ errorCode: 0, producerId: `${producerIds++}` }),
    link: async (node: number) => linkTo(node),
  };
  return {
    cluster: cluster as unknown as Cluster,
    ...{ logs, leaders, starts },
    forget: cluster.forget,
    move(partition, node) {
      leaders[partition] = node;
      epochs[partition]! += 1;
    },
    epochEnd: (partition, epoch) =>
      batches[partition]!.find((one) => one.epoch > epoch)?.base ?? logs[partition]!.length,
  };
}
