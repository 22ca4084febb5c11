import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { limitsPage } from '../../../services/reference/limits-page.ts';

it('the page of limits says which are in force', async () => {
  const page = await readFile(new URL('../../../docs/limits.md', import.meta.url), 'utf8');
  assert.equal(page, await limitsPage(), 'npm run generate writes it anew');
});
