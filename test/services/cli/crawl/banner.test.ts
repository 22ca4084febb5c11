import assert from 'node:assert/strict';
import { test } from 'node:test';
import { banner } from '../../../../services/cli/crawl/banner.ts';
import { defaultPolicy, type PolicyConfig } from '../../../../topology/policy/policy.ts';

const linesOf = (more: Partial<PolicyConfig>) =>
  banner({ policy: { ...defaultPolicy(), ...more }, seeds: [], place: 'crawl-data/a', options: '' });
const line = (name: string, lines: readonly string[]) => lines.find((one) => one.trim().startsWith(`${name} `));

test('the plan names overlays and their fields, and says nothing of a speed that they replace', () => {
  const overlay = (name: string, set: NonNullable<PolicyConfig['overlays']>[number]['set']) => ({
    ...{ name, match: { hosts: ['own.test'] }, set },
  });
  const lines = linesOf({ overlays: [overlay('own', { delayMs: 0, leases: 8 })] });
  assert.match(line('overlays', lines)!, /own \(delayMs, leases\): they replace the values above/);
  assert.equal(line('speed', lines), undefined);
  const deep = linesOf({ overlays: ['a', 'b', 'c', 'd', 'e'].map((name) => overlay(name, { maxDepth: 2 })) });
  assert.match(line('overlays', deep)!, /a \(maxDepth\), b \(maxDepth\), c \(maxDepth\) and 2 more: /);
  assert.match(line('speed', deep)!, /for your own site: --delay 0/);
});

test('the plan of a crawl without overlays has no line of them', () => {
  assert.equal(line('overlays', linesOf({})), undefined);
  assert.match(line('speed', linesOf({}))!, /at most 1 request a second per host/);
});
