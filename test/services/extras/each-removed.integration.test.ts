/** Extras are removed one after another: what is left compiles, and the core passes its unit tests. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { installed } from '../../../services/extras/installed.ts';
import { ScratchTree } from './scratch-tree.ts';

describe('the program compiles without an extra and those that use it', () => {
  for (const { name } of installed)
    test(`${name} can be deleted`, async () => {
      const tree = new ScratchTree();
      const removed = tree.remove(name);
      assert.equal((await tree.listExtras()).code, 0);
      const { code, stdout } = await tree.compile();
      assert.equal(code, 0, `without ${removed.join(', ')}: ${stdout}`);
    });
});

/** Tests of a folder that load nothing of an extra, in a tree without extras. */
async function testsOf(tree: ScratchTree, folder: string): Promise<string[]> {
  const files = readdirSync(join(tree.folder, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!integration)\.test\.ts$/.test(file))
    .map((file) => join(folder, file));
  const { testsReaching } = await import('../../mutation/imports.ts');
  const gone = readdirSync('services/extras', { recursive: true, encoding: 'utf8' }).map(
    (file) => `services/extras/${file}`,
  );
  const core = readdirSync('topology/extras', { recursive: true, encoding: 'utf8' }).map(
    (file) => `topology/extras/${file}`,
  );
  const reaching = testsReaching(files.filter((file) => existsSync(file)));
  const affected = new Set(
    [...gone, ...core]
      .filter((file) => file.endsWith('.ts') && file !== 'services/extras/installed.ts')
      .flatMap(reaching),
  );
  return files.filter((file) => !affected.has(file));
}

test('the unit tests of the core pass in a tree without any extra', async () => {
  const tree = new ScratchTree(['test', 'examples', 'docs', 'deploy', 'README.md']);
  for (const { name } of installed) tree.remove(name);
  assert.equal((await tree.listExtras()).code, 0);
  const generated = await tree.node('--import', 'tsx', 'services/reference/generate.ts');
  assert.equal(generated.code, 0, generated.stderr);
  const files = [...(await testsOf(tree, 'test/topology')), ...(await testsOf(tree, 'test/services'))];
  assert.ok(files.length > 300, `${files.length} files`);
  const { code, stdout, stderr } = await tree.node('--import', 'tsx', 'test/run/main.ts', 'unit', ...files);
  assert.equal(code, 0, `${stdout.slice(-5_000)}${stderr.slice(-2_000)}`);
});
