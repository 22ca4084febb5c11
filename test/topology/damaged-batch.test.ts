import assert from 'node:assert/strict';
import { it } from 'node:test';
import { damagedValue, damageOf } from '../../topology/damaged-batch.ts';
import { decodeChangelog } from '../../topology/frontier/changes/changelog.ts';

it('the placeholder of a damaged batch describes the damage before the batch’s bytes', () => {
  const bytes = Buffer.from('bytes\nof the batch');
  const value = damagedValue('the batch at t/0 is “damaged”', bytes);
  assert.equal(damageOf(value), 'the batch at t/0 is “damaged”');
  assert.ok(Buffer.from(value).subarray(-bytes.length).equals(bytes));
});

it('an ordinary value has no damage, even if it begins like a placeholder', () => {
  for (const text of ['', 'crawl', 'something else\n', 'crawlstream: ', `crawlstream: ${'x'.repeat(5_000)}\n`]) {
    assert.equal(damageOf(Buffer.from(text)), undefined);
  }
});

it('a placeholder is recognised, however long its description', () => {
  assert.match(damageOf(damagedValue('☃'.repeat(10_000), Buffer.alloc(1))) ?? '', /^☃+$/);
});

it('a changelog stops at a damaged batch, and names it', () => {
  assert.throws(() => decodeChangelog(damagedValue('the batch at c.frontier-changelog/3', Buffer.alloc(9))), {
    code: 'INVALID_RECORD',
    message: /c\.frontier-changelog\/3/,
  });
});
