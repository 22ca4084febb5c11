/** CPU time of a frontier process on Kafka by stage, all threads counted. */
import { type Stages, stageShares } from '../fetcher/fetch-stages.ts';
import type { ThreadCpu } from '../process/thread-cpu.ts';

/** Stages of the main thread. Writing bytes, and generated code, count for their caller. */
const stages: Stages = [
  ['compression', /\/kafka\/compression\/|\/node_modules\/(?:snappy|lz4-napi)\//],
  ['produce', /\/kafka\/(?:appender|produce-request|crc32c)\.|\/record-batch\.\S* (?:write|recordBytes)/],
  ['clientDecode', /\/kafka\/(?:reader|fetch-request|record-batch)\./],
  ['clientSockets', /\/kafkajs\/|\/kafka\/(?!bytes)|^node:(?:net|internal\/stream|internal\/streams)/],
  ['avroEncode', /\/record-codec\.\S* (?:encode|write)/],
  ['avroDecode', /\/runtime\/avro\//],
  ['changelog', /\/frontier\/changes\/(?:codec|changelog)\./],
  ['checkpoint', /\/topology\/frontier\/(?:checkpoint\/|state\/(?:rows-ahead|unsaved)\.|queues\/queue-row\.)/],
  ['decide', /\/topology\/(?!frontier\/storage\/bytes)/],
  ['rocksdb', /\/runtime\/store\/|\/rocksdb\/|\/abstract-leveldown\//],
  ['owner', /\/services\/|\/test\/bench\//],
];

/**
 * Shares of a profiled run, put on the unprofiled cost. RocksDB's own threads are added to `rocksdb`; the rest of the
 * threads, which collect garbage and wait on stores, are `helperThreads`.
 */
export async function topologyStages(
  profileFolder: string,
  threads: ThreadCpu | undefined,
  microsPerUrl: number,
): Promise<Record<string, number>> {
  const { mainMs, rocksdbMs, helperMs } = threads ?? { mainMs: 1, rocksdbMs: 0, helperMs: 0 };
  const all = mainMs + rocksdbMs + helperMs;
  const shares = await stageShares(profileFolder, stages);
  const found = Object.entries(shares).map(([stage, share]) => [stage, (share * mainMs) / all] as const);
  const byStage = new Map(found);
  byStage.set('rocksdb', (byStage.get('rocksdb') ?? 0) + rocksdbMs / all);
  byStage.set('helperThreads', helperMs / all);
  const inOrder = [...byStage].sort((a, b) => b[1] - a[1]);
  return Object.fromEntries(inOrder.map(([stage, share]) => [stage, Number((share * microsPerUrl).toFixed(3))]));
}
