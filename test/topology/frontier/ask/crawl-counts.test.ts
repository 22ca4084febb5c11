import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsOf, placesOfUrls } from '../../../../topology/frontier/ask/crawl-counts.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';

test('the places of admitted URLs add up to all of them, retries among the queued ones', () => {
  const places = { page: 1, redirected: 2, denied: 4, failed: 8, dead: 16, leased: 32, deferred: 64 };
  const counts = countsOf({ ...zeroCounters(), ...places, queued: 128, retrying: 256, admitted: 511 });
  assert.deepEqual([counts.pages, counts.deadLettered, counts.queued, counts.retrying], [1, 16, 384, 256]);
  assert.equal(
    placesOfUrls.reduce((sum, place) => sum + counts[place], 0),
    counts.admitted,
  );
});
