import assert from 'node:assert/strict';
import { it } from 'node:test';
import { limitsPage } from '../../../services/reference/limits-page.ts';

it('limits that share a reason are in one row of the page', async () => {
  const rows = (await limitsPage()).split('\n').filter((line) => line.startsWith('| `'));
  assert.ok(rows.length > 300);
  const reasonOf = (row: string) => row.split(' | ').at(-1);
  const repeated = rows.filter((row, index) => index > 0 && reasonOf(row) === reasonOf(rows[index - 1]!));
  assert.deepEqual(repeated, []);
  assert.ok(rows.some((row) => row.startsWith('| `pauseMaxMs`<br>`pauseMs` | 30,000<br>500 | ')));
});
