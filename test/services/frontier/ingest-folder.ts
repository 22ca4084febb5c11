/** A partition's folder, as a crawl has it: the log and the state, each on RocksDB with small buffers, so that much is flushed. */
import { join } from 'node:path';
import { openCodec, type RecordCodec } from '../../../services/runtime/avro/record-codec.ts';
import { createEmbeddedRegistry } from '../../../services/runtime/avro/schema-registry.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { policyRecords } from '../../../services/runtime/crawl/requests.ts';
import { type EmbeddedLog, openEmbeddedLog } from '../../../services/runtime/log/embedded-log.ts';
import { openStateStore } from '../../../services/runtime/store/open-store.ts';
import type { StateStore } from '../../../services/runtime/store/store.ts';
import { defaultSeen } from '../../../topology/frontier/seen/seen-config.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { topicNames, topics } from '../../../topology/topics.ts';

export const identity = { crawl: 'ingest', partition: 0, partitions: 1 };
export const key = { hi: 0x1234_5678, lo: 0x9abc_def0 };
export const clock = new SystemClock();
const writeBufferBytes = 1 << 20;
/** Runs are written after some ten thousand URLs, merged soon after, and most known links are looked up in them. */
export const seen = { ...defaultSeen, memoryBytes: 1 << 20 };

export interface IngestFolder {
  readonly log: EmbeddedLog;
  readonly store: StateStore;
  readonly codec: RecordCodec;
  close(): Promise<void>;
}

export async function openIngestFolder(folder: string): Promise<IngestFolder> {
  const logStore = await openStateStore(join(folder, 'log'), { writeBufferBytes });
  const store = await openStateStore(join(folder, 'state'), { writeBufferBytes });
  const log = await openEmbeddedLog(logStore, clock, { segmentBytes: 4 << 20 });
  await log.createTopics(
    topicNames.map((name) => ({ name: `ingest.${name}`, partitions: 1, retention: topics[name].retention })),
  );
  const codec = await openCodec(createEmbeddedRegistry(logStore), 'ingest');
  const { end } = await log.offsets('ingest.control', 0);
  if (end === 0) {
    const manifest = { crawl: 'ingest', partitions: 1, keyMode: 'host' } as const;
    await log.append(policyRecords(codec, manifest, defaultPolicy(), 'test', clock.nowMs()));
  }
  return {
    log,
    store,
    codec,
    close: async () => {
      await log.close();
      await logStore.close();
      await store.close();
    },
  };
}
