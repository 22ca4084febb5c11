/** Crawls that start at once read the same policy again and again, and each reading would compile all of its patterns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePolicy, defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import { recentPolicyLimits } from '../../../topology/policy/recent-policy-limits.ts';
import { parsePolicy, storedPolicy } from '../../../topology/policy/validate.ts';

const { policiesMax } = recentPolicyLimits;
const textOf = (n: number) =>
  JSON.stringify({
    ...defaultPolicy(),
    patterns: 'linear',
    filters: { ...defaultPolicy().filters, exclude: [`/p${n}/`] },
  });

test('a policy that is read several times is checked and compiled once, also as a value', () => {
  const first = parsePolicy(textOf(1));
  assert.equal(parsePolicy(textOf(1)), first);
  assert.equal(storedPolicy(JSON.parse(textOf(1))), first);
  assert.equal(compilePolicy(first), compilePolicy(parsePolicy(textOf(1))));
  assert.notEqual(parsePolicy(textOf(2)), first);
  const refused = compilePolicy(parsePolicy(textOf(2))).admit('http://a.test/p2/', 0, 0);
  assert.equal(refused.ok, false);
});

test('a policy that has been read cannot be changed for its other readers', () => {
  const { filters } = parsePolicy(textOf(1)) as unknown as { filters: { exclude: string[] } };
  assert.throws(() => filters.exclude.push('x'), TypeError);
  assert.throws(() => Object.assign(filters, { exclude: [] }), TypeError);
});

test('a policy that somebody could still change is compiled as it is each time', () => {
  const config: PolicyConfig = { ...defaultPolicy(), maxDepth: 1 };
  assert.notEqual(compilePolicy(config), compilePolicy(config));
});

test('a policy stays known while it is read, whatever the number of others', () => {
  const first = parsePolicy(textOf(0));
  for (let n = 1; n < 3 * policiesMax; n++) {
    parsePolicy(textOf(n));
    assert.equal(parsePolicy(textOf(0)), first);
  }
  for (let n = 1; n <= policiesMax; n++) parsePolicy(textOf(n));
  assert.notEqual(parsePolicy(textOf(0)), first);
  assert.deepEqual(parsePolicy(textOf(0)), first);
});
