/**
 * `npm run bench -- topology [--urls N] [--partitions P] [--new SHARE] [--hosts N] [--json]`
 *
 * The service rate on a real broker: a generator fills `discovered`, then one frontier process reads, decides, writes its
 * changelog and publishes tasks until it has caught up. Starts its own broker unless KAFKA_BROKERS names one.
 *
 * Stages, in CPU µs per discovered URL of this process: `read` is fetching and decoding alone, measured first; the rest of
 * the frontier is deciding, encoding and appending.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { LinkGroup } from '../../schemas/types.ts';
import type { FrontierGroupOptions } from '../../services/frontier/frontier-group.ts';
import { joinFrontierGroup } from '../../services/frontier/frontier-group.ts';
import { createBundledRegistry } from '../../services/runtime/avro/bundled-registry.ts';
import type { RecordCodec } from '../../services/runtime/avro/record-codec.ts';
import { openCodec } from '../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { lookAt } from '../../services/runtime/crawl/look.ts';
import { policyRecords } from '../../services/runtime/crawl/requests.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import type { AppendRecord, Log } from '../../services/runtime/log/log.ts';
import { recordsOf } from '../../services/runtime/log/records-of.ts';
import { openRocksdbStore } from '../../services/runtime/store/rocksdb-store.ts';
import { sumCounters } from '../../topology/frontier/counters.ts';
import { defaultPolicy } from '../../topology/policy/policy.ts';
import { topicNames, topics } from '../../topology/topics.ts';
import { partitionOf } from '../../topology/url/partition.ts';
import { startBroker } from '../kafka/broker.ts';

const crawl = 'bench';
const linksPerGroup = 10;
const groupsPerMessage = 20;
const clock = new SystemClock();

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      urls: { type: 'string', default: '1000000' },
      partitions: { type: 'string', default: '4' },
      hosts: { type: 'string', default: '10000' },
      new: { type: 'string', default: '0.3' },
      json: { type: 'boolean', default: false },
    },
  });
  const [urls, partitions, hosts] = [Number(values.urls), Number(values.partitions), Number(values.hosts)];
  const broker = await startBroker();
  const folder = await mkdtemp(join(tmpdir(), 'crawlstream-bench-'));
  const log = await openKafkaLog({ brokers: broker.brokers.split(','), clientId: 'bench' });
  try {
    const codec = await openCodec(createBundledRegistry(), crawl);
    await log.createTopics(
      topicNames.map((name) => ({ name: `${crawl}.${name}`, partitions, retention: topics[name].retention })),
    );
    const manifest = { crawl, partitions, keyMode: 'host' } as const;
    await log.append(
      policyRecords(codec, manifest, { ...defaultPolicy(), queuedMax: urls + 1 }, 'bench', clock.nowMs()),
    );
    const produce = await measured(() => generate(log, codec, urls, hosts, Number(values.new), partitions));
    const read = await measured(() => readAll(log, codec, partitions));
    const frontier = await measured(() => runFrontier(log, codec, folder, partitions, urls));
    const { admitted, duplicates, leases } = frontier.result;
    const result = {
      name: 'topology',
      urls,
      partitions,
      admitted,
      duplicates,
      tasks: leases,
      urlsPerSecond: Math.round((1000 * urls) / frontier.wallMs),
      frontierCpuMicrosPerUrl: micros(frontier.cpuMs, urls),
      urlsPerFrontierCpuSecond: Math.round((1000 * urls) / frontier.cpuMs),
      stages: {
        produce: micros(produce.cpuMs, urls),
        read: micros(read.cpuMs, urls),
        decideAndAppend: micros(frontier.cpuMs - read.cpuMs, urls),
      },
      rssBytes: process.memoryUsage().rss,
    };
    console.table({ ...result, stages: JSON.stringify(result.stages) });
    if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  } finally {
    await log.close();
    await broker.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measured<T>(act: () => Promise<T>): Promise<{ result: T; cpuMs: number; wallMs: number }> {
  const cpu = process.cpuUsage();
  const beganMs = performance.now();
  const result = await act();
  const { user, system } = process.cpuUsage(cpu);
  return { result, cpuMs: (user + system) / 1000, wallMs: performance.now() - beganMs };
}

function micros(cpuMs: number, urls: number): number {
  return Number(((1000 * cpuMs) / urls).toFixed(3));
}

/** Links as pages have them: `share` of them new, the others seen before; hosts by a power law. */
async function generate(
  log: Log,
  codec: RecordCodec,
  urls: number,
  hosts: number,
  share: number,
  partitions: number,
): Promise<void> {
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const groupsOf: LinkGroup[][] = Array.from({ length: partitions }, () => []);
  /** Pages known of each host. */
  const known = new Uint32Array(hosts + 1);
  let batch: AppendRecord[] = [];
  const flush = (partition: number) => {
    const groups = groupsOf[partition]!.splice(0);
    if (groups.length === 0) return;
    const value = codec.encode('discovered', { groups });
    batch.push({ topic: `${crawl}.discovered`, partition, key: null, value });
  };
  for (let made = 0; made < urls; made += linksPerGroup) {
    const number = Math.floor(Math.exp(random() * Math.log(hosts)));
    const host = `host${number}.example.com`;
    const links = Array.from({ length: linksPerGroup }, () => {
      const isNew = random() < share || known[number] === 0;
      const page = isNew ? known[number]!++ : Math.floor(random() * known[number]!);
      return { url: `https://${host}/section/${page % 1000}/article-${page}.html`, lastModifiedMs: 0, priority: -1 };
    });
    const partition = partitionOf(host, partitions);
    groupsOf[partition]!.push({
      hostKey: host,
      sourceUrl: '',
      sourceKey: '',
      depth: 1,
      hop: 0,
      front: false,
      intent: 'discover',
      discoveredAtMs: 0,
      share: 0,
      traceparent: '',
      links,
    });
    if (groupsOf[partition]!.length >= groupsPerMessage) flush(partition);
    if (batch.length < 50) continue;
    await log.append(batch);
    batch = [];
  }
  for (let partition = 0; partition < partitions; partition++) flush(partition);
  await log.append(batch);
}

async function readAll(log: Log, codec: RecordCodec, partitions: number): Promise<void> {
  for (let partition = 0; partition < partitions; partition++) {
    const topic = `${crawl}.discovered`;
    const { start, end } = await log.offsets(topic, partition);
    for await (const { value } of recordsOf(log, topic, partition, start, end)) codec.decode('discovered', value);
  }
}

async function runFrontier(log: Log, codec: RecordCodec, folder: string, partitions: number, urls: number) {
  const options: FrontierGroupOptions = {
    log,
    codec,
    clock,
    crawl,
    partitions,
    key: { hi: 1, lo: 2 },
    endsLeases: false,
    leasesPerPartition: 10_000,
    openStore: (partition) => openRocksdbStore(join(folder, String(partition))),
    onFailure: (error) => {
      throw error;
    },
  };
  const group = await joinFrontierGroup(options);
  for (;;) {
    const { partitions: all } = await lookAt(log, crawl, partitions, null);
    const counters = sumCounters(all.map((one) => one.counters));
    if (counters.discovered >= urls) {
      await group.stop();
      return counters;
    }
    await clock.sleepUntil(clock.nowMs() + 200);
  }
}
