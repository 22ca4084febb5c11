/** What is left of a crawl that took pushes: counters, freshness, and when pages are due. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import type { FreshnessStats } from '../../../../services/hosting/state/freshness-stats.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { crawlWithPushes } from '../crawl-with-pushes.ts';

test('a page pushed by WebSub, or submitted, is refetched in the next polite slot of its host', async () => {
  const data = temporaryFolder();
  const origin = await crawlWithPushes(['--data', data]);
  const stats = await runCommand(['stats', '--data', data, '--json']);
  const { freshness, ...counts } = JSON.parse(stats.stdout) as Record<string, number> & { freshness: FreshnessStats };
  assert.ok(counts['revisits']! >= 3 && counts['scheduled']! >= 4, stats.stdout);
  assert.equal(counts['changesFound'], 0);
  const { pages, withinGoal, changedShare, ageP95S } = freshness;
  assert.ok(pages >= 5 && withinGoal === 1 && changedShare === 0 && ageP95S! < 120, stats.stdout);
  assert.match((await runCommand(['stats', '--data', data])).stdout, /seen within 7 days +100\.0%\n/);
  const rates = await runCommand(['export', 'rates', '--data', data]);
  const each = rates.stdout.trimEnd().split('\n').map(Number);
  assert.ok(each.length >= 2 && each.every((rate) => rate > 0 && rate < 200), rates.stdout);
  const explained = await runCommand(['explain', `${origin}/a`, '--data', data, '--json']);
  const due = (JSON.parse(explained.stdout) as { nextDueAtMs: number }).nextDueAtMs;
  assert.ok(due > Date.now() + 20 * 86_400_000, `${explained.stdout}`);
});
