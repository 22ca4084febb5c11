import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { compilePolicy, defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { linkOnly } from '../../../topology/policy/score/inputs.ts';
import { defaultOpic } from '../../../topology/policy/score/opic.ts';
import { defaultScore } from '../../../topology/policy/score/score-config.ts';
import { parsePolicy, validatePolicy } from '../../../topology/policy/validate.ts';

test('a policy survives its journey as JSON', () => {
  const policy = { ...defaultPolicy(), maxDepth: 3, pageQuota: 100 };
  assert.deepEqual(parsePolicy(JSON.stringify(policy)), policy);
});

test('windows, metadata rules, scores and lists survive the journey, too', () => {
  const base = defaultPolicy();
  const policy: PolicyConfig = {
    ...base,
    filters: {
      ...base.filters,
      lists: [{ name: 'bad hosts', kind: 'hosts', verdict: 'deny', path: 'lists/bad.txt', sha256: 'a'.repeat(64) }],
    },
    windows: [{ hosts: ['a.org'], fromHour: 22, toHour: 6, utcOffsetMinutes: 60, days: [0, 6] }],
    metadata: [{ name: 'old', modifiedBeforeMs: 1, offHost: true, intents: ['refresh'] }],
    score: defaultScore,
  };
  for (const score of [defaultScore, { ...defaultScore, kind: 'weighted' } as const, defaultOpic]) {
    assert.deepEqual(parsePolicy(JSON.stringify({ ...policy, score })), { ...policy, score });
  }
});

test('a metadata rule needs a name and at least one condition', () => {
  const parsed = (rule: object) =>
    parsePolicy(JSON.stringify({ ...defaultPolicy(), metadata: [{ name: 'm', ...rule }] }));
  const conditions = {
    ...{ url: '^http://a/', intents: ['refresh'], sourceDomains: ['a.org'], offHost: false, depthFrom: 0, hopFrom: 0 },
    modifiedBeforeMs: 1,
  };
  for (const [key, value] of Object.entries(conditions))
    assert.deepEqual(parsed({ [key]: value }).metadata, [{ name: 'm', [key]: value }]);
  assert.throws(
    () => parsed({}),
    /^CrawlstreamError: policy\.metadata\[0\]: a rule without a condition would reject every URL; add a condition/,
  );
});

test('an older policy without these fields keeps its meaning', () => {
  const { windows, metadata, score, ...old } = defaultPolicy();
  assert.deepEqual([windows, metadata, score], [undefined, undefined, undefined]);
  const policy = compilePolicy(parsePolicy(JSON.stringify(old)));
  assert.equal(policy.openAt('a.org', 5), 5);
  assert.equal(policy.frontQueueOf('http://a.org/b', linkOnly(2)), 2);
});

test('intervals of overlays that 0.3.0 took stay readable, and only a crawl that has them may keep them', () => {
  const day = 86_400_000;
  const withRecrawl = (recrawl: object) => ({
    ...{ ...defaultPolicy(), recrawl: defaultRecrawl },
    overlays: [{ name: 'news', match: { hosts: ['a.org'] }, set: { recrawl } }],
  });
  for (const [recrawl, says] of [
    [{ minMs: 2 * day, maxMs: day }, /overlays\[0\]\.set\.recrawl: minMs is above maxMs/],
    [{ intervalMs: 200 * 365 * day }, /overlays\[0\]\.set\.recrawl\.intervalMs/],
  ] as const) {
    const policy = withRecrawl(recrawl);
    const stored = parsePolicy(JSON.stringify(policy));
    assert.deepEqual(stored, policy);
    assert.ok(compilePolicy(stored).recrawl);
    assert.throws(() => validatePolicy(policy), says);
    assert.throws(() => validatePolicy(policy, withRecrawl({ minMs: day })), says);
    assert.deepEqual(validatePolicy({ ...policy, maxDepth: 3 }, stored), { ...policy, maxDepth: 3 });
  }
});

test('an invalid policy is refused with the field and a remedy', () => {
  const good = defaultPolicy();
  const rows: [unknown, RegExp][] = [
    ['{', /^policy: it is not valid JSON/],
    [null, /^policy: /],
    [{ ...good, score: { kind: 'opic', tax: 1 } }, /^policy\.score\.tax: .*; correct this field/],
    [{ ...good, score: { kind: 'rank' } }, /^policy\.score\.kind: /],
    [{ ...good, score: { ...defaultScore, pages: 1 } }, /^policy\.score\.pages: .*; remove this field/],
    [{ ...good, delayMs: -1 }, /^policy\.delayMs: .*; correct this field/],
    [{ ...good, delayMs: undefined }, /^policy\.delayMs: /],
    [{ ...good, retriesMs: [1, 'x'] }, /^policy\.retriesMs\[1\]: /],
    [{ ...good, scope: { kind: 'planet', names: [] } }, /^policy\.scope\.kind: /],
    [
      { ...good, maxDepht: 1 },
      /^policy\.maxDepht: .*; remove this field, or correct its name: did you mean maxDepth\?$/,
    ],
    [
      { ...good, filters: { ...good.filters, ex: [] } },
      /^policy\.filters\.ex: .*; remove this field, or correct its name$/,
    ],
    [{ ...good, colour: 1 }, /^policy\.colour: .*; remove this field, or correct its name$/],
    [{ ...good, filters: { ...good.filters, exlude: [] } }, /^policy\.filters\.exlude: .*; remove this field/],
    [
      { ...good, normalize: { ...good.normalize, hosts: { 'a.org': { kep: [] } } } },
      /^policy\.normalize\.hosts\.a\.org\.kep: /,
    ],
    [
      { ...good, metadata: [{ name: 'x' }] },
      /^policy\.metadata\[0\]: a rule without a condition would reject every URL; add a condition/,
    ],
    [{ ...good, metadata: [{ name: 'x', url: '(' }] }, /^policy\.metadata\[0\]\.url: Invalid regular expression/],
    [
      { ...good, recrawl: { ...defaultRecrawl, rules: [{ url: '(' }] } },
      /^policy\.recrawl\.rules\[0\]\.url: Invalid regular expression/,
    ],
    [
      { ...good, windows: [{ hosts: ['*'], fromHour: 25, toHour: 0, utcOffsetMinutes: 0 }] },
      /^policy\.windows\[0\]\.fromHour/,
    ],
    [{ ...good, filters: { ...good.filters, lists: [{ name: 'x' }] } }, /^policy\.filters\.lists\[0\]\.kind: /],
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
