import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted } from '../../../services/runtime/counted.ts';

test('a count has a plural noun unless it is one', () => {
  assert.deepEqual([counted(0, 'URL'), counted(1, 'URL'), counted(2, 'URL')], ['0 URLs', '1 URL', '2 URLs']);
  assert.equal(counted(1_000, 'dead letter', '1,000'), '1,000 dead letters');
});
