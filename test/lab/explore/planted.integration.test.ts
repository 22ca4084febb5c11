import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { FoundViolation } from '../../../lab/explore/engine/explore.ts';
import { planted } from '../../../lab/explore/planted.ts';
import { editedProcess } from '../../mutation/try-edit.ts';
import { root } from '../../run/files.ts';

const run = promisify(execFile);

/** One in three; `npm run verify:full` plants them all. */
const tried = planted.filter((_, n) => process.env['CRAWLSTREAM_TEST_PLANTED'] === 'all' || n % 3 === 0);

describe('the explorer finds a planted bug:', { concurrency: 2 }, () => {
  for (const { world = 'claims', depth = 4, endsEvery = 1, ...edit } of tried) {
    it(edit.bug, async (test) => {
      const { args, env } = editedProcess(edit);
      const given = [world, `${depth}`, `${endsEvery}`];
      const { stdout } = await run(process.execPath, [...args, 'lab/explore/first-violation.ts', ...given], {
        cwd: root,
        env,
      });
      const violation = JSON.parse(stdout) as FoundViolation | null;
      assert.ok(violation !== null, `no history up to depth ${depth} shows it`);
      test.diagnostic([violation.rule, ...violation.history].join('\n'));
    });
  }
});
