/** Plugins in a fetcher's configuration: what they get of the policy. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
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
    onPolicy!({ ...defaultPolicy(), extras });
  assert.deepEqual(got, [{ shortest: 3 }, { shortest: 8 }, { shortest: 3 }, { shortest: 3 }]);
  assert.deepEqual(hooksOf([]), {});
});

it('an error of a plugin about a policy has the name of the plugin', () => {
  const onPolicy = () => {
    throw new Error('too short');
  };
  const made = hooksOf([{ name: 'titles', onPolicy }]);
  assert.throws(() => made.onPolicy!(defaultPolicy()), { message: 'plugin titles, onPolicy: too short' });
});
