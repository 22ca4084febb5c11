/**
 * `npm run release:check [-- vX.Y.Z]`: what a release would stumble over, without any rights and without publishing.
 *
 * The version that package.json, the lock and the tag name is a heading of CHANGELOG.md, with notes below it, and has its
 * figures in lab/bench/results; nothing is uncommitted; npm would take the package. Prints one line each; exit code 1 where something is wrong.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { releaseProblems } from './release-problems.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const textOf = (name: string) => readFileSync(join(root, name), 'utf8');
const run = (file: string, ...args: readonly string[]) =>
  execFileSync(file, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'pipe'] });

const problems = releaseProblems({
  tag: process.argv[2],
  package: JSON.parse(textOf('package.json')),
  lock: JSON.parse(textOf('package-lock.json')),
  changelog: textOf('CHANGELOG.md'),
  results: readdirSync(join(root, 'lab/bench'), { recursive: true }).flatMap(
    (name) => /^results[\\/](.+)\.json$/.exec(`${name}`)?.[1] ?? [],
  ),
  uncommitted: run('git', 'status', '--porcelain'),
});
for (const problem of problems) console.error(`release: ${problem}`);
const [packed] = JSON.parse(run('npm', 'pack', '--dry-run', '--json', '--ignore-scripts'));
console.log(`package: ${packed.files.length} files, ${(packed.size / 1e6).toFixed(1)} MB packed`);
if (problems.length > 0) process.exitCode = 1;
else console.log('release: ready; tag it, and push the tag');
