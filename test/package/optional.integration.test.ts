/** The package without what only some need: small, installed under `engine-strict`, and clear about what it left out. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

describe('the package as "npm install" installs it', { timeout: 900_000 }, () => {
  const folder = temporaryFolder();
  const bin = join(folder, 'node_modules/.bin/crawlstream');
  const run = (...args: string[]) => spawnSync(bin, args, { cwd: folder, encoding: 'utf8' });
  /** Nobody listens there: the crawl ends after one retry. */
  const soon = ['--allow-private', '--retries', '0.1s'];
  const npm = (...args: readonly string[]) =>
    execFileSync('npm', [...args, '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder, encoding: 'utf8' });
  /** What a message tells to type, typed. */
  const type = (command: string) => {
    const [first, ...words] = command.split(' ');
    assert.equal(first, 'npm');
    npm(...words);
  };

  before(() => {
    const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
    const [packed] = JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'guest', private: true, type: 'module' }));
    writeFileSync(join(folder, '.npmrc'), 'engine-strict=true\n');
    npm('install', join(folder, packed.filename));
    writeFileSync(join(folder, 'seeds.txt'), 'http://127.0.0.1:9999/\n');
  });

  it('the package takes less than 120 MB, without the packages that only some crawls need', () => {
    const [kilobytes] = execFileSync('du', ['-sk', join(folder, 'node_modules')], { encoding: 'utf8' }).split('\t');
    assert.ok(Number(kilobytes) < 120_000, `${kilobytes} kB`);
    console.log(`# ${kilobytes} kB`);
    const brought = Object.keys(peerDependencies).filter((name) => existsSync(join(folder, 'node_modules', name)));
    // @grpc/grpc-js's or prom-client's own, as it may be.
    assert.deepEqual(
      brought.filter((name) => name !== '@opentelemetry/api'),
      [],
    );
  });

  it('the package runs, and names the command that installs what a feature needs', () => {
    assert.equal(run('check', 'url', 'https://example.org/a/../b').status, 0);
    const data = ['--data', 'data', '--allow-private'];
    for (const [args, name] of [
      [['--with', 'index'], 'libsql@0.5'],
      [['--with', 'archive', '--archive-to', 's3://bucket/x'], '@aws-sdk/client-s3@3'],
      [['--with', 'index', '--opensearch', 'http://127.0.0.1:9'], '@opensearch-project/opensearch@3'],
      [['--otlp', 'http://127.0.0.1:9'], '@opentelemetry/exporter-trace-otlp-proto@0.220'],
    ] as const) {
      const { status, stderr } = run('crawl', 'seeds.txt', ...data, ...args);
      assert.equal(status, 2, stderr);
      assert.match(stderr, new RegExp(`needs .*, which this installation leaves out: npm install .*${name}`));
    }
  });

  it('the package keeps a crawl in LevelDB without a warning', () => {
    const { stderr } = run('crawl', 'seeds.txt', '--data', 'plain', ...soon, '--json');
    assert.doesNotMatch(stderr, /rocksdb|LevelDB/);
    assert.equal(readFileSync(join(folder, 'plain/log/STORE'), 'utf8').trim(), 'classic-level');
  });

  it('the package names what to install for a folder of RocksDB, and then reads it, and one of LevelDB too', () => {
    const ours = ['dist/bundle/crawlstream.js', 'crawl', 'seeds.txt', '--data', 'rocks', ...soon];
    const env = { ...process.env, CRAWLSTREAM_STORE: 'rocksdb' };
    spawnSync(process.execPath, [join(root, ours[0]!), ...ours.slice(1)], { cwd: folder, env });
    const { status, stderr } = run('stats', '--data', 'rocks');
    const [, command] =
      /was written by rocksdb, which this installation leaves out \(.*\): (npm install .*)$/m.exec(stderr) ?? [];
    assert.equal(status, 1, stderr);
    assert.equal(command, 'npm install --ignore-scripts rocksdb@5', stderr);
    const move = [join(root, ours[0]!), 'state', 'move', '--data', 'rocks', '--into', 'moved'];
    assert.equal(spawnSync(process.execPath, move, { cwd: folder }).status, 0);
    assert.equal(run('stats', '--data', 'moved').status, 0);
    type(command!);
    for (const data of ['rocks', 'plain']) {
      const stats = run('stats', '--data', data);
      assert.equal(stats.status, 0, stats.stderr);
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
