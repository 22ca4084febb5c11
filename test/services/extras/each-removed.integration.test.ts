/** Extras are removed one after another, each with those that use it: what is generated follows, and the rest compiles. */
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { installed } from '../../../services/extras/installed.ts';
import { ScratchTree } from './scratch-tree.ts';

describe('the program without an extra and those that use it', () => {
  const tree = new ScratchTree(['docs', 'deploy', 'README.md']);
  afterEach(() => tree.restore());

  test('a file of the core that uses a removed extra does not compile', async () => {
    tree.write('services/hosting/uses-pdf.ts', "export { extension } from '../extras/pdf/extension.ts';\n");
    assert.equal((await tree.compile()).code, 0);
    tree.remove('pdf');
    const { code, stdout } = await tree.compile();
    assert.notEqual(code, 0);
    assert.match(stdout, /services\/hosting\/uses-pdf\.ts/);
    tree.write('services/hosting/uses-pdf.ts', 'export {};\n');
  });

  for (const { name } of installed)
    test(`${name} can be deleted: what is generated follows, and the rest compiles`, async () => {
      const removed = tree.remove(name).join(', ');
      const generated = await tree.generate();
      assert.equal(generated.code, 0, `without ${removed}: ${generated.stderr}`);
      assert.ok(!tree.read('services/extras/installed.ts').includes(`'./${name}/`));
      const { code, stdout } = await tree.compile();
      assert.equal(code, 0, `without ${removed}: ${stdout}`);
    });
});
