/**
 * `npm run bench -- clients [--urls N] [--partitions P] [--json]`
 *
 * Compares clients of Kafka for the needs of the log port: idempotent appends acked by all replicas, one in flight at a
 * time, and reading all records from the beginning. There are two shapes of records: `links`, of 40 kB with 500 links
 * each, as the generator of `topology` fills `discovered` (`--urls` links in all), and `tasks` of 700 bytes, a tenth as
 * many as links. CPU of the client's process per record, µs, each in a separate process.
 */

import { openKafkaLog } from '../../../services/runtime/log/kafka/kafka-log.ts';
import type { AppendRecord } from '../../../services/runtime/log/log.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { startBroker } from '../../kafka/broker.ts';
import { type BenchOptions, benchOptions } from '../bench-options.ts';
import { neverHere, onOneCore } from '../process/one-core.ts';
import { type Cost, costOf } from '../process/process-cost.ts';
import type { OpenClient } from './clients/bare-client.ts';
import { openConfluent } from './clients/confluent.ts';
import { openKafkajs } from './clients/kafkajs.ts';
import { openOurs } from './clients/ours.ts';
import { openPlatformatic } from './clients/platformatic.ts';

const clients: Readonly<Record<string, OpenClient>> = {
  ours: openOurs,
  kafkajs: openKafkajs,
  platformatic: openPlatformatic,
  confluent: openConfluent,
};

interface Shape {
  readonly name: string;
  readonly bytes: number;
  readonly records: (urls: number) => number;
  /** Records of one append. */
  readonly together: number;
}

const shapes: readonly Shape[] = [
  { name: 'links', bytes: 40_000, records: (urls) => Math.ceil(urls / 500), together: 16 },
  { name: 'tasks', bytes: 700, records: (urls) => Math.ceil(urls / 10), together: 200 },
];

interface ClientFigures {
  readonly client: string;
  readonly shape: string;
  readonly appendCpuMicros: number;
  readonly appendsPerSecond: number;
  readonly readCpuMicros: number;
  readonly readsPerSecond: number;
}

export async function run(args: readonly string[]): Promise<void> {
  const options = benchOptions(args, { urls: 1_000_000, hosts: 1 });
  if (options.part !== undefined) {
    const open = clients[options.part];
    if (open === undefined) throw new CrawlstreamError('INVALID_ARGUMENT', `--part ${options.part}: there is none`);
    await onOneCore('clients', args, () => measureClient(options.part!, open, options));
    return;
  }
  const broker = await startBroker();
  try {
    const all: ClientFigures[] = [];
    for (const part of Object.keys(clients)) {
      const found = await onOneCore<ClientFigures[]>(
        'clients',
        [...args, '--part', part, '--brokers', broker.brokers, '--crawl', `clients-${Date.now().toString(36)}`],
        neverHere,
      );
      all.push(...found!);
    }
    console.table(all);
    if (options.json) process.stdout.write(`${JSON.stringify({ name: 'clients', urls: options.urls, all })}\n`);
  } finally {
    await broker.stop();
  }
}

async function measureClient(client: string, open: OpenClient, options: BenchOptions): Promise<ClientFigures[]> {
  const { brokers, crawl, partitions, urls } = options;
  const addresses = brokers.split(',');
  const log = await openKafkaLog({ brokers: addresses, clientId: 'setup' });
  const figures: ClientFigures[] = [];
  for (const { name, bytes, records, together } of shapes) {
    const topic = `${crawl}.${client}-${name}`;
    await log.createTopics([{ name: topic, partitions, retention: 'time' }]);
    const bare = await open(addresses).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
      throw error;
    });
    if (bare === undefined) {
      process.stdout.write(`${client} is not installed: passed over\n`);
      break;
    }
    const count = records(urls);
    const values = Array.from({ length: together }, (_, i) => Buffer.alloc(bytes, i + 1));
    const append = await costOf(async () => {
      for (let sent = 0; sent < count; sent += together) {
        const some = values.slice(0, Math.min(together, count - sent));
        await bare.append(
          some.map((value, i): AppendRecord => ({ topic, partition: (sent + i) % partitions, key: null, value })),
        );
      }
    });
    const read = await costOf(() => bare.readAll(topic, partitions, count));
    if (read.value !== count * bytes) throw new Error(`${client} read ${read.value} bytes of ${count * bytes}`);
    await bare.close();
    figures.push({
      client,
      shape: name,
      ...rates('append', append, count),
      ...rates('read', read, count),
    } as ClientFigures);
  }
  await log.close();
  return figures;
}

function rates(what: 'append' | 'read', { cpuSeconds, seconds }: Cost<unknown>, count: number) {
  return {
    [`${what}CpuMicros`]: Number(((1e6 * cpuSeconds) / count).toFixed(1)),
    [`${what}sPerSecond`]: Math.round(count / seconds),
  };
}
