import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { choiceFor } from './choose.ts';
import { compiled } from './coverage/compile.ts';
import { executed, spansOf } from './coverage/executed.ts';
import { decodedMappings } from './coverage/mappings.ts';
import type { Recording } from './coverage/recordings.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { interval } from './score.ts';

const file = 'topology/url/sign.ts';
const source = `export type Sign = -1 | 0 | 1;
/** Of a number. */
export function signOf(value: number, zero: Sign = 0): Sign {
  if (value > 3) return 1;
  return value < 0 ? -1 : zero;
}
export const never = (): number => 7 * 2;
export const over = (given: number | undefined): boolean => (given ?? 0) > 9;
`;
const { code, mappings } = compiled(source, file);

/** A recording of a test in which all of the file ran, except those pieces of the compiled text. Loading it took nothing. */
function recording(test: string, cpuMs: number, ...without: readonly string[]): Recording {
  const ranges = ['function signOf', ...without].map((piece) => {
    const at = code.indexOf(piece);
    assert.ok(at >= 0, piece);
    return { startOffset: at, endOffset: at + piece.length, count: 0 };
  });
  ranges[0] = { startOffset: 0, endOffset: code.length, count: 1 };
  const ran = spansOf(executed(decodedMappings(mappings, code, source), ranges));
  return { test, loadMs: 0, cpuMs, ran: { [file]: ran } };
}

function mutantAt(line: number, find: string): Mutant {
  const found = mutantsOf(file, source).find((mutant) => mutant.line === line && mutant.find === find);
  assert.ok(found !== undefined, `${find} in line ${line}`);
  return found;
}

const lambda = '() => 7 * 2';
const positive = recording('test/topology/url/positive.test.ts', 500, 'return value < 0 ? -1 : zero', lambda);
const negative = recording('test/topology/url/negative.test.ts', 400, 'return 1;', ': zero', lambda);
const other: Recording = { test: 'test/topology/url/other.test.ts', loadMs: 0, cpuMs: 1, ran: {} };
const recordings = [positive, negative, other];

function testsFor(mutant: Mutant, of: readonly Recording[] = recordings, budgetMs = 60_000): string[] {
  return choiceFor(mutant, of, budgetMs).batches.flatMap(({ tests }) => tests);
}

describe('a mutant', () => {
  it('a mutant is tried against the tests that execute it, the cheapest first, and no others', () => {
    assert.deepEqual(testsFor(mutantAt(4, '>')), [negative.test, positive.test]);
    assert.deepEqual(testsFor(mutantAt(4, '1')), [positive.test]);
    assert.deepEqual(testsFor(mutantAt(5, '<')), [negative.test]);
    assert.deepEqual(testsFor(mutantAt(5, '1')), [negative.test]);
  });

  it('an operator is tried against tests that execute its left operand, though they never execute a part of it', () => {
    const given = recording('test/topology/url/given.test.ts', 1, '0) > 9');
    assert.deepEqual(testsFor(mutantAt(8, '>'), [given]), [given.test]);
    assert.deepEqual(testsFor(mutantAt(8, '0'), [given]), []);
  });

  it('a mutant in a function that no test calls has no tests, even if its line was loaded', () => {
    assert.deepEqual(choiceFor(mutantAt(7, '*'), recordings, 60_000), { batches: [], leftOut: [] });
  });

  it('a mutant is tried against tests of its own folder before cheaper ones of others', () => {
    const of = [
      recording('test/lab/web/page.test.ts', 300),
      recording('test/topology/parse/page.test.ts', 300),
      positive,
    ];
    assert.deepEqual(testsFor(mutantAt(4, '>'), of), [
      positive.test,
      'test/lab/web/page.test.ts',
      'test/topology/parse/page.test.ts',
    ]);
  });

  it('a mutant is tried by a few tests first, then by more at a time, and only the first may exceed the budget', () => {
    const costs = [1_000, 1_100, 5_000, 6_000, 7_000, 30_000];
    const of = costs.map((cpuMs) => recording(`test/topology/url/of-${cpuMs}.test.ts`, cpuMs));
    const { batches, leftOut } = choiceFor(mutantAt(4, '>'), of, 20_100);
    assert.deepEqual(
      batches.map(({ cpuMs }) => cpuMs),
      [2_100, 11_000, 7_000],
    );
    assert.deepEqual(leftOut, ['test/topology/url/of-30000.test.ts']);
    assert.deepEqual(testsFor(mutantAt(4, '>'), of.slice(5), 1), ['test/topology/url/of-30000.test.ts']);
  });

  it('a mutant pays once for code that the tests of a process load together', () => {
    const costs = [100, 200, 300, 400, 500, 600, 700];
    const of = costs.map((cpuMs, i) => ({
      ...recording(`test/topology/url/of-${cpuMs}.test.ts`, cpuMs),
      loadMs: i === 1 ? 1_500 : 1_000,
    }));
    // In the order of what each costs alone, load included: the second is the last but one.
    const { batches, leftOut } = choiceFor(mutantAt(4, '>'), of, 5_000);
    assert.deepEqual(
      batches.map(({ tests, cpuMs }) => [tests.length, cpuMs]),
      [
        [5, 1_000 + 1_900],
        [1, 1_500 + 200],
      ],
    );
    assert.deepEqual(leftOut, ['test/topology/url/of-700.test.ts']);
    assert.deepEqual(choiceFor(mutantAt(4, '>'), of, 5_300).leftOut, []);
  });
});

it('a score over few mutants is uncertain, one over many less so', () => {
  const rounded = (noticed: number, tried: number) => interval({ noticed, tried }).map((share) => share.toFixed(3));
  // By the formula, worked out with another program.
  assert.deepEqual(rounded(9, 10), ['0.596', '0.982']);
  assert.deepEqual(rounded(900, 1_000), ['0.880', '0.917']);
  assert.deepEqual(rounded(10, 10), ['0.722', '1.000']);
});
