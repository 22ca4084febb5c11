import assert from 'node:assert/strict';
import { it } from 'node:test';
import { processors } from '../../../services/application/topology.ts';
import { topicNames } from '../../../topology/topics.ts';

it('each topic is read or written by a processor of the core or of an extra', () => {
  const used = new Set<string>(processors.flatMap(({ reads, writes }) => [...reads, ...writes]));
  assert.deepEqual(
    topicNames.filter((topic) => !used.has(topic)),
    [],
  );
});
