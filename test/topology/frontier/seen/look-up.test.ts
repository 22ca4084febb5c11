/** Questions over the blocks of a run: none is lost at the edge between two, and runs of like size are merged. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lookUp } from '../../../../topology/frontier/seen/look-up.ts';
import { blockBytes, blockFingerprints, blockKey, type Run } from '../../../../topology/frontier/seen/runs.ts';
import { RowsStore } from './rows-store.ts';

/** Even fingerprints 2, 4, 6 ... over three blocks, all below one high word and then the next. */
function threeBlocks(): { run: Run; store: RowsStore; at: (n: number) => [number, number] } {
  const count = 2 * blockFingerprints + 100;
  const at = (n: number): [number, number] => [n <= 9_000 ? 5 : 6, 2 * n];
  const words = Uint32Array.from({ length: 2 * count }, (_, i) => at((i >> 1) + 1)[i & 1]!);
  const store = new RowsStore();
  const firsts: number[] = [];
  for (let block = 0; block < 3; block++) {
    const part = words.slice(2 * block * blockFingerprints, 2 * (block + 1) * blockFingerprints);
    firsts.push(part[0]!, part[1]!);
    store.write([{ key: blockKey(7, block), value: blockBytes(part) }]);
  }
  return { run: { id: 7, count, firsts: Uint32Array.from(firsts) }, store, at };
}

function ask({ run, store }: ReturnType<typeof threeBlocks>, questions: readonly (readonly [number, number])[]) {
  let found: Uint8Array = new Uint8Array(0);
  const takeQuestions = () => Uint32Array.from(questions.flat());
  store.run(lookUp({ runs: [run], takeQuestions, answer: (answers) => (found = answers.found) }));
  return [...found];
}

describe('a look-up in a run of several blocks', () => {
  const three = threeBlocks();
  const { at } = three;
  const edge = blockFingerprints;

  it('a look-up in a run of several blocks finds the last of a block and the first of the next, asked together', () => {
    for (const n of [edge, 2 * edge]) {
      assert.deepEqual(ask(three, [at(n - 1), at(n), at(n + 1), at(n + 2)]), [1, 1, 1, 1], `at ${n}`);
    }
  });

  it('a look-up in a run of several blocks finds a block’s first entry as the last and as the first question', () => {
    assert.deepEqual(ask(three, [at(3), at(edge + 1)]), [1, 1]);
    assert.deepEqual(ask(three, [at(edge + 1), at(edge + 9), at(2 * edge + 1)]), [1, 1, 1]);
  });

  it('a look-up in a run of several blocks does not find values between two entries, below all or above all', () => {
    const [hi, lo] = at(edge);
    assert.deepEqual(ask(three, [[1, 9], at(1), [hi, lo + 1], at(edge + 1), [6, 0xffff_fff0]]), [0, 1, 0, 1, 0]);
  });
});
