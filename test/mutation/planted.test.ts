import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { planted as explored } from '../../lab/explore/planted.ts';
import { mutations } from '../../lab/simulation/mutations.ts';
import { root } from '../run/files.ts';
import { accepted } from './accepted.ts';
import { type Edit, edited } from './edit.ts';
import { planted } from './planted.ts';

const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

/** What no longer fits. */
function misfits(edits: readonly Edit[]): string[] {
  return edits.flatMap((edit) => {
    try {
      edited(textOf(edit.file), edit);
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
}

test('each planted mutant still fits its source, and its tests exist', () => {
  assert.ok(planted.length >= 30 && mutations.length >= 20, `${planted.length} and ${mutations.length} mistakes`);
  assert.deepEqual(misfits(planted), []);
  assert.deepEqual(misfits(mutations), []);
  assert.deepEqual(misfits(explored), []);
  const files = planted.flatMap(({ tests }) => tests);
  assert.deepEqual(
    files.filter((file) => !existsSync(join(root, file))),
    [],
  );
});

test('each accepted mutant still exists in its source', () => {
  const gone = accepted.filter(({ file, find, line }) => {
    const lines = existsSync(join(root, file)) ? textOf(file).split('\n') : [];
    return !lines.some((text) => text.includes(line) && text.includes(find.split('\n')[0]!));
  });
  assert.deepEqual(gone, []);
});
