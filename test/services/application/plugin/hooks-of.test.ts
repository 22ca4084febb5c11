/** Plugins in a fetcher's configuration: what they get of the policy. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { hooksOf } from '../../../../services/application/plugin/hooks-of.ts';
import type { Plugin } from '../../../../services/application/plugin/plugin.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';

const policyFields = { shortest: { schema: { type: 'integer', minimum: 0 }, about: 'Characters.', initial: 3 } };

it('a plugin gets its fields of each policy, with defaults for those that are missing or invalid', () => {
  const got: unknown[] = [];
  const plugin: Plugin = { name: 'titles', policyFields, onPolicy: (values) => void got.push(values) };
  const { hooks, onPolicy } = hooksOf([{ name: 'silent' }, plugin]);
  assert.deepEqual(hooks, [{ name: 'silent' }, plugin]);
  for (const extras of [undefined, { titles: { shortest: 8 } }, { titles: { shortest: 'x' } }, { silent: { a: 1 } }])
    onPolicy!({ ...defaultPolicy(), extras }, assert.fail);
  assert.deepEqual(got, [{ shortest: 3 }, { shortest: 8 }, { shortest: 3 }, { shortest: 3 }]);
  assert.deepEqual(hooksOf([]), {});
});

it('an error of a plugin about a policy is said with its name, and other plugins get the policy', async () => {
  const got: string[] = [];
  const { onPolicy } = hooksOf([
    {
      name: 'titles',
      onPolicy() {
        throw new Error('too short');
      },
    },
    { name: 'later', onPolicy: () => Promise.reject(new Error('too long')) },
    { name: 'good', onPolicy: () => void got.push('good') },
  ]);
  onPolicy!(defaultPolicy(), (text) => got.push(text));
  await turn();
  assert.deepEqual(got, ['good', 'plugin titles, onPolicy: too short', 'plugin later, onPolicy: too long']);
});
