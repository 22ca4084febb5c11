/** Facts of extras in answers. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withFacts } from '../../../../services/application/extension/crawl-facts.ts';

it('facts of extras add fields to an answer, and replace none', () => {
  const facts = [{ paid: 1 }, { end: 'never', pictures: 2 }].map((json) => ({ json, rows: [] }));
  assert.deepEqual(withFacts({ fetched: 3, end: null }, facts), { fetched: 3, end: null, paid: 1, pictures: 2 });
});
