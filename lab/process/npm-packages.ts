/**
 * Packages of the npm registry in a temporary folder. The machine's own npm creates it once, and it is used again.
 * Nothing is installed elsewhere.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrawlstreamError } from '../../topology/errors.ts';

const folder = join(tmpdir(), 'crawlstream-npm-packages');

/** The `node_modules` that contains the packages. Packages as npm spells them, with their versions. */
export function npmPackages(name: string, packages: readonly string[]): string {
  const there = join(folder, name);
  const modules = join(there, 'node_modules');
  // Written last: after an interruption the folder is created again.
  const complete = join(there, 'complete');
  if (existsSync(complete)) return modules;
  rmSync(there, { recursive: true, force: true });
  mkdirSync(there, { recursive: true });
  writeFileSync(join(there, 'package.json'), JSON.stringify({ name: 'packages', private: true }));
  try {
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    execFileSync('npm', ['install', ...flags, ...packages], { cwd: there, stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    rmSync(there, { recursive: true, force: true });
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = 'this needs npm, and its registry';
    throw new CrawlstreamError('INVALID_ARGUMENT', `no ${packages.join(', ')} (${remedy}): ${reason}`);
  }
  writeFileSync(complete, '');
  return modules;
}
