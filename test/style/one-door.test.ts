/** Commands print through one door, where what a terminal would obey is shown. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const services = fileURLToPath(new URL('../../services', import.meta.url));

test('no command writes to its output except through the one module for output', () => {
  const files = (readdirSync(services, { recursive: true }) as string[]).filter((file) =>
    /^(?:cli|extras\/[^/]+\/command)\/.*\.ts$/.test(file),
  );
  const past = files.filter((file) => {
    // What draws on a terminal is in one folder.
    if (file.startsWith(join('cli', 'terminal'))) return false;
    return /\bstd(?:out|err)\.write\(|\bconsole\.\w+\(/.test(readFileSync(join(services, file), 'utf8'));
  });
  assert.ok(files.length > 150, `${files.length} files`);
  assert.deepEqual(past, []);
});
