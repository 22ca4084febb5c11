import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTokens } from '../../../topology/usage/dictionary.ts';

const reported = (text: string) => {
  const found = parseTokens(text);
  return found === null ? null : Object.fromEntries(found);
};

const dictionaries: Record<string, Record<string, string[]>> = {
  '': {},
  '   ': {},
  'train-ai=n': { 'train-ai': ['n'] },
  ' train-ai=n,search=y  ': { 'train-ai': ['n'], search: ['y'] },
  'a=n \t,\t b=y': { a: ['n'], b: ['y'] },
  a: { a: [''] },
  'a, b;x=1': { a: [''], b: [''] },
  // A key that is told twice has both.
  'a=n, b=y, a=y': { a: ['n', 'y'], b: ['y'] },
  // Keys and tokens.
  "*a_b.c-d*=A/b:c!#$%&'*+-.^_`|~": { '*a_b.c-d*': ["A/b:c!#$%&'*+-.^_`|~"] },
  'a=*': { a: ['*'] },
  // Values that are no tokens.
  'a=1, b=-1.5, c="x y", d=:aGk=:, e=?0, f=@123, g=%"f%c3%bc"': {
    ...{ a: [''], b: [''], c: [''], d: [''], e: [''], f: [''], g: [''] },
  },
  'a="", b="\\"\\\\", c=::, d=%""': { a: [''], b: [''], c: [''], d: [''] },
  'a=123456789012345': { a: [''] },
  // Lists, and parameters.
  'a=(), b=( x  1 ), c=(x;p "y";q=2);r': { a: [''], b: [''], c: [''] },
  'a=n;x;y=1; z=tok, b=y': { a: ['n'], b: ['y'] },
};

for (const [text, expected] of Object.entries(dictionaries))
  test(`${JSON.stringify(text)} is a dictionary`, () => {
    assert.deepEqual(reported(text), expected);
  });

const mistakes = [
  ...['a=', 'A=n', '1=n', '=n', 'a =n', 'a= n', 'a=n b=y', 'a=n;b=y,', 'a=n,', 'a=n, ', ',a=n', 'a=n,,b=y', '\ta=n'],
  ...[
    'a="x',
    'a="\u00e4"',
    'a="\\x"',
    'a=1234567890123456',
    'a=1.',
    'a=1.2345',
    'a=--1',
    'a=?2',
    'a=?',
    'a=:x',
    'a=:*:',
  ],
  ...['a=%"%C3"', 'a=%"%c"', 'a=%x', 'a=@', 'a=(', 'a=(x', 'a=(x,y)', 'a=(x"y")', 'a=("x""y")', 'a=(x)y', 'a=((x))'],
  ...['a=(x\ty)', 'a=n;', 'a=n;1', 'a=n;X', 'a=n;x=', 'a=n ;x', 'a=n;x=(y)', 'a=(x;1)', 'a=(x;)', 'a=n\u00a0', 'a=;x'],
];

for (const text of mistakes)
  test(`${JSON.stringify(text)} is no dictionary`, () => {
    assert.equal(reported(text), null);
  });

test('trailing blanks do not matter, however many', () => {
  assert.deepEqual(reported(`a=n${' '.repeat(100_000)}`), { a: ['n'] });
  assert.equal(reported(`a=n${' '.repeat(100_000)}x`), null);
});
