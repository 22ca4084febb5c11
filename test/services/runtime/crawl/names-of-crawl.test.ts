import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesOfCrawl } from '../../../../services/runtime/crawl/names-of-crawl.ts';
import { memoryCrawl } from '../../cli/inspect/memory-crawl.ts';

test('URLs are named by the newest policy of the crawl, and stay as they are if it refuses them or is missing', async () => {
  const { crawl, policy, close } = await memoryCrawl();
  const named = async (url: string) => (await namesOfCrawl(crawl.log, crawl.codec, 'c'))(url);
  const typed = 'HTTP://A.test:80/x?b=1&a=2#part';
  assert.equal(await named(typed), typed);
  await policy();
  assert.equal(await named(typed), 'http://a.test/x?a=2&b=1');
  assert.equal(await named('mailto:me@a.test'), 'mailto:me@a.test');
  await close();
});
