import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readPassed } from './passed-parts.ts';

/** A checkout with one file that is committed. */
async function checkout(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'crawlstream-passed-'));
  t.after(() => rm(root, { recursive: true }));
  const git = (...args: string[]) => {
    const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
    const { status, stderr } = spawnSync('git', [...who, ...args], { cwd: root, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  };
  const write = (text: string) => writeFile(join(root, 'source.ts'), text);
  git('init', '-q');
  await writeFile(join(root, '.gitignore'), '.cache\n');
  await write('1');
  git('add', '-A');
  git('commit', '-qm', 'one');
  return { root, git, write };
}

test('passed parts are known for the same sources only', async (t) => {
  const { root, git, write } = await checkout(t);
  const { note } = readPassed(root, false);
  note('long', 60);
  note('fuzz', 5);
  note('fuzz', null);
  assert.deepEqual([...readPassed(root, false).seconds], [['long', 60]]);
  assert.deepEqual([...readPassed(root, true).seconds], [], 'anew');

  await write('2');
  assert.deepEqual([...readPassed(root, false).seconds], [], 'what is not committed has no name');
  git('commit', '-qam', 'two');
  assert.deepEqual([...readPassed(root, false).seconds], []);
  git('checkout', '-q', 'HEAD~1');
  assert.deepEqual([...readPassed(root, false).seconds], [['long', 60]]);
});

test('parts that run in two terminals are recorded together', async (t) => {
  const { root } = await checkout(t);
  const [one, other] = [readPassed(root, false), readPassed(root, true)];
  one.note('long', 60);
  other.note('fuzz', 5);
  one.note('zoo', 7);
  assert.deepEqual([...readPassed(root, false).seconds].sort(), [
    ['fuzz', 5],
    ['long', 60],
    ['zoo', 7],
  ]);
  other.note('long', null);
  assert.deepEqual([...readPassed(root, false).seconds].map(([part]) => part).sort(), ['fuzz', 'zoo']);
});

test('nothing is recorded of a part whose sources changed while it ran', async (t) => {
  const { root, git, write } = await checkout(t);
  const { note } = readPassed(root, false);
  await write('2');
  note('long', 60);
  git('checkout', '-q', 'source.ts');
  assert.deepEqual([...readPassed(root, false).seconds], []);
});
