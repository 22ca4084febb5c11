/** What is read of a crawl of a fleet that is paused, resumed, deleted or made again at that moment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankPage } from '../../../../schemas/blank.ts';
import { readPages } from '../../../../services/extras/fleet/api/read-pages.ts';
import type { CrawlAnswer } from '../../../../services/extras/fleet/fleet-schemas.ts';
import { bytesWhileThere, type CrawlReads, readCrawl } from '../../../../services/extras/fleet/read-crawl.ts';
import {
  PageScraper,
  type PageScraperOptions,
  type Requester,
} from '../../../../services/extras/fleet/scrape/page-scraper.ts';
import { openMemoryLog } from '../../../../services/library/memory-log.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';

const missing = { code: 'NOT_FOUND', statusCode: 404 };

/** A fleet of one crawl, `a`, which a test changes while it is read. */
function fleetOf(createdAtMs: number) {
  const now = { createdAtMs, settles: 0 };
  const fleet = {
    find: () => ({ name: 'a', createdAtMs: now.createdAtMs }) as CrawlAnswer,
    reads: () => undefined,
    pathOf: () => '/a',
    settled: async () => void now.settles++,
  };
  return { now, fleet };
}

test('a crawl that is made again while the former one is read is not shown in its place', async () => {
  const { now, fleet } = fleetOf(1);
  const reading: CrawlReads['reading'] = async (_, act) => {
    now.createdAtMs = 2;
    return act({} as never);
  };
  const crawl = { name: 'a', createdAtMs: 1 };
  await assert.rejects(
    readCrawl({ fleet, reading }, crawl, async () => 'of the new crawl'),
    missing,
  );
});

test('a crawl that is paused while it is read is read again, and a failure with another cause is reported', async () => {
  const { now, fleet } = fleetOf(1);
  let failures = 1;
  const reading: CrawlReads['reading'] = async (_, act) => {
    if (failures-- > 0) throw new Error('its store is closed');
    return act({} as never);
  };
  const crawl = { name: 'a', createdAtMs: 1 };
  assert.equal(await readCrawl({ fleet, reading }, crawl, async () => 7), 7);
  assert.equal(now.settles, 1);
  failures = Number.POSITIVE_INFINITY;
  await assert.rejects(
    readCrawl({ fleet, reading }, crawl, async () => 7),
    /its store is closed/,
  );
});

test('a file that a client is reading breaks off once its crawl is deleted', async () => {
  const { now, fleet } = fleetOf(1);
  const taken: number[] = [];
  async function* bytes() {
    yield Uint8Array.of(1);
    now.createdAtMs = 2;
    yield Uint8Array.of(2);
  }
  await assert.rejects(async () => {
    for await (const [byte] of bytesWhileThere(fleet, { name: 'a', createdAtMs: 1 }, bytes())) taken.push(byte!);
  }, missing);
  assert.deepEqual(taken, [1]);
});

test('a scraped page belongs to the crawl that has the name now, not to the former one', async () => {
  const clock = new SystemClock();
  const logs = await Promise.all([1, 2].map(() => openMemoryLog('c', 1, clock)));
  const urlsOf = [['http://a.test/old'], ['http://a.test/new', 'http://a.test/other']];
  for (const [n, { log, codec }] of logs.entries())
    for (const url of urlsOf[n]!) {
      const page = { ...blankPage, url, hostKey: 'a.test', fetchedAtMs: clock.nowMs() };
      await log.append([{ topic: 'c.pages', partition: 0, key: Buffer.from(url), value: codec.encode('pages', page) }]);
    }
  const { now, fleet } = fleetOf(1);
  const reading: CrawlReads['reading'] = (_, act) => act({ ...logs[now.createdAtMs - 1]!, crawl: 'c' });
  const list = () => [fleet.find()];
  const options = { fleet: { ...fleet, list }, clock, reading, explain: async () => [[]] };
  const scraper = new PageScraper(options as unknown as PageScraperOptions);
  const create = () => Promise.reject(new Error('it is fetched'));
  const requester: Requester = { id: '', owner: '', uses: [], crawls: list, create };
  const pageOf = async (url: string) => (await scraper.read(requester, url, 60_000, 0)).page?.url;
  assert.equal(await pageOf('http://a.test/old'), 'http://a.test/old');
  now.createdAtMs = 2;
  assert.equal(await pageOf('http://a.test/new'), 'http://a.test/new');
  assert.deepEqual([...(await scraper.pages(fleet.find())).keys()], urlsOf[1]);
});

test('what a call reads of a crawl’s log counts, also if it shows nothing of it', async () => {
  const { log, codec } = await openMemoryLog('c', 1, new SystemClock());
  const pages = Array.from({ length: 50 }, (_, n) => ({
    ...blankPage,
    url: `http://a.test/${n}`,
    text: 'x'.repeat(1_000),
  }));
  const value = (page: (typeof pages)[0]) => codec.encode('pages', page);
  await log.append(pages.map((page) => ({ topic: 'c.pages', partition: 0, key: null, value: value(page) })));
  const { fleet } = fleetOf(1);
  const counted: [name: string, bytes: number][] = [];
  const parts: CrawlReads = {
    fleet,
    reading: (_, act) => act({ log, codec, crawl: 'c' }),
    onRead: (name, bytes) => void counted.push([name, bytes]),
  };
  const { lines } = await readCrawl(parts, fleet.find(), (reads) => readPages(reads, () => false, 0, 10));
  assert.deepEqual(lines, []);
  assert.ok(counted.every(([name]) => name === 'a'));
  assert.equal(
    counted.reduce((sum, [, bytes]) => sum + bytes, 0),
    pages.reduce((sum, page) => sum + value(page).length, 0),
  );
});
