import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptIds } from '../../../../services/runtime/avro/kept-ids.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';

const [text, number] = [
  { type: 'record', name: 'A', fields: [{ name: 'a', type: 'string' }] },
  { type: 'record', name: 'B', fields: [{ name: 'b', type: 'long' }] },
];

test('a registry is asked once for each schema of each subject, and is not needed afterwards', async () => {
  const registry = createMemoryRegistry();
  const asked: string[] = [];
  let isAway = false;
  const kept = keptIds({
    ...registry,
    async idFor(subject, schema) {
      asked.push(subject);
      if (isAway) throw new Error('away');
      return registry.idFor(subject, schema);
    },
  });
  const [first, again] = await Promise.all([kept.idFor('a', text), kept.idFor('a', text)]);
  assert.equal(again, first);
  assert.notEqual(await kept.idFor('a', number), first);
  isAway = true;
  assert.equal(await kept.idFor('a', text), first);
  assert.deepEqual(asked, ['a', 'a']);
  await assert.rejects(kept.idFor('b', text), /away/);
  isAway = false;
  assert.equal(await kept.idFor('b', text), await registry.idFor('b', text), 'what failed is asked for again');
  assert.deepEqual(await kept.schemaById(first!), text);
});
