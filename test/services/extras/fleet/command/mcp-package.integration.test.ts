import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../../../../lab/process/command.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';

/** As an installation without the package answers. */
const hook = `
import { register } from 'node:module';
register('data:text/javascript,' + encodeURIComponent(\`
export async function resolve(name, context, next) {
  if (!name.startsWith('@modelcontextprotocol/sdk')) return next(name, context);
  throw Object.assign(new Error("Cannot find package '@modelcontextprotocol/sdk'"), { code: 'ERR_MODULE_NOT_FOUND' });
}\`));`;

for (const http of [['--http', '127.0.0.1:24817'], []]) {
  test(`mcp ${http[0] ?? 'on stdin'} without its package ends at its start, and names the package`, {
    timeout: 120_000,
  }, async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'hook.mjs');
    await writeFile(file, hook);
    const env = { ...process.env, NODE_OPTIONS: `--import ${file}` };
    const { code, stderr } = await runCommand(['mcp', '--data', join(folder, 'fleet'), ...http], {
      env,
      patienceMs: 60_000,
    });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /needs @modelcontextprotocol\/sdk, which this installation leaves out: /);
    assert.doesNotMatch(stderr, /ready|listening/i);
  });
}
