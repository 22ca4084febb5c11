import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { folderDocuments } from '../../../../services/extras/fleet/documents/folder-documents.ts';
import { fleetServiceLimits } from '../../../../services/extras/fleet/fleet-service-limits.ts';
import { DeletedKeys, isSameCall, requestHashOf } from '../../../../services/extras/fleet/made-before.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

test('a call is the same in any order of its fields, and another if a value differs', () => {
  const one = { seeds: ['a', 'b'], policy: { delayMs: 5, overlays: [{ name: 'x', set: { delayMs: 1, leases: 2 } }] } };
  const turned = {
    policy: { overlays: [{ set: { leases: 2, delayMs: 1 }, name: 'x' }], delayMs: 5 },
    seeds: ['a', 'b'],
  };
  assert.ok(isSameCall(requestHashOf(one), turned));
  assert.ok(!isSameCall(requestHashOf(one), { ...one, seeds: ['b', 'a'] }));
  assert.ok(!isSameCall(requestHashOf(one), { ...one, policy: {} }));
});

test('a call is recognised by the hash that an earlier release stored', () => {
  const call = { seeds: ['b', 'a'], owner: 'x', name: 'y' };
  assert.ok(isSameCall(createHash('sha256').update(JSON.stringify(call)).digest('hex'), call));
});

test('the key of a deleted crawl creates no other for a day, also after a restart; another owner’s key does', async () => {
  const documents = folderDocuments(temporaryFolder());
  let nowMs = 1_000_000;
  const clock = { nowMs: () => nowMs };
  const keys = new DeletedKeys(documents, clock);
  await keys.open();
  await keys.note({ owner: 'o', idempotencyKey: 'k', name: 'c' });
  await keys.note({ owner: 'o', idempotencyKey: '', name: 'd' });
  const again = new DeletedKeys(documents, clock);
  await again.open();
  for (const one of [keys, again]) {
    assert.throws(() => one.refuse({ owner: 'o', idempotencyKey: 'k' }), {
      statusCode: 410,
      message: /it was used for crawl c/,
    });
    one.refuse({ owner: 'p', idempotencyKey: 'k' });
    one.refuse({ owner: 'o', idempotencyKey: '' });
  }
  nowMs += fleetServiceLimits.deletedKeysMs;
  again.refuse({ owner: 'o', idempotencyKey: 'k' });
});
