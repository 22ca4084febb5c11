/** The unit tests of the core, in trees without some extras, and in one without any. */
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { installed } from '../../../services/extras/installed.ts';
import { testFiles } from '../../run/files.ts';
import { ScratchTree } from './scratch-tree.ts';

/** None of them loads an extra but by the list of extras (test/style/purity.test.ts). */
const coreTests = testFiles('unit').filter((file) => /^test\/(?:services|topology)\/(?!extras\/)/.test(file));

/** One of each kind: consumer, display, commands alone, readers, part of a fetcher, part of a frontier. */
const removedAlone = ['graph', 'dashboard', 'story', 'pdf', 'payments', 'push'];

describe('the unit tests of the core', () => {
  const tree = new ScratchTree(['test', 'examples', 'docs', 'deploy', 'README.md']);
  afterEach(() => tree.restore());

  async function passWithout(names: readonly string[]): Promise<void> {
    for (const name of names) tree.remove(name);
    const generated = await tree.generate();
    assert.equal(generated.code, 0, generated.stderr);
    assert.ok(coreTests.length > 400, `${coreTests.length} files`);
    const { code, stdout, stderr } = await tree.node('--import', 'tsx', 'test/run/main.ts', 'unit', ...coreTests);
    assert.equal(code, 0, `${failuresIn(stdout)}${stdout.slice(-2_000)}${stderr.slice(-2_000)}`);
    console.log(`# ${stdout.trim().split('\n').slice(-2).join('; ')}`);
  }

  test('the unit tests of the core pass in a tree without any extra', () =>
    passWithout(installed.map(({ name }) => name)));

  for (const name of removedAlone)
    test(`the unit tests of the core pass without ${name} and those that use it`, () => passWithout([name]));
});

/** The runner's lines that name failed files and tests. */
function failuresIn(output: string): string {
  return [...output.matchAll(/^FAILED .*\n.*\n/gm)].map(([lines]) => lines.slice(0, 500)).join('');
}
