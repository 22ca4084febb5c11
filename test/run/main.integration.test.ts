import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { root } from './files.ts';

describe('a run of the tests', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-again-'));
  });
  after(() => rm(folder, { recursive: true }));

  /** A file with one test, that fails as often as said. */
  async function fileThatFails(name: string, times: number): Promise<string> {
    const file = join(folder, `${name}.test.ts`);
    const count = JSON.stringify(join(folder, `${name}.count`));
    await writeFile(
      file,
      `import { appendFileSync, readFileSync } from 'node:fs';
       import { it } from 'node:test';
       it('${name}', () => {
         appendFileSync(${count}, '.');
         if (readFileSync(${count}).length <= ${times}) throw new Error('${name} failed');
       });`,
    );
    return relative(root, file);
  }

  function run(files: string[], again: number) {
    const args = ['--import', 'tsx', 'test/run/main.ts', 'unit', `--again=${again}`, ...files];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    return { status, stdout };
  }

  it('a run of the tests passes if a failed file passes alone, and says so', async () => {
    const { status, stdout } = run([await fileThatFails('once', 1), await fileThatFails('never', 0)], 1);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /FAILED .*once\.test\.ts/, 'the failure is told');
    assert.match(stdout, /UNSTEADY .*once\.test\.ts: once/);
    assert.match(stdout, /2 passed, 0 failed, 0 skipped, 1 unsteady/);
  });

  it('a run of the tests retries the file that ran a shared suite of another file', async () => {
    const file = await fileThatFails('shared', 1);
    const suite = join(folder, 'suite.ts');
    const text = await readFile(join(root, file), 'utf8');
    await writeFile(suite, text.replace("it('shared'", "export const suite = () => it('shared'"));
    await writeFile(join(root, file), "import { suite } from './suite.ts';\nsuite();");
    const { status, stdout } = run([file], 1);
    assert.equal(status, 0, stdout);
    assert.ok(stdout.includes(`UNSTEADY ${relative(root, suite)}: shared: Error: shared failed`), stdout);
    assert.match(stdout, /1 passed, 0 failed, 0 skipped, 1 unsteady/);
  });

  it('a run of the tests fails if a file fails twice', async () => {
    const { status, stdout } = run([await fileThatFails('always', 9)], 1);
    assert.equal(status, 1);
    assert.match(stdout, /0 passed, 1 failed/);
  });

  it('a run of the tests retries no file if more failed than a busy machine explains', async () => {
    const { status, stdout } = run([await fileThatFails('one', 1), await fileThatFails('two', 1)], 1);
    assert.equal(status, 1);
    assert.match(stdout, /0 passed, 2 failed/);
  });

  it('a run of the tests retries nothing unless asked, if files are named', async () => {
    const file = await fileThatFails('named', 1);
    const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'test/run/main.ts', 'unit', file], {
      cwd: root,
    });
    assert.equal(status, 1);
  });
});
