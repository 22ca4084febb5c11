/** Commands print through one door, where what a terminal would obey is shown. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../services/cli', import.meta.url));

test('no command writes to its output except through the one module for output', () => {
  const files = (readdirSync(cli, { recursive: true }) as string[]).filter((file) => file.endsWith('.ts'));
  const past = files.filter((file) => {
    // What draws on a terminal is in one folder; what makes our own pages prints names of files.
    if (file.startsWith('terminal') || file === join('reference', 'generate.ts')) return false;
    return /\bstd(?:out|err)\.write\(|\bconsole\.\w+\(/.test(readFileSync(join(cli, file), 'utf8'));
  });
  assert.deepEqual(past, []);
});
