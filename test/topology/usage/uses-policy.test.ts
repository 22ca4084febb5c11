import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statement } from '../../../topology/usage/statement.ts';
import { barredText, skipsFor, type UsesPolicy, withheldFor } from '../../../topology/usage/uses-policy.ts';

const said = [
  statement('ai-train', 'deny', 'robots.txt', 'Content-Usage: train-ai=n'),
  statement('search', 'deny', 'x', 'late', 50),
];

function follows(policy: UsesPolicy, atMs = 0): string {
  return `${skipsFor(policy, said, atMs) === undefined ? '' : 'skipped '}${withheldFor(policy, said, atMs)?.use ?? 'published'}`;
}

test('a page with a barred wanted use is skipped, withheld or marked, as the policy says', () => {
  assert.equal(follows({ uses: ['ai-train'], usesBarred: 'skip' }), 'skipped ai-train');
  assert.equal(follows({ uses: ['ai-train'], usesBarred: 'withhold' }), 'ai-train');
  assert.equal(follows({ uses: ['ai-train'] }), 'ai-train', 'withhold is what is meant where nothing is said');
  assert.equal(follows({ uses: ['ai-train'], usesBarred: 'mark' }), 'published');
});

test('unwanted uses, and later bars, change nothing; one of several is enough', () => {
  assert.equal(follows({}), 'published');
  assert.equal(follows({ uses: ['ai-input', 'search'], usesBarred: 'skip' }), 'published');
  assert.equal(follows({ uses: ['ai-input', 'search'], usesBarred: 'skip' }, 50), 'skipped search');
  assert.equal(barredText(said[0]!), 'robots.txt bars ai-train: Content-Usage: train-ai=n');
});
