/** The history of a URL on the dashboard: its events, and its end when nobody waits for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timelineReader } from '../../../../services/extras/dashboard/command/timeline-reader.ts';
import { leavesAtFirstRead, memoryCrawl } from '../../cli/inspect/memory-crawl.ts';

test('the read of a history ends when its caller leaves, and reads no more', async () => {
  const { crawl, policy, discovered, close } = await memoryCrawl(1);
  await policy();
  await discovered('a.test', ['http://a.test/']);
  const { reads, leaving, signal } = leavesAtFirstRead(crawl);
  await assert.rejects(timelineReader(leaving, {})('http://a.test/', signal), /the caller left/);
  assert.equal(reads(), 1);
  await close();
});
