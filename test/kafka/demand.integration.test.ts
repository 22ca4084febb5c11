/**
 * Demand on a real broker: 48 partitions, one fetcher and then four, against a web on loopback that answers after 300 ms.
 * Leases out grow with the fetchers, without a flag; while there is no fetcher nothing is granted, and nothing is lost.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import type { FetcherGroup } from '../../services/fetcher/group.ts';
import { type InProcessCrawl, startCrawlInProcess } from './crawl-in-process.ts';

const skip = (await skipReason()) ?? false;
const hosts = 500;
const pagesPerHost = 12;
/** Hosts that one fetcher fetches from at once. */
const concurrency = 40;

describe('demand on Kafka', { skip }, () => {
  let broker: TestBroker;
  let crawl: InProcessCrawl;
  before(async () => {
    broker = await startBroker();
  });
  after(async () => {
    await crawl?.stop();
    await broker?.stop();
  });

  it('demand on Kafka follows the running fetchers, and a missing fetcher costs no URL anything', async (t) => {
    const failures: unknown[] = [];
    crawl = await startCrawlInProcess({
      ...{ broker, crawl: `demand-${process.pid}`, partitions: 48, delayMs: 100, answerMs: 300 },
      onFailure: (error) => failures.push(error),
    });
    const { frontier, counters, until, join, port } = crawl;
    const urls = Array.from({ length: hosts * pagesPerHost }, (_, i) => `http://h${i % hosts}.test:${port}/${i}`);
    await crawl.seed(urls);
    await until('all seeds are admitted', () => counters().admitted === urls.length);
    await until('it is known that nobody fetches', () => frontier.fetchers === 0);
    assert.match(frontier.note() ?? '', /no fetcher/);
    assert.equal(counters().leases, 0, 'nothing is granted for nobody');
    const ready = () => [...frontier.committed().values()].reduce((sum, one) => sum + (one?.readyHosts ?? 0), 0);
    await until('every host is ready, while nothing is granted', () => ready() === hosts);

    const running = (fetchers: readonly FetcherGroup[]) =>
      fetchers.reduce((sum, { fetcher }) => sum + fetcher.stats().leasesRunning, 0);
    const fetchers = [await join('one', concurrency)];
    await until('one fetcher has all it can take', () => running(fetchers) === concurrency);
    const withOne = counters().leases;
    for (const name of ['two', 'three', 'four']) fetchers.push(await join(name, concurrency));
    await until('four fetchers have all they can take', () => running(fetchers) >= 0.95 * 4 * concurrency);
    const withFour = counters().leases;
    t.diagnostic(`leases out: ${withOne} with one fetcher of ${concurrency} hosts at once, ${withFour} with four`);
    assert.ok(withFour - withOne > 1.5 * concurrency, `${withOne} leases with one fetcher, ${withFour} with four`);

    for (const fetcher of fetchers.splice(0)) await fetcher.stop();
    await until('it is known that all have gone', () => frontier.fetchers === 0);
    const before = counters().leases;
    await sleep(3_000);
    assert.ok(counters().leases <= before, 'nothing more is granted');
    for (const name of ['five', 'six', 'seven', 'eight']) await join(name, concurrency);
    await until('every page is fetched', () => counters().page === urls.length);
    const { dead, failed, untaken } = counters();
    t.diagnostic(`${untaken} leases were never taken`);
    assert.deepEqual({ dead, failed, failures }, { dead: 0, failed: 0, failures: [] });
  });
});
