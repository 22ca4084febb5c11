import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frontierServiceLimits } from '../../../../services/frontier/service-limits.ts';
import { policyRecords } from '../../../../services/runtime/crawl/requests.ts';
import { defaultPolicy, type PolicyConfig } from '../../../../topology/policy/policy.ts';
import { clock, startHarness, until } from '../owner-harness.ts';

/** Whether the decision on a link counts as one that may be long, under this policy. */
async function mayBeLong(policy: Partial<PolicyConfig>): Promise<boolean> {
  const harness = await startHarness();
  const config = { ...defaultPolicy(), ...policy, version: 2 };
  const topics = { crawl: 't', partitions: 1, keyMode: 'host' } as const;
  await harness.log.append(policyRecords(harness.codec, topics, config, 'test', clock.nowMs()));
  const seen: boolean[] = [];
  const steps = {
    run<T>(decide: () => T, isLong: boolean): T {
      seen.push(isLong);
      return decide();
    },
    restMs: () => 0,
  };
  const owner = harness.owner({ steps });
  const run = owner.run();
  await until(() => owner.committed?.positions.control.offset === 2);
  await harness.discover(1);
  await until(async () => (await harness.tasks()).length === 1);
  owner.stop();
  await run;
  return seen.at(-1)!;
}

const names = Array.from({ length: 1_000 }, (_, n) => `h${n}.test`);

test('a decision under a policy with a thousand hosts in its scope is not limited in time', {
  timeout: 30_000,
}, async () => {
  assert.ok(names.join().length > frontierServiceLimits.plainPolicyChars);
  assert.equal(await mayBeLong({ scope: { kind: 'host', names } }), false);
});

test('a decision under a policy with a thousand rules, or a pattern, is limited in time', {
  timeout: 30_000,
}, async () => {
  const { filters } = defaultPolicy();
  const prefixesDenied = names.map((name) => `http://denied.${name}/`);
  assert.equal(await mayBeLong({ filters: { ...filters, prefixesDenied } }), true);
  assert.equal(await mayBeLong({ filters: { ...filters, exclude: ['denied'] } }), true);
});
