/** A crawl's parts on a real broker, all in the test's process: a frontier, fetchers that come and go, and a web on loopback. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestBroker } from '../../lab/kafka/broker.ts';
import { type FetcherGroup, joinFetcherGroup } from '../../services/fetcher/group.ts';
import { type FrontierGroup, joinFrontierGroup } from '../../services/frontier/frontier-group.ts';
import { createMemoryRegistry } from '../../services/runtime/avro/memory-registry.ts';
import { openCodec, type RecordCodec } from '../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { policyRecords, seedRecords } from '../../services/runtime/crawl/requests.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import type { Log } from '../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../services/runtime/store/memory-store.ts';
import { type Counters, sumCounters } from '../../topology/frontier/changes/counters.ts';
import { defaultPolicy } from '../../topology/policy/policy.ts';
import { topicNames, topics } from '../../topology/topics.ts';
import { compileNormalizer } from '../../topology/url/normalize.ts';

export interface InProcessOptions {
  readonly broker: TestBroker;
  readonly crawl: string;
  readonly partitions: number;
  readonly delayMs: number;
  /** How long the web takes for an answer. */
  readonly answerMs: number;
  readonly onFailure: (error: unknown) => void;
}

export interface Contact {
  readonly host: string;
  readonly path: string;
  readonly startMs: number;
  endMs: number;
}

export interface InProcessCrawl {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly frontier: FrontierGroup;
  /** Every request, robots.txt too, in the order they came. */
  readonly contacts: readonly Contact[];
  /** Of the web. */
  readonly port: number;
  openLog(clientId: string): Promise<Log>;
  seed(urls: readonly string[]): Promise<void>;
  counters(): Counters;
  /** Throws, with the counters, if it takes too long. */
  until(what: string, holds: () => boolean): Promise<void>;
  join(name: string, leasesMax: number): Promise<FetcherGroup>;
  stop(): Promise<void>;
}

const patienceMs = 120_000;

export async function startCrawlInProcess(options: InProcessOptions): Promise<InProcessCrawl> {
  const { broker, crawl, partitions, delayMs, answerMs, onFailure } = options;
  const ends: (() => Promise<unknown>)[] = [];
  const contacts: Contact[] = [];
  const web = createServer((request, response) => {
    const contact = { host: request.headers.host!.split(':')[0]!, path: request.url!, startMs: Date.now(), endMs: 0 };
    contacts.push(contact);
    setTimeout(() => {
      contact.endMs = Date.now();
      response.writeHead(contact.path === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' }).end('<p>hello');
    }, answerMs);
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  ends.push(async () => {
    web.closeAllConnections();
    web.close();
  });
  const clock = new SystemClock();
  const openLog = async (clientId: string): Promise<Log> => {
    const log = await openKafkaLog({ brokers: broker.brokers.split(','), clientId, heartbeatMs: 200 });
    ends.push(() => log.close());
    return log;
  };
  const codec = await openCodec(createMemoryRegistry(), crawl);
  const log = await openLog(`${crawl}-frontier`);
  await log.createTopics(
    topicNames.map((name) => ({ name: `${crawl}.${name}`, partitions, retention: topics[name].retention })),
  );
  const named = { crawl, partitions, keyMode: 'host' } as const;
  const policy = { ...defaultPolicy(), delayMs, delayFactor: 0 };
  await log.append(policyRecords(codec, named, policy, 'test', clock.nowMs()));
  const frontier = await joinFrontierGroup({
    ...{ log, codec, clock, crawl, partitions, key: { hi: 1, lo: 2 }, endsLeases: false, onFailure },
    openStore: async () => createMemoryStore(),
  });
  ends.push(() => frontier.stop());
  await frontier.ready();
  const counters = () =>
    sumCounters([...frontier.committed().values()].flatMap((one) => (one === undefined ? [] : [one.counters])));
  return {
    log,
    codec,
    frontier,
    contacts,
    port: (web.address() as AddressInfo).port,
    openLog,
    counters,
    async seed(urls) {
      await log.append(seedRecords(codec, named, urls, clock.nowMs()));
    },
    async until(what, holds) {
      for (const untilMs = Date.now() + patienceMs; !holds(); await sleep(50)) {
        if (Date.now() < untilMs) continue;
        const some = Object.fromEntries(Object.entries(counters()).filter(([, count]) => count !== 0));
        throw new Error(`waited in vain: ${what}; ${JSON.stringify(some)}`);
      }
    },
    async join(name, leasesMax) {
      const fetcher = await joinFetcherGroup({
        ...{ log: await openLog(name), codec, clock, crawl, partitions, keyMode: 'host', fetcherId: name, onFailure },
        normalize: compileNormalizer(),
        config: {
          ...{ version: '0', contact: '', allowPrivate: true, addressDelayMs: 0, groupSize: () => 1, linksMax: 10 },
          resolve: [{ host: '*', port: null, address: '127.0.0.1' }],
          leasesMax,
        },
      });
      ends.push(() => fetcher.stop());
      return fetcher;
    },
    async stop() {
      for (const end of ends.splice(0).reverse()) await end();
    },
  };
}
