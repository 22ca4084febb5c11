import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadScript } from '../../../services/cli/kept-code.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';

const script = (answer: string) =>
  `(function (exports, require, module, scriptUrl, importModule) { exports.answer = () => ({ text: ${JSON.stringify(answer)}, scriptUrl }); exports.load = importModule; })`;

function writeScript(): { readonly file: string; readonly kept: string } {
  const folder = temporaryFolder();
  const file = join(folder, 'program.cjs');
  writeFileSync(file, script('as it was'));
  const { exports, fromKept, code } = loadScript(file);
  assert.equal(fromKept, false);
  assert.equal(answerOf(exports), 'as it was');
  const kept = code();
  writeFileSync(kept.file, kept.bytes);
  return { file, kept: kept.file };
}

const answerOf = (exports: unknown) => (exports as { answer(): { text: string } }).answer().text;

test('a script runs from the code that was kept, and imports modules from there', async () => {
  const { file } = writeScript();
  const { exports, fromKept } = loadScript(file);
  assert.equal(fromKept, true);
  assert.equal(answerOf(exports), 'as it was');
  const { load } = exports as { load(name: string): Promise<typeof import('node:path')> };
  assert.equal((await load('node:path')).join('a', 'b'), 'a/b');
});

test('kept code with any damaged byte, or any end missing, is not run', () => {
  const { file, kept } = writeScript();
  const whole = readFileSync(kept);
  for (let at = 0; at < whole.length; at += 1 + Math.floor(at / 40)) {
    const damaged = Buffer.from(whole);
    damaged[at]! ^= 0xff;
    for (const bytes of [damaged, whole.subarray(0, at)]) {
      writeFileSync(kept, bytes);
      const { exports, fromKept } = loadScript(file);
      assert.equal(fromKept, false, `byte ${at} of ${whole.length}`);
      assert.equal(answerOf(exports), 'as it was');
    }
  }
});

test('a script that was changed without changing its length does not run the code of the old one', () => {
  const { file } = writeScript();
  writeFileSync(file, script('as it is!'));
  assert.equal(answerOf(loadScript(file).exports), 'as it is!');
});
