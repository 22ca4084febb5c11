/** What docs/wire.md says of keys and partitions, of the records that a crawl writes to a real broker. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { kafkaJars, skipReason } from '../../lab/kafka/components.ts';
import { runCommand } from '../../lab/process/command.ts';
import type { Log, LogRecord } from '../../services/runtime/log/log.ts';
import { type TopicName, topicNames } from '../../topology/topics.ts';
import { partitionOf } from '../../topology/url/partition.ts';
import { partitionOfRecord } from '../../topology/wire/wire.ts';
import { serveSite } from '../services/fetcher/loopback.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { type InProcessCrawl, startCrawlInProcess } from './crawl-in-process.ts';

const skip = (await skipReason()) ?? false;
const partitions = 4;
const hosts = 12;
const name = `wire-${process.pid}`;
const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the records of a crawl on a broker', { skip, timeout: 400_000 }, () => {
  let broker: TestBroker;
  let crawl: InProcessCrawl;
  const failures: unknown[] = [];
  before(async () => {
    broker = await startBroker({ own: true });
    crawl = await startCrawlInProcess({
      ...{ broker, crawl: name, partitions, delayMs: 50, answerMs: 5 },
      onFailure: (error) => failures.push(error),
    });
  });
  after(async () => {
    await crawl?.stop();
    await broker?.stop();
  });

  it('the records of a crawl lie where the wire’s page says that their keys lead, and host keys with a port do not by themselves', async () => {
    const urls = Array.from({ length: hosts }, (_, host) =>
      [1, 2].map((page) => `http://h${host}.test:${crawl.port}/${page}`),
    ).flat();
    await crawl.seed(urls);
    await crawl.join('one', 100);
    await crawl.until('every page is fetched', () => crawl.counters().page >= urls.length);
    const seen = new Map<TopicName, { count: number; byWholeKey: number }>();
    const log = await crawl.openLog('reader');
    for (const topic of topicNames) {
      for (let partition = 0; partition < partitions; partition++) {
        for (const { key } of await recordsOf(log, `${name}.${topic}`, partition)) {
          const text = key?.toString() ?? '';
          const expected = partitionOfRecord(topic, text, partitions, 'host');
          if (expected === null) continue;
          assert.equal(partition, expected, `${topic}: ${text}`);
          const counts = seen.get(topic) ?? { count: 0, byWholeKey: 0 };
          counts.count += 1;
          if (partitionOf(text, partitions) === partition) counts.byWholeKey += 1;
          seen.set(topic, counts);
        }
      }
    }
    for (const topic of ['discovered', 'tasks', 'results', 'pages', 'robots'] as const) {
      const { count, byWholeKey } = seen.get(topic)!;
      assert.ok(count > 0, topic);
      const isWhole = topic === 'discovered' || topic === 'results';
      assert.equal(byWholeKey === count, isWhole, `${topic}: ${byWholeKey} of ${count}`);
    }
    assert.deepEqual(failures, []);
  });

  it('Java’s default partitioner leads to the records of a crawl as the wire’s page says, and topics have its headers and settings', async (t) => {
    // Two pages of each host are copies.
    const { port } = await serveSite(t, (request, response) => {
      const hasRobots = request.headers.host!.startsWith('h1');
      if (request.url === '/robots.txt')
        return response.writeHead(hasRobots ? 200 : 404).end('User-agent: *\nDisallow: /no');
      response.setHeader('content-type', 'text/html');
      const links =
        request.url === '/' ? '<a href="/1">1</a><a href="/2">2</a>' : 'A text of several words. '.repeat(50);
      response.end(`<p>${links}</p>`);
    });
    const seeds = Array.from({ length: hosts }, (_, at) => `http://h${at}.test:${port}/`);
    const crawled = await runCommand([
      ...['crawl', ...seeds, '--resolve', `*.test:${port}:127.0.0.1`, '--delay', '20ms', '--data', temporaryFolder()],
      ...['--brokers', broker.brokers, '--crawl', `${name}-java`, '--partitions', `${partitions}`],
      ...['--responses', '--trace-ratio', '1', '--with', 'dedup'],
    ]);
    assert.equal(crawled.code, 0, crawled.stderr);
    const rows = await javaRows(broker.brokers, `${name}-java`);
    const page = readFileSync(join(root, 'docs/wire.md'), 'utf8');
    for (const topic of topicNames) {
      const full = `${name}-java.${topic}`;
      const records = rows.flatMap(([kind, of, ...cells]) => (kind === 'record' && of === full ? [cells] : []));
      const [keys, facts, kept] = rowsOf(page, topic);
      const [, , , agrees] = keys!;
      for (const [partition, key, headers] of records) {
        assert.match(key!, keyForms[topic], topic);
        for (const header of headers!.split(',').filter(Boolean))
          assert.ok(facts![2]!.includes(`\`${header}\``), `${topic} has the header ${header}`);
        assert.ok(Number(partition) < partitions);
      }
      if (facts![2]!.startsWith('`traceparent`'))
        assert.ok(
          records.some(([, , headers]) => headers === 'traceparent'),
          topic,
        );
      if (agrees !== 'not used' && topic !== 'render') {
        assert.ok(records.length > 0, topic);
        for (const [partition, key, , , byPart] of records) assert.equal(byPart, partition, `${topic}: ${key}`);
        const isAgreed = records.every(([partition, , , byWhole]) => byWhole === partition);
        assert.equal(isAgreed ? 'agrees' : 'differs', agrees, topic);
      }
      for (let partition = 0; partition < partitions; partition++)
        assertIdempotent(broker.partitionFolder(full, partition));
      const settingOf = (setting: string) => rows.find(([, of, one]) => of === full && one === setting)![3];
      assert.equal(settingOf('cleanup.policy'), kept![1], topic);
      const [, days, gibibytes] = /^(\d+) days?, (\d+) GiB/.exec(kept![2]!) ?? [];
      if (days !== undefined || kept![2]!.startsWith('for ever')) {
        assert.equal(settingOf('retention.ms'), days === undefined ? '-1' : `${Number(days) * 86_400_000}`, topic);
        assert.equal(settingOf('retention.bytes'), days === undefined ? '-1' : `${Number(gibibytes) * 2 ** 30}`, topic);
      }
    }
  });
});

/** As the first table says: of the web on loopback, all hosts have a port. */
const host = 'h\\d+\\.test';
const hostKey = new RegExp(`^${host}:\\d+$`);
const keyForms: Readonly<Record<TopicName, RegExp>> = {
  discovered: new RegExp(`^${host}$`),
  tasks: hostKey,
  results: new RegExp(`^${host}$`),
  pages: new RegExp(`^http://${host}:\\d+/`),
  responses: hostKey,
  robots: new RegExp(`^http://${host}:\\d+ ([0-9a-f]{32,})?$`),
  render: hostKey,
  duplicates: hostKey,
  control: new RegExp(`^(${host}:\\d+)?$`),
  'dead-letters': new RegExp(`^${host}(:\\d+)?$`),
  'frontier-changelog': /^$/,
};

/** Of each batch on the broker's disk: it has a producer's id, and belongs to no transaction. */
function assertIdempotent(folder: string): void {
  for (const file of readdirSync(folder).filter((file) => file.endsWith('.log'))) {
    const log = readFileSync(join(folder, file));
    // A segment is allocated ahead, with zeros behind its last batch.
    for (let at = 0; at + 61 <= log.length && log[at + 16] === 2; at += 12 + log.readInt32BE(at + 8)) {
      assert.ok(log.readBigInt64BE(at + 43) >= 0n, `${folder}: a producer has no id`);
      assert.equal(log.readInt16BE(at + 21) & 0x10, 0, `${folder}: a transaction`);
    }
  }
}

/** Cells of a topic's row in each table of the page. */
function rowsOf(page: string, topic: TopicName): string[][] {
  const lines = page.split('\n').filter((line) => line.startsWith(`| \`${topic}\` |`));
  assert.equal(lines.length, 3, topic);
  return lines.map((line) => line.slice(2, -2).split(' | '));
}

async function javaRows(brokers: string, crawl: string): Promise<string[][]> {
  const program = fileURLToPath(new URL('WirePartitions.java', import.meta.url));
  const flags = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', `${await kafkaJars()}/*`];
  const run = promisify(execFile);
  const { stdout } = await run('java', [...flags, program, brokers, crawl], { timeout: 120_000, maxBuffer: 2 ** 26 });
  return stdout.split('\n').flatMap((line) => (/^(record|setting)\t/.test(line) ? [line.split('\t')] : []));
}

async function recordsOf(log: Log, topic: string, partition: number): Promise<readonly LogRecord[]> {
  const { start, end } = await log.offsets(topic, partition);
  const reader = log.reader();
  reader.seek(topic, partition, start);
  const records: LogRecord[] = [];
  while (start < end && (records.at(-1)?.offset ?? -1) < end - 1) {
    const more = await reader.poll({ maxBytes: 1 << 20, waitMs: 5_000 });
    assert.ok(more.length > 0, `${topic}/${partition} is stuck at ${records.length} of ${end}`);
    records.push(...more);
  }
  await reader.close();
  return records;
}
