/** Texts for people and shells: durations, sizes, columns, rules of a crawl, thrown values. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesText, clockText } from '../../../services/runtime/figure-text.ts';
import { inShell } from '../../../services/runtime/in-shell.ts';
import { bad, durationText } from '../../../services/runtime/option-text.ts';
import { robotsText, scopeText } from '../../../services/runtime/policy-text.ts';
import { rows } from '../../../services/runtime/rows-text.ts';
import { errorOf } from '../../../services/runtime/thrown.ts';
import { defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';

test('a time is shown in hours, minutes and whole seconds', () => {
  assert.deepEqual([0, 59.9, 60, 3_599, 3_661, 360_000].map(clockText), [
    ...['00:00:00', '00:00:59', '00:01:00', '00:59:59', '01:01:01', '100:00:00'],
  ]);
});

test('a size is shown in the largest unit that it fills, up to terabytes', () => {
  assert.deepEqual([0, 999, 1_000, 1_550_000, 2e9, 3e12, 4e15].map(bytesText), [
    ...['0 B', '999 B', '1.0 kB', '1.6 MB', '2.0 GB', '3.0 TB', '4000.0 TB'],
  ]);
});

test('a duration is shown in the largest unit that divides it', () => {
  assert.deepEqual([0, 1, 1_000, 1_001, 60_000, 90_000, 3_600_000, 86_400_000, 90_000_000].map(durationText), [
    ...['0ms', '1ms', '1s', '1001ms', '1m', '90s', '1h', '1d', '25h'],
  ]);
});

test('a refused value of an option is quoted, with the remedy', () => {
  const { code, message } = bad('--delay', 'a "b"', 'give a duration');
  assert.deepEqual([code, message], ['INVALID_ARGUMENT', '--delay "a \\"b\\"": give a duration']);
});

test('a word for a shell is quoted only if the shell would interpret it', () => {
  for (const plain of ['a', 'http://a.test/x,y+z=%20@b-c_d']) assert.equal(inShell(plain), plain);
  assert.deepEqual(['', 'a b', 'a?b', '$x', "it's"].map(inShell), ["''", "'a b'", "'a?b'", "'$x'", "'it'\\''s'"]);
});

test('rows have their values in one column, also those of several lines, and none for absent values', () => {
  const absent = [
    ['long name', null],
    ['longer name', undefined],
    ['empty', ''],
  ] as const;
  assert.equal(rows([['a', 0], ...absent, ['name', 'x\ny']]), 'a     0\nname  x\n      y');
  assert.equal(rows(absent), '');
});

test('the scope of a crawl is shown with its depth and filters, and at most three names', () => {
  const policy = (more: Partial<PolicyConfig>): PolicyConfig => ({
    ...{ ...defaultPolicy(), maxDepth: null, filters: { ...defaultPolicy().filters, include: [], exclude: [] } },
    ...more,
  });
  const scope = (kind: 'all' | 'host' | 'domain', ...names: readonly string[]) =>
    scopeText(policy({ scope: { kind, names } as PolicyConfig['scope'] }));
  assert.equal(scope('all'), 'any host (--scope all)');
  assert.equal(scope('host', 'a', 'b', 'c'), 'hosts a b c');
  assert.equal(scope('domain', 'a', 'b', 'c', 'd', 'e'), 'domains a b c and 2 more');
  const filters = { ...defaultPolicy().filters, include: ['/a', '/b'], exclude: ['/c'] };
  const all = { kind: 'all', names: [] } as unknown as PolicyConfig['scope'];
  assert.equal(
    scopeText(policy({ scope: all, maxDepth: 0, filters })),
    'any host (--scope all), at most 0 links from a seed, only /a /b, not /c',
  );
});

test('the overlays for which robots.txt is not asked are named', () => {
  const overlay = (name: string, set: object) => ({ name, set }) as unknown as NonNullable<PolicyConfig['overlays']>[0];
  const always = 'robots.txt is obeyed, including Crawl-delay';
  assert.equal(robotsText(defaultPolicy()), always);
  assert.equal(robotsText({ ...defaultPolicy(), overlays: [overlay('slow', {})] }), always);
  const overlays = [
    overlay('own', { robotsNotAsked: 'ours' }),
    overlay('slow', {}),
    overlay('lab', { robotsNotAsked: 'x' }),
  ];
  assert.equal(robotsText({ ...defaultPolicy(), overlays }), `${always}, except where these overlays match: own, lab`);
});

test('whatever foreign code throws becomes an error, and an error stays as it is', () => {
  const own = new TypeError('mine');
  assert.equal(errorOf(own), own);
  const hostile = {
    toString(): string {
      throw own;
    },
  };
  for (const [thrown, text] of [
    ['text', '"text"'],
    [undefined, 'undefined'],
    [7, '7'],
    [Object.create(null), 'an object'],
    [hostile, 'an object'],
  ] as const)
    assert.equal(errorOf(thrown).message, `threw ${text}, which is not an Error`);
});
