/**
 * Links from another language's producer: librdkafka through Python, with its own default partitioner (CRC32), into topics
 * that are partitioned by murmur2. Hosts keep one queue, one request at a time and their delay, and each URL is fetched once.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { blankLinkGroup } from '../../schemas/blank.ts';
import { partitionOf } from '../../topology/url/partition.ts';
import { type InProcessCrawl, startCrawlInProcess } from './crawl-in-process.ts';
import { pythonSkipReason, runPython } from './python.ts';

const skip = (await skipReason()) ?? (await pythonSkipReason()) ?? false;
const partitions = 8;
const hosts = 30;
const pagesPerHost = 12;
const delayMs = 250;
const answerMs = 60;

/** Sends lines of `key value` (base64), and prints where each landed. */
const program = `
import base64, sys
from confluent_kafka import Producer
brokers, topic, lines, partitioner = sys.argv[1:5]
config = {'bootstrap.servers': brokers}
if partitioner != 'default':
    config['partitioner'] = partitioner
producer = Producer(config)
def landed(error, message):
    if error is not None:
        sys.exit(str(error))
    print(message.key().decode(), message.partition())
for line in open(lines):
    key, value = line.split()
    producer.produce(topic, key=key, value=base64.b64decode(value), on_delivery=landed)
producer.flush(60)
`;

describe('links from a producer with another partitioner', { skip }, () => {
  let broker: TestBroker;
  let crawl: InProcessCrawl;
  let folder: string;
  const failures: unknown[] = [];
  before(async () => {
    broker = await startBroker();
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-misrouted-'));
    crawl = await startCrawlInProcess({
      ...{ broker, crawl: `misrouted-${process.pid}`, partitions, delayMs, answerMs },
      onFailure: (error) => failures.push(error),
    });
  });
  after(async () => {
    await crawl?.stop();
    await broker?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const urlsOf = (host: string, from: number) =>
    Array.from({ length: pagesPerHost }, (_, page) => `http://${host}:${crawl.port}/${from + page}`);
  /** A record for each host; resolves with how many landed on a partition that their key does not lead to. */
  const send = async (from: number, partitioner: string): Promise<number> => {
    const lines = Array.from({ length: hosts }, (_, i) => {
      const links = urlsOf(`h${i}.test`, from).map((url) => ({ url, lastModifiedMs: 0, priority: -1, spelling: '' }));
      const group = { ...blankLinkGroup, hostKey: `h${i}.test:${crawl.port}`, depth: 1, links };
      return `h${i}.test ${crawl.codec.encode('discovered', { groups: [group] }).toString('base64')}`;
    });
    const file = join(folder, `${partitioner}.txt`);
    await writeFile(file, `${lines.join('\n')}\n`);
    const topic = `misrouted-${process.pid}.discovered`;
    const printed = await runPython(program, [broker.brokers, topic, file, partitioner]);
    const landed = printed.trim().split('\n');
    assert.equal(landed.length, hosts, printed);
    return landed.filter((line) => {
      const [key, partition] = line.split(' ');
      return partitionOf(key!, partitions) !== Number(partition);
    }).length;
  };

  it('links from a producer with another partitioner are fetched politely and once, and passed-on links are counted', async (t) => {
    const { counters, until } = crawl;
    const names = Array.from({ length: hosts }, (_, i) => `h${i}.test`);
    await crawl.seed(names.flatMap((host) => urlsOf(host, 0)));
    const astray = await send(1_000, 'default');
    assert.ok(astray > hosts / 2, `${astray} of ${hosts} are on a wrong partition`);
    await crawl.join('one', 100);
    await crawl.join('two', 100);
    const all = 2 * hosts * pagesPerHost;
    await until('every page is fetched', () => counters().page >= all);
    const { admitted, misrouted, dead } = counters();
    let [short, together] = [0, 0];
    for (const host of names) {
      const contacts = crawl.contacts.filter((one) => one.host === host);
      contacts.forEach(({ startMs }, index) => {
        const last = contacts[index - 1];
        if (last === undefined) return;
        if (startMs < last.endMs) together += 1;
        // Both times are the web's own, to the millisecond.
        else if (startMs - last.endMs < delayMs - 5) short += 1;
      });
    }
    const pages = crawl.contacts.filter(({ path }) => path !== '/robots.txt').map(({ host, path }) => `${host}${path}`);
    t.diagnostic(`${astray} of ${hosts} records astray; ${pages.length} page requests, ${short} short gaps`);
    assert.deepEqual({ short, together }, { short: 0, together: 0 });
    assert.equal(new Set(pages).size, pages.length, 'no URL is fetched twice');
    assert.deepEqual(
      { admitted, misrouted, dead, failures },
      { admitted: all, misrouted: astray, dead: 0, failures: [] },
    );
  });

  it('links from a producer that partitions as Java does need not be passed on', async () => {
    const before = crawl.counters();
    assert.equal(await send(2_000, 'murmur2_random'), 0);
    await crawl.until('they are admitted', () => crawl.counters().admitted === before.admitted + hosts * pagesPerHost);
    assert.equal(crawl.counters().misrouted, before.misrouted);
  });
});
