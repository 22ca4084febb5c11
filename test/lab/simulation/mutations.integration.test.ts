import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { mutations, seedsMax } from '../../../lab/simulation/mutations.ts';
import { editedProcess } from '../../mutation/try-edit.ts';
import { root } from '../../run/files.ts';

const run = promisify(execFile);

/** One in three; `npm run verify:full` plants them all. */
const planted = mutations.filter((_, n) => process.env['CRAWLSTREAM_TEST_PLANTED'] === 'all' || n % 3 === 0);

describe('the simulator finds a planted bug:', { concurrency: 2 }, () => {
  for (const mutation of planted) {
    it(mutation.bug, async (test) => {
      const { args, env } = editedProcess(mutation);
      const seeds = [
        `${mutation.from ?? 1}`,
        `${seedsMax}`,
        ...(mutation.inFleets ? ['fleet'] : mutation.inOutages ? ['networkAway'] : []),
      ];
      const { stdout } = await run(process.execPath, [...args, 'lab/simulation/first-failure.ts', ...seeds], {
        cwd: root,
        env,
      });
      const failure = JSON.parse(stdout) as { readonly seed: number; readonly violation: string } | null;
      assert.ok(failure !== null, `none of ${seedsMax} seeds fails`);
      test.diagnostic(`seed ${failure.seed}, ${failure.violation}`);
    });
  }
});
