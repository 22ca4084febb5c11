import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, describe, it } from 'node:test';
import { root } from './files.ts';
import { runGroup } from './run-group.ts';

describe('a test process', () => {
  const folders: string[] = [];
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  async function fileOf(text: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'crawlstream-run-'));
    folders.push(folder);
    const file = join(folder, 'one.test.mjs');
    await writeFile(file, `import { it } from 'node:test';\nimport assert from 'node:assert';\n${text}`);
    return relative(root, file);
  }

  it('a test process that a failed test left open ends soon after it, and the failure is reported', async () => {
    const file = await fileOf(
      `it('leaves a timer', () => { setInterval(() => {}, 1000); assert.fail('as it must'); });`,
    );
    const { reported, fault } = await runGroup([file], { deadlineMs: 60_000, afterFailureMs: 500 }, () => {});
    assert.deepEqual(
      reported.map(({ kind, name }) => [kind, name]),
      [['fail', 'leaves a timer']],
    );
    assert.equal(fault, '', 'the test says what failed');
  });

  it('a test process continues after a failure as long as it produces output', async () => {
    const later = `it('later', () => new Promise((resolve) => setTimeout(resolve, 300)));\n`.repeat(4);
    const file = await fileOf(`it('fails', () => assert.fail('as it must'));\n${later}`);
    const { reported } = await runGroup([file], { deadlineMs: 60_000, afterFailureMs: 30_000 }, () => {});
    assert.equal(reported.length, 5);
  });

  it('a test process that exceeds its deadline is ended, and counts as failed', async () => {
    const file = await fileOf(
      `it('first', () => {});\nit('hangs', () => new Promise(() => setInterval(() => {}, 1000)));`,
    );
    const { fault } = await runGroup([file], { deadlineMs: 2_000, afterFailureMs: 5_000 }, () => {});
    assert.match(fault, /not done after 2 s/);
  });
});
