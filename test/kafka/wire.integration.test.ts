/** What docs/wire.md says of keys and partitions, of the records that a crawl writes to a real broker. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { kafkaJars, skipReason } from '../../lab/kafka/components.ts';
import { runCommand } from '../../lab/process/command.ts';
import { blankLinkGroup } from '../../schemas/blank.ts';
import type { Control, DeadLetter, Duplicate, Page, Response, Result, RobotsCopy, Task } from '../../schemas/types.ts';
import { createNoRegistry } from '../../services/runtime/avro/no-registry.ts';
import { openCodec } from '../../services/runtime/avro/record-codec.ts';
import type { Log, LogRecord } from '../../services/runtime/log/log.ts';
import { readChangelog } from '../../topology/frontier/changes/changelog.ts';
import { type AvroTopic, type TopicName, topicNames } from '../../topology/topics.ts';
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

  it('a record on a wrong partition is passed on with the header that the wire’s page names', async () => {
    const topic = `${name}.discovered`;
    const right = partitionOf('h0.test', partitions);
    const link = { url: `http://h0.test:${crawl.port}/astray`, lastModifiedMs: 0, priority: -1, spelling: '' };
    const group = { ...blankLinkGroup, hostKey: `h0.test:${crawl.port}`, depth: 1, links: [link] };
    const value = crawl.codec.encode('discovered', { groups: [group] });
    const wrong = (right + 1) % partitions;
    await crawl.log.append([{ topic, partition: wrong, key: Buffer.from('h0.test'), value }]);
    await crawl.until('it is passed on', () => crawl.counters().misrouted === 1);
    const passedOn = async () =>
      (await recordsOf(await crawl.openLog('passed-on'), topic, right)).filter(
        ({ headers }) => Object.keys(headers).length > 0,
      );
    const [{ headers, key }, ...rest] = (await passedOn()) as [LogRecord];
    assert.deepEqual([headers, key?.toString(), rest], [{ 'crawlstream-passed-on': `${wrong}` }, 'h0.test', []]);
    const page = readFileSync(join(root, 'docs/wire.md'), 'utf8');
    assert.ok(rowsOf(page, 'discovered')[1]![2]!.startsWith('`crawlstream-passed-on`'));
  });

  let crawled: Promise<void> | undefined;
  /** A crawl by the command, once: with copies, robots.txt, a URL that is given up, and a command for a host. */
  const crawlByCommand = (t: TestContext) => (crawled ??= runCrawl(t));
  const runCrawl = async (t: TestContext) => {
    // Two pages of each host are copies.
    const { port } = await serveSite(t, (request, response) => {
      const hasRobots = request.headers.host!.startsWith('h1');
      if (request.url === '/robots.txt')
        return response.writeHead(hasRobots ? 200 : 404).end('User-agent: *\nDisallow: /no');
      if (request.url === '/broken') return response.writeHead(500).end();
      response.setHeader('content-type', 'text/html');
      const links =
        request.url === '/'
          ? '<a href="/1">1</a><a href="/2">2</a><a href="/broken">3</a>'
          : 'A text of several words. '.repeat(50);
      response.end(`<p>${links}</p>`);
    });
    const seeds = Array.from({ length: hosts }, (_, at) => `http://h${at}.test:${port}/`);
    // Nobody answers these: a host without a port, and addresses.
    seeds.push('http://plain.test/', `http://[2001:db8::7]:${port}/`, 'http://[2001:db8::8]/');
    const { code, stderr } = await runCommand([
      ...['crawl', ...seeds, '--resolve', '*.test:127.0.0.1', '--delay', '20ms', '--data', temporaryFolder()],
      ...['--brokers', broker.brokers, '--crawl', `${name}-java`, '--partitions', `${partitions}`],
      ...['--responses', '--trace-ratio', '1', '--with', 'dedup', '--retries', '20ms', '--contact', 'me@example.org'],
    ]);
    assert.equal(code, 0, stderr);
    const blocked = await runCommand([
      ...['block', `h3.test:${port}`, '--brokers', broker.brokers, '--crawl', `${name}-java`],
    ]);
    assert.equal(blocked.code, 0, blocked.stderr);
  };

  it('Java’s default partitioner leads to the records of a crawl as the wire’s page says, and topics have its headers and settings', async (t) => {
    await crawlByCommand(t);
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
      if (topic === 'tasks')
        for (const form of ['plain.test', '[2001:db8::7]:', '[2001:db8::8]'])
          assert.ok(
            records.some(([, key]) => key!.startsWith(form)),
            form,
          );
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

  it('the records of a crawl are in the order that the wire’s page says, on the partition that they are about, and traced in their field', async (t) => {
    await crawlByCommand(t);
    const full = `${name}-java`;
    const codec = await openCodec(createNoRegistry(), full);
    const log = await crawl.openLog('order');
    const counts: Record<string, number> = {};
    const traced: Record<string, number> = {};
    const policies: number[] = [];
    for (let partition = 0; partition < partitions; partition++) {
      assertCommits(await recordsOf(log, `${full}.frontier-changelog`, partition));
      for (const topic of Object.keys(orders) as AvroTopic[]) {
        const records = (await recordsOf(log, `${full}.${topic}`, partition)).map(({ value }) =>
          codec.decode(topic, value),
        );
        counts[topic] = (counts[topic] ?? 0) + records.length;
        if (orders[topic] !== null) assertOrder(topic, records);
        const contexts = [...JSON.stringify(records).matchAll(/"traceparent":"([^"]*)"/g)].map(
          ([, context]) => context!,
        );
        traced[topic] =
          (traced[topic] ?? 0) + contexts.filter((context) => /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/.test(context)).length;
        for (const record of records) {
          if (topic === 'dead-letters') assert.equal((record as DeadLetter).sourcePartition, partition);
          if (topic !== 'control') continue;
          const { kind, hostKey } = record as Control;
          if (hostKey !== '') assert.equal(partitionOfRecord('tasks', hostKey, partitions, 'host'), partition, kind);
          if (kind === 'policy') policies.push(partition);
        }
      }
    }
    assert.deepEqual([...new Set(policies)], [0, 1, 2, 3]);
    const page = readFileSync(join(root, 'docs/wire.md'), 'utf8');
    const [, named] = /^Records of (.+?) have the context/m.exec(page)!;
    for (const topic of Object.keys(orders)) {
      assert.equal(traced[topic]! > 0, named!.includes(`\`${topic}\``), `${topic}: ${traced[topic]} traced`);
      if (topic !== 'render') assert.ok(counts[topic]! > 0, topic);
    }
  });
});

/** Fields by which an order shows, and the records that share it: `of` is what they have in common. */
const orders: Readonly<Record<AvroTopic, ((record: never) => readonly [of: string, at: number]) | null>> = {
  // Kafka's own: the batches of a producer are numbered (see assertIdempotent).
  discovered: null,
  tasks: ({ epoch, leaseId }: Task) => ['', epoch * 1e6 + leaseId],
  results: ({ epoch, leaseId, completedAtMs }: Result) => [`${epoch} ${leaseId}`, completedAtMs],
  pages: ({ hostKey, fetchedAtMs }: Page) => [hostKey, fetchedAtMs],
  responses: ({ hostKey, fetchedAtMs }: Response) => [hostKey, fetchedAtMs],
  robots: ({ origin, fetchedAtMs }: RobotsCopy) => [origin, fetchedAtMs],
  // The crawl has no browser.
  render: null,
  duplicates: ({ url, atMs }: Duplicate) => [url, atMs],
  // As `discovered`.
  control: null,
  'dead-letters': ({ sourceTopic, atMs }: DeadLetter) => [sourceTopic, atMs],
};

/** Throws where a partition's records are not in the order of the wire's page. */
function assertOrder(topic: AvroTopic, records: readonly object[]): void {
  const last = new Map<string, number>();
  for (const record of records) {
    const [of, at] = orders[topic]!(record as never);
    assert.ok(at >= (last.get(of) ?? 0), `${topic}: ${of} at ${at} after ${last.get(of)}`);
    last.set(of, at);
  }
}

/** Commits of an epoch are numbered without a gap, and each refers to the claim that began the epoch. */
function assertCommits(records: readonly LogRecord[]): void {
  let [epoch, seq] = [-1, 0];
  for (const { offset, value } of records) {
    const one = readChangelog(value);
    if (one.kind === 'claim') [epoch, seq] = [offset, 0];
    else if (one.kind === 'commit') assert.deepEqual([one.epoch, one.seq], [epoch, ++seq]);
  }
  assert.ok(seq > 0);
}

/** As the first table says. A port that is the scheme's own is not named. */
const host = '(?:h\\d+\\.test|plain\\.test|\\[2001:db8::[78]\\])';
const hostKey = new RegExp(`^${host}(:\\d+)?$`);
const keyForms: Readonly<Record<TopicName, RegExp>> = {
  discovered: new RegExp(`^${host}$`),
  tasks: hostKey,
  results: new RegExp(`^${host}$`),
  pages: new RegExp(`^http://${host}(:\\d+)?/`),
  responses: hostKey,
  robots: new RegExp(`^http://${host}(:\\d+)? ([0-9a-f]{32,})?$`),
  render: hostKey,
  duplicates: hostKey,
  control: new RegExp(`^(${host}(:\\d+)?)?$`),
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
