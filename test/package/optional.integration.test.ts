/** The package without what only some need: small, installed under `engine-strict`, and clear about what it left out. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the package without its optional dependencies', { timeout: 900_000 }, () => {
  const folder = temporaryFolder();
  const bin = join(folder, 'node_modules/.bin/crawlstream');
  const run = (...args: string[]) => spawnSync(bin, args, { cwd: folder, encoding: 'utf8' });

  before(() => {
    const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
    const [packed] = JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'guest', private: true, type: 'module' }));
    writeFileSync(join(folder, '.npmrc'), 'engine-strict=true\n');
    const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--omit=optional'];
    execFileSync('npm', ['install', ...quiet, join(folder, packed.filename)], { cwd: folder, stdio: 'ignore' });
  });

  it('takes less than 120 MB', () => {
    const [kilobytes] = execFileSync('du', ['-sk', join(folder, 'node_modules')], { encoding: 'utf8' }).split('\t');
    assert.ok(Number(kilobytes) < 120_000, `${kilobytes} kB`);
    console.log(`# ${kilobytes} kB`);
  });

  it('runs, and names the package that a feature needs', () => {
    assert.equal(run('check', 'url', 'https://example.org/a/../b').status, 0);
    const data = ['--data', 'data', '--allow-private'];
    writeFileSync(join(folder, 'seeds.txt'), 'http://127.0.0.1:9999/\n');
    for (const [args, name] of [
      [['--with', 'index'], 'libsql'],
      [['--with', 'archive', '--archive-to', 's3://bucket/x'], '@aws-sdk/client-s3'],
      [['--with', 'index', '--opensearch', 'http://127.0.0.1:9'], '@opensearch-project/opensearch'],
      [['--otlp', 'http://127.0.0.1:9'], '@opentelemetry/exporter-trace-otlp-proto'],
    ] as const) {
      const { status, stderr } = run('crawl', 'seeds.txt', ...data, ...args);
      assert.equal(status, 2, stderr);
      assert.match(stderr, new RegExp(`needs .*${name}.*, which this installation leaves out: npm install .*${name}`));
    }
  });
});

it('an install without the development dependencies ends well, and says that nothing is compiled', () => {
  const folder = temporaryFolder();
  for (const file of ['package.json', 'tsconfig.json', 'services/cli/compile.mjs']) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  const { status, stderr } = spawnSync('npm', ['run', '-s', 'prepare'], { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.match(stderr, /not compiled, as the development dependencies were left out: npm ci, with them, compiles it/);
  assert.ok(!existsSync(join(folder, 'dist')));
});
