/** Crawls on logs in memory, to dump and to load. */
import { type DumpOptions, dumpCrawl } from '../../../../services/frontier/transfer/dump-crawl.ts';
import { loadCrawl } from '../../../../services/frontier/transfer/load-crawl.ts';
import { PartitionLoader } from '../../../../services/frontier/transfer/partition-loader.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { type Manifest, manifestFormat } from '../../../../services/runtime/data-folder/manifest.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { recordsOf } from '../../../../services/runtime/log/records-of.ts';
import { createListFiles } from '../../../../services/runtime/policy/list-files.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { DumpTotals } from '../../../../topology/frontier/transfer/dump-line.ts';
import { parseDumpHead } from '../../../../topology/frontier/transfer/parse-dump-line.ts';
import { topicNames, topics } from '../../../../topology/topics.ts';

export const clock = new SystemClock();
export const key = { hi: 0x1234_5678, lo: 0x9abc_def0 };

export type Crawl = Awaited<ReturnType<typeof newCrawl>>;

export async function newCrawl(partitions: number, keyMode: 'host' | 'domain' = 'host') {
  const log = await openEmbeddedLog(createMemoryStore(), clock);
  await log.createTopics(
    topicNames.map((name) => ({ name: `t.${name}`, partitions, retention: topics[name].retention })),
  );
  const codec = await openCodec(createMemoryRegistry(), 't');
  const manifest: Manifest = {
    ...{ format: manifestFormat, crawl: 't', partitions, keyMode, pslHash: '', seenKeyVersion: 1 },
    ...{ fingerprintVersion: 1, fingerprintKey: '123456789abcdef00000000000000000', createdAt: '', createdBy: 'test' },
  };
  const stores = Array.from({ length: partitions }, () => createMemoryStore());
  return { log, codec, manifest, stores, clock, key };
}

/** Claims every partition. */
export async function loadersOf(crawl: Crawl, source: string | null): Promise<PartitionLoader[]> {
  const loaders: PartitionLoader[] = [];
  const { partitions } = crawl.manifest;
  for (const [partition, store] of crawl.stores.entries()) {
    const identity = { crawl: 't', partition, partitions };
    loaders.push(await PartitionLoader.open({ ...crawl, identity, store, source }));
  }
  return loaders;
}

/** `lines` from the head on. `until`: the reading fails before this line, as if the process had been killed. */
export async function load(crawl: Crawl, lines: readonly string[], until = lines.length): Promise<DumpTotals> {
  const head = parseDumpHead(lines[0]!);
  const loaders = await loadersOf(crawl, head.id);
  const read = (async function* () {
    for (const line of lines.slice(1, until)) yield [line];
    if (until < lines.length) throw new Error('killed');
  })();
  return loadCrawl({ ...crawl, loaders, head, lines: read });
}

export async function dump(crawl: Crawl, options: Partial<DumpOptions> = {}): Promise<string[]> {
  const lines: string[] = [];
  const none = async () => {};
  await dumpCrawl({
    ...crawl,
    lists: createListFiles(),
    fetchersGone: true,
    head: { id: 'again', madeBy: 'test', policy: null, asked: null, seeds: [] },
    withStart: (_, act) => act({ store: createMemoryStore() }),
    lines: { write: (line) => lines.push(line), flush: none, finish: none, abandon: none },
    ...options,
  });
  return lines;
}

export async function valuesOf({ log }: Crawl, topic: string, partition: number): Promise<Buffer[]> {
  const { end } = await log.offsets(`t.${topic}`, partition);
  const values: Buffer[] = [];
  for await (const { value } of recordsOf(log, `t.${topic}`, partition, 0, end)) values.push(value);
  return values;
}
