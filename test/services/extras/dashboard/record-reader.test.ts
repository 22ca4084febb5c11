/** The record of a URL and the links of its page: what is read for them, and what is not shown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordReader } from '../../../../services/extras/dashboard/command/record-reader.ts';
import { memoryCrawl } from '../../cli/inspect/memory-crawl.ts';

const url = 'http://a.test/';
const hour = 3_600_000;

async function crawlWithPage() {
  let nowMs = hour;
  const memory = await memoryCrawl(4, { nowMs: () => nowMs, sleepUntil: async () => {} });
  const { crawl, policy, page, discovered } = memory;
  await policy();
  for (let n = 0; n < 20; n++) await discovered(`h${n}.test`, [`http://h${n}.test/early`], { sourceUrl: url });
  nowMs += hour;
  await discovered('a.test', ['http://a.test/1', 'http://a.test/2'], { sourceUrl: url });
  await discovered('b.test', ['http://b.test/'], { sourceUrl: url });
  await page({ url, fetchedAtMs: nowMs });
  nowMs += hour;
  for (let n = 0; n < 20; n++) await discovered(`h${n}.test`, [`http://h${n}.test/late`], { sourceUrl: url });
  const read: number[] = [];
  const reader = () => {
    const own = crawl.log.reader();
    const poll = own.poll.bind(own);
    own.poll = async (options) => {
      const records = await poll(options);
      read.push(...records.filter(({ topic }) => topic === 'c.discovered').map(({ timestampMs }) => timestampMs));
      return records;
    };
    return own;
  };
  const shown = { ...crawl, log: { ...crawl.log, reader } };
  const urls = async () => (await recordReader(shown, {})(url)).links.map((one) => one.url).sort();
  return { ...memory, shown, read, urls };
}

test('the links of a page are read from about the time of its append alone', async () => {
  const { urls, read, close } = await crawlWithPage();
  assert.deepEqual(await urls(), ['http://a.test/1', 'http://a.test/2', 'http://b.test/']);
  assert.ok(!read.includes(hour), 'no record of an earlier time is read');
  await close();
});

test('the screenshot of a page is shown until the page is purged or taken back', async () => {
  for (const remove of ['purge', 'takenBack'] as const) {
    const { crawl, policy, page, purge, takenBack, close } = await memoryCrawl();
    await policy();
    await page({ url, fetchedAtMs: hour, screenshot: new Uint8Array([106, 112, 101, 103]) });
    const screenshot = async () => (await recordReader(crawl, {})(url)).screenshot;
    assert.equal(await screenshot(), 'anBlZw==');
    await (remove === 'purge' ? purge('a.test', 2 * hour) : takenBack(url));
    assert.equal(await screenshot(), '', remove);
    await close();
  }
});

test('a page that was purged or taken back has no links, and nothing is read to find some', async () => {
  for (const remove of ['purge', 'takenBack'] as const) {
    const { urls, read, close, purge, takenBack } = await crawlWithPage();
    await (remove === 'purge' ? purge('a.test', 4 * hour) : takenBack(url));
    assert.deepEqual([await urls(), read], [[], []], remove);
    await close();
  }
});

test('links to purged pages are not shown', async () => {
  const { urls, purge, close } = await crawlWithPage();
  await purge('b.test', 4 * hour);
  assert.deepEqual(await urls(), ['http://a.test/1', 'http://a.test/2']);
  await close();
});

test('the read of a record ends when its caller leaves', async () => {
  const { shown, read, close } = await crawlWithPage();
  await assert.rejects(recordReader(shown, {})(url, AbortSignal.abort()), /the caller left/);
  assert.deepEqual(read, []);
  await close();
});
