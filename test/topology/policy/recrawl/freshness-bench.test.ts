import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gammaRates } from '../../../../lab/bench/policy/freshness-pages.ts';
import { runPolicy } from '../../../../lab/bench/policy/freshness-run.ts';

const world = { rates: gammaRates(1_000, 0.2, 0.5, 1), visitsPerDay: 500 };
const freshness = (name: Parameters<typeof runPolicy>[0]) => runPolicy(name, world, 60, 1).freshness;

test('rates estimated from visits keep pages nearly as fresh as known rates', () => {
  const oracle = freshness('oracle');
  const optimal = freshness('optimal');
  assert.ok(optimal >= 0.97 * oracle && optimal <= oracle, `${optimal} of ${oracle}`);
  for (const name of ['adaptive', 'nutch', 'stormcrawler', 'fixed', 'proportional'] as const)
    assert.ok(optimal > 1.02 * freshness(name), name);
});
