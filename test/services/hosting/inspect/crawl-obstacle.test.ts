import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crawlObstacle } from '../../../../services/hosting/inspect/crawl-obstacle.ts';
import { memoryCrawl } from '../../cli/inspect/memory-crawl.ts';

test('nothing is requested of a crawl that is paused, or that has its pages; leased pages are not there yet', async () => {
  const { crawl, commit, close } = await memoryCrawl();
  const textOf = async (policy: { readonly pageQuota: number | null; readonly paused?: boolean }) =>
    (await crawlObstacle(crawl, policy, undefined, 0))?.text ?? null;
  // A commit follows the claim of its partition.
  await commit('a.test', []);
  await commit('a.test', [], 5_000, { quotaSpent: 1_003, leased: 4 });
  assert.equal(await textOf({ pageQuota: null }), null);
  assert.equal(await textOf({ pageQuota: null, paused: true }), 'the crawl is paused');
  assert.equal(await textOf({ pageQuota: 1_000 }), null);
  await commit('a.test', [], 5_000, { quotaSpent: 1_003, leased: 3 });
  assert.equal(await textOf({ pageQuota: 1_000 }), 'the crawl has its 1,000 pages (--max-pages)');
  assert.equal(await textOf({ pageQuota: 1_001 }), null);
  await close();
});
