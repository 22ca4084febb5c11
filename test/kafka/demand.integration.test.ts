/**
 * Demand on a real broker: 48 partitions, one fetcher and then four, against a web on loopback that answers after 300 ms.
 * Leases out grow with the fetchers, without a flag; while there is no fetcher nothing is granted, and nothing is lost.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FetcherGroup, joinFetcherGroup } from '../../services/fetcher/group.ts';
import { type FrontierGroup, joinFrontierGroup } from '../../services/frontier/frontier-group.ts';
import { createMemoryRegistry } from '../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { policyRecords, seedRecords } from '../../services/runtime/crawl/requests.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import type { Log } from '../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../services/runtime/store/memory-store.ts';
import { sumCounters } from '../../topology/frontier/changes/counters.ts';
import { defaultPolicy } from '../../topology/policy/policy.ts';
import { topicNames, topics } from '../../topology/topics.ts';
import { compileNormalizer } from '../../topology/url/normalize.ts';
import { startBroker } from './broker.ts';
import { skipReason } from './components.ts';

const skip = (await skipReason()) ?? false;
const crawl = `demand-${process.pid}`;
const partitions = 48;
const hosts = 500;
const pagesPerHost = 12;
const answerMs = 300;
/** Hosts that one fetcher fetches from at once. */
const concurrency = 40;
const patienceMs = 120_000;

describe('demand on Kafka', { skip }, () => {
  const ends: (() => Promise<unknown>)[] = [];
  after(async () => {
    for (const end of ends.reverse()) await end();
  });

  it('follows the fetchers that are there, and no fetcher costs no URL anything', async (t) => {
    const web = createServer((request, response) => {
      const isPage = request.url !== '/robots.txt';
      setTimeout(
        () => response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' }).end('<p>hello'),
        answerMs,
      );
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    ends.push(async () => web.close());
    const { port } = web.address() as AddressInfo;
    const broker = await startBroker();
    ends.push(() => broker.stop());
    const clock = new SystemClock();
    const openLog = async (clientId: string): Promise<Log> => {
      const log = await openKafkaLog({ brokers: broker.brokers.split(','), clientId, heartbeatMs: 200 });
      ends.push(() => log.close());
      return log;
    };
    const codec = await openCodec(createMemoryRegistry(), crawl);
    const log = await openLog('demand-frontier');
    await log.createTopics(
      topicNames.map((name) => ({ name: `${crawl}.${name}`, partitions, retention: topics[name].retention })),
    );
    const named = { crawl, partitions, keyMode: 'host' } as const;
    await log.append(policyRecords(codec, named, { ...defaultPolicy(), delayMs: 100, delayFactor: 0 }, 't', 0));
    const urls = Array.from({ length: hosts }, (_, host) =>
      Array.from({ length: pagesPerHost }, (_, page) => `http://h${host}.test:${port}/${page}`),
    ).flat();
    await log.append(seedRecords(codec, named, urls, clock.nowMs()));

    const frontier: FrontierGroup = await joinFrontierGroup({
      ...{ log, codec, clock, crawl, partitions, key: { hi: 1, lo: 2 }, endsLeases: false },
      openStore: async () => createMemoryStore(),
      onFailure: (error) => t.diagnostic(`${error}`),
    });
    ends.push(() => frontier.stop());
    await frontier.ready();
    const counters = () => sumCounters([...frontier.committed().values()].map((one) => one!.counters));
    const until = async (what: string, holds: () => boolean) => {
      for (const untilMs = Date.now() + patienceMs; !holds(); await sleep(50)) {
        const { leases, page, queued, dead } = counters();
        assert.ok(Date.now() < untilMs, `${what}: ${JSON.stringify({ leases, page, queued, dead })}`);
      }
    };
    await until('all seeds are admitted', () => counters().admitted === urls.length);
    await until('it is known that nobody fetches', () => frontier.fetchers === 0);
    assert.match(frontier.note() ?? '', /no fetcher/);
    assert.equal(counters().leases, 0, 'nothing is granted for nobody');

    const join = async (name: string): Promise<FetcherGroup> => {
      const fetcher = await joinFetcherGroup({
        ...{ log: await openLog(name), codec, clock, crawl, partitions, keyMode: 'host', fetcherId: name },
        normalize: compileNormalizer(),
        config: {
          ...{ version: '0', contact: '', allowPrivate: true, addressDelayMs: 0, groupSize: () => 1, linksMax: 10 },
          resolve: [{ host: '*', port: null, address: '127.0.0.1' }],
          leasesMax: concurrency,
        },
        onFailure: (error) => t.diagnostic(`${error}`),
      });
      ends.push(() => fetcher.stop());
      return fetcher;
    };
    const running = (fetchers: readonly FetcherGroup[]) =>
      fetchers.reduce((sum, { fetcher }) => sum + fetcher.stats().leasesRunning, 0);

    const fetchers = [await join('one')];
    await until('one fetcher has all it can take', () => running(fetchers) === concurrency);
    const withOne = counters().leases;
    for (const name of ['two', 'three', 'four']) fetchers.push(await join(name));
    await until('four fetchers have all they can take', () => running(fetchers) >= 0.95 * 4 * concurrency);
    const withFour = counters().leases;
    t.diagnostic(`leases out: ${withOne} with one fetcher of ${concurrency} hosts at once, ${withFour} with four`);
    assert.ok(withFour - withOne > 1.5 * concurrency, `${withOne} leases with one fetcher, ${withFour} with four`);

    for (const fetcher of fetchers.splice(0)) await fetcher.stop();
    await until('it is known that all have gone', () => frontier.fetchers === 0);
    const granted = counters();
    await sleep(3_000);
    assert.ok(counters().leases <= granted.leases, 'nothing more is granted');
    fetchers.push(await join('five'), await join('six'), await join('seven'), await join('eight'));
    await until('every page is fetched', () => counters().page === urls.length);
    const { dead, failed, untaken } = counters();
    t.diagnostic(`${untaken} leases were never taken`);
    assert.deepEqual({ dead, failed }, { dead: 0, failed: 0 });
  });
});
