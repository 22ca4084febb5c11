import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { root } from '../../run/files.ts';
import { recordingsOf } from './recordings.ts';

mkdirSync(join(root, '.cache/mutation'), { recursive: true });
const folder = mkdtempSync(join(root, '.cache/mutation/trial-'));
after(() => rmSync(folder, { recursive: true }));

/** A test file of these lines, as a path from the root. */
function testFile(name: string, ...lines: readonly string[]): string {
  const path = join(folder, `${name}.test.mjs`);
  const imports = ["import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';"];
  writeFileSync(path, [...imports, "import { test } from 'node:test';", ...lines].join('\n'));
  return relative(root, path);
}

const fileOf = (name: string) => JSON.stringify(join(folder, name));

/** Records the tests that have no valid recording; returns how many had to run. */
async function record(...tests: readonly string[]) {
  let ran = 0;
  const { recordings, failing } = await recordingsOf(tests, 2, () => (ran += 1), join(folder, 'kept'));
  return { recorded: recordings.map(({ test }) => test).sort(), failing, ran };
}

test('a test that fails once while it is recorded is recorded by a second try', async () => {
  const once = testFile(
    'once',
    `const before = existsSync(${fileOf('mark')});`,
    `writeFileSync(${fileOf('mark')}, '');`,
    "test('works', () => { if (!before) throw new Error('the first time'); });",
  );
  const never = testFile('never', "test('works', () => { throw new Error('always'); });");
  assert.deepEqual(await record(once, never), { recorded: [once], failing: [never], ran: 2 });
  assert.deepEqual(await record(once), { recorded: [once], failing: [], ran: 0 });
});

test('a recording is made anew once a file or a folder that its test read has changed', async () => {
  mkdirSync(join(folder, 'listed'));
  writeFileSync(join(folder, 'text'), 'one');
  const lines = [`readFileSync(${fileOf('text')});`, `readdirSync(${fileOf('listed')});`, "test('works', () => {});"];
  const reads = testFile('reads', ...lines);
  const ran = async () => (await record(reads)).ran;
  assert.deepEqual([await ran(), await ran()], [1, 0]);
  writeFileSync(join(folder, 'other'), 'one');
  assert.equal(await ran(), 0);
  writeFileSync(join(folder, 'text'), 'two');
  assert.deepEqual([await ran(), await ran()], [1, 0]);
  writeFileSync(join(folder, 'listed/new'), '');
  assert.deepEqual([await ran(), await ran()], [1, 0]);
  mkdirSync(join(folder, 'all/below'), { recursive: true });
  const listsAll = testFile('all', `readdirSync(${fileOf('all')}, { recursive: true });`, "test('works', () => {});");
  assert.equal((await record(listsAll)).ran, 1);
  writeFileSync(join(folder, 'all/below/new'), '');
  assert.equal((await record(listsAll)).ran, 1);
});
