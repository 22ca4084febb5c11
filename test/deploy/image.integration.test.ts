import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { before, describe, it } from 'node:test';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { compileContext, contextFiles, root, stagesOf, takenFromBuild } from './build-context.ts';

describe('the image’s build context', () => {
  const folder = temporaryFolder();
  const main = join(folder, 'dist/bundle/crawlstream.js');

  before(() => {
    try {
      compileContext(folder);
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: Buffer | string; stderr?: Buffer | string };
      throw new Error(`the Dockerfile's build context does not compile: ${error}\n${stdout}${stderr}`);
    }
  });

  it('the image’s build context compiles, and the result prints its version', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    assert.match(execFileSync(process.execPath, [main, '--version']).toString(), new RegExp(`\\b${version}\\b`));
  });

  it('the image’s build context answers a command, and includes the grading web that judge needs', () => {
    const text = execFileSync(process.execPath, [main, 'check', 'url', 'HTTP://Example.com:80/a/../b']).toString();
    assert.match(text, /http:\/\/example\.com\/b/);
    assert.match(execFileSync(process.execPath, [main, 'judge', '--help']).toString(), /--listen/);
  });

  it('the image takes only files out of the stage that compiles that this stage has', () => {
    const taken = takenFromBuild(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'));
    assert.ok(taken.length >= 2, taken.join(', '));
    assert.deepEqual(
      taken.filter((path) => !existsSync(join(folder, path)) && path !== 'node_modules'),
      [],
    );
  });

  it('the image has the files of each extra’s page, and is built without any extra that is deleted', () => {
    const isOfPage = (file: string) => /^services\/extras\/[^/]+\/page\/[^/]+\.(?:css|html|svg)$/.test(file);
    assert.deepEqual(filesIn(join(folder, 'pages')), contextFiles().filter(isOfPage).sort());

    const build = stagesOf(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')).find(({ name }) => name === 'build')!;
    const { run } = build.steps.find(({ run }) => run.includes('pages'))!;
    const [one, none] = [temporaryFolder(), temporaryFolder()];
    mkdirSync(join(one, 'services/extras/maps/page'), { recursive: true });
    for (const file of ['map.css', 'map.ts']) writeFileSync(join(one, 'services/extras/maps/page', file), '');
    mkdirSync(join(none, 'services/extras'), { recursive: true });
    for (const cwd of [one, none]) execFileSync('sh', ['-ec', run], { cwd });
    assert.deepEqual(filesIn(join(one, 'pages')), ['services/extras/maps/page/map.css']);
    assert.deepEqual(filesIn(join(none, 'pages')), []);
  });

  it('the image runs on one LTS of Node, under a numeric id other than root', () => {
    const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8');
    const stages = stagesOf(dockerfile);
    const names = new Set(stages.map(({ name }) => name));
    const bases = new Set(stages.map(({ from }) => from).filter((from) => !names.has(from)));
    assert.equal(bases.size, 1, [...bases].join());
    assert.equal(Number(/^node:(\d+)-/.exec([...bases][0]!)?.[1]) % 2, 0);
    const [, user] = /^USER (\d+):\d+$/m.exec(dockerfile) ?? [];
    assert.ok(Number(user) > 0);
  });

  it('the image’s build context has no tests and no leftovers of the checkout', () => {
    const files = contextFiles();
    assert.ok(files.includes('services/cli/main.ts') && files.includes('.npmrc'));
    assert.deepEqual(
      files.filter((file) => /\.test\.ts$|^node_modules|^dist|^\.git/.test(file)),
      [],
    );
  });
});

/** Paths of the files in a folder, from there. */
function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((file) => relative(folder, join(file.parentPath, file.name))).sort();
}
