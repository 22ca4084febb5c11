/** Scores are comparable only within a suite: a card names the suite that it was made with. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { suiteChecks, suiteVersion } from '../../../../lab/judge/suite/checks.ts';

const cards = new URL('../../../../docs/judge-cards/', import.meta.url);
const digest = createHash('sha256')
  .update(suiteChecks.map(({ id, level, weight }) => `${id} ${level} ${weight}\n`).join(''))
  .digest('hex')
  .slice(0, 16);

test('a change of the checks raises the number of the suite', () => {
  // After a release: raise suiteVersion with the digest.
  assert.deepEqual([suiteVersion, suiteChecks.length, digest], [2, 588, '0a6190db3cbc4ee1']);
});

test('each card names its suite, and only checks that its suite has', () => {
  const ids = new Set<string>(suiteChecks.map(({ id }) => id));
  for (const file of readdirSync(cards).filter((name) => name.endsWith('.json'))) {
    const card = JSON.parse(readFileSync(new URL(file, cards), 'utf8')) as {
      readonly suite: number;
      readonly checks: number;
      readonly failed: Readonly<Record<string, string>>;
      readonly notReached: readonly string[];
    };
    assert.ok(card.suite >= 1 && card.suite <= suiteVersion, file);
    if (card.suite < suiteVersion) continue;
    assert.equal(card.checks, suiteChecks.length, file);
    for (const id of [...Object.keys(card.failed), ...card.notReached]) assert.ok(ids.has(id), `${file}: ${id}`);
  }
});
