import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isCrawlDelayTooLong } from '../../../topology/robots/crawl-delay-cap.ts';

it('a Crawl-delay above the limit is too long, one at the limit is not, and a limit of 0 is none', () => {
  const limit = { crawlDelayCapMs: 5_000 };
  assert.equal(isCrawlDelayTooLong(5_001, limit), true);
  assert.equal(isCrawlDelayTooLong(5_000, limit), false);
  assert.equal(isCrawlDelayTooLong(-1, limit), false);
  assert.equal(isCrawlDelayTooLong(1e9, { crawlDelayCapMs: 0 }), false);
});
