import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';

test('a policy survives its journey as JSON', () => {
  const policy = { ...defaultPolicy(), maxDepth: 3, pageQuota: 100 };
  assert.deepEqual(parsePolicy(JSON.stringify(policy)), policy);
});

test('a policy at fault is refused with the field and a remedy', () => {
  const good = defaultPolicy();
  const rows: [unknown, RegExp][] = [
    ['{', /^policy: not JSON/],
    [null, /^policy: /],
    [{ ...good, delayMs: -1 }, /^policy\.delayMs: .*; correct this field/],
    [{ ...good, delayMs: undefined }, /^policy\.delayMs: /],
    [{ ...good, retriesMs: [1, 'x'] }, /^policy\.retriesMs\[1\]: /],
    [{ ...good, scope: { kind: 'planet', names: [] } }, /^policy\.scope\.kind: /],
    [{ ...good, filters: { ...good.filters, exlude: [] } }, /^policy\.filters\.exlude: .*; remove this field/],
    [
      { ...good, normalize: { ...good.normalize, hosts: { 'a.org': { kep: [] } } } },
      /^policy\.normalize\.hosts\.a\.org\.kep: /,
    ],
    [
      { ...good, filters: { ...good.filters, include: ['('] } },
      /^filters\.include\[0\]: .*; write a JavaScript regular/,
    ],
  ];
  for (const [value, message] of rows) {
    assert.throws(
      () => parsePolicy(typeof value === 'string' ? value : JSON.stringify(value)),
      (error) => error instanceof CrawlstreamError && error.code === 'INVALID_ARGUMENT' && message.test(error.message),
      `${message}`,
    );
  }
});
