import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { installCommand } from '../../../services/runtime/install-command.ts';
import { temporaryFolder } from './store/temporary-folder.ts';

const peerDependencies = { libsql: '^0.5.29', 'playwright-core': '1.65', rocksdb: '^5.2.1' };

function installed({ inProject }: { readonly inProject: boolean }) {
  const root = temporaryFolder();
  const folder = join(root, 'node_modules/crawlstream');
  mkdirSync(folder, { recursive: true });
  if (inProject) writeFileSync(join(root, 'package.json'), '{}');
  return { folder, peerDependencies };
}

test('a missing package is installed in the project, in a matching version, with no character that a shell would interpret', () => {
  const product = installed({ inProject: true });
  assert.equal(installCommand(['libsql', 'playwright-core'], product), 'npm install libsql@0.5 playwright-core@1.65');
});

test('RocksDB is installed without its script, which would compile it', () => {
  const product = installed({ inProject: true });
  assert.equal(installCommand(['rocksdb'], product), 'npm install --ignore-scripts rocksdb@5');
});

test('a missing package is installed globally beside a global installation, and by npm ci in a checkout', () => {
  assert.equal(installCommand(['libsql'], installed({ inProject: false })), 'npm install -g libsql@0.5');
  assert.equal(installCommand(['libsql'], { folder: temporaryFolder(), peerDependencies }), 'npm ci');
});
