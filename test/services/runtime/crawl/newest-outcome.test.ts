import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestOutcome } from '../../../../services/runtime/crawl/newest-outcome.ts';
import { memoryCrawl } from '../../cli/inspect/memory-crawl.ts';

test('the newest outcome of a page keeps the details of its last fetch after visits that found it unchanged', async () => {
  const memory = await memoryCrawl();
  const url = 'http://a.test/';
  const newest = () => {
    const { log, codec, topics } = memory.crawl;
    return newestOutcome(log, codec, topics, url, (one) => one);
  };
  await memory.result({ url, kind: 'fetched', status: 200, detail: 'not published: plugin mine drops it' }, 10);
  await memory.result({ url, kind: 'notModified', status: 304 }, 11);
  const unchanged = await newest();
  assert.deepEqual([unchanged?.kind, unchanged?.detail], ['notModified', '']);
  assert.equal(unchanged?.fetchedDetail, 'not published: plugin mine drops it');
  await memory.result({ url, kind: 'fetched', status: 200 }, 12);
  assert.equal((await newest())?.fetchedDetail, '');
  await memory.close();
});
