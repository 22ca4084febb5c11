/** All attacks at once on a crawl in one process; `npm run hostile` is the same with a thousand hosts, for ten minutes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { attackKinds } from './attacks.ts';
import { crawlBeside, figuresText } from './hostile-run.ts';

test('beside hosts that attack in all ways at once, honest pages are all fetched, and nothing private is reached', async (t) => {
  const options = {
    ...{ honest: 36, hostile: attackKinds.length, pagesPerHost: 12, delayMs: 100 },
    ...{ seconds: 15, secondsMax: 240, folder: temporaryFolder() },
  };
  const figures = await crawlBeside(options, options.hostile);
  t.diagnostic(figuresText(`beside ${options.hostile} hostile hosts`, figures));
  assert.equal(figures.endedEarly, null);
  assert.equal(figures.privateReached, 0);
  const { report, memoryMib } = figures;
  assert.equal(report.missing.count, 0, report.missing.details.join('; '));
  assert.equal(report.robotsViolations.count, 0, report.robotsViolations.details.join('; '));
  assert.equal(report.duplicates.count, 0, report.duplicates.details.join('; '));
  // What the manifests give a crawl's process.
  assert.ok(memoryMib < 1_024, `${memoryMib} MiB`);
});
