import assert from 'node:assert/strict';
import { it } from 'node:test';
import { damagedValue, damageOf } from '../../topology/damaged-batch.ts';
import { decodeChangelog } from '../../topology/frontier/changes/changelog.ts';

it('what stands in for a damaged batch says what is wrong, before the bytes of the batch', () => {
  const bytes = Buffer.from('bytes\nof the batch');
  const value = damagedValue('the batch at t/0 is “damaged”', bytes);
  assert.equal(damageOf(value), 'the batch at t/0 is “damaged”');
  assert.ok(Buffer.from(value).subarray(-bytes.length).equals(bytes));
});

it('a value that stands for itself has no damage, and neither has one that only begins so', () => {
  for (const text of ['', 'crawl', 'something else\n', 'crawlstream: ', `crawlstream: ${'x'.repeat(5_000)}\n`]) {
    assert.equal(damageOf(Buffer.from(text)), undefined);
  }
});

it('however long its description, it can be found again', () => {
  assert.match(damageOf(damagedValue('☃'.repeat(10_000), Buffer.alloc(1))) ?? '', /^☃+$/);
});

it('a changelog stops at a damaged batch, and says which', () => {
  assert.throws(() => decodeChangelog(damagedValue('the batch at c.frontier-changelog/3', Buffer.alloc(9))), {
    code: 'INVALID_RECORD',
    message: /c\.frontier-changelog\/3/,
  });
});
