/**
 * Packages of Python's package index in a virtual environment among the temporary folders. The machine's own python3
 * and pip create it once, and it is used again. Nothing is installed elsewhere.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';

const folder = join(tmpdir(), 'crawlstream-python-environments');

/** The environment's folder: `bin/python` and the packages' commands are in it. Requirements as pip spells them. */
export function pythonEnvironment(name: string, requirements: readonly string[]): string {
  const there = join(folder, name);
  // Written last: after an interruption the environment is created again, since it cannot be moved.
  const complete = join(there, 'complete');
  if (existsSync(complete)) return there;
  rmSync(there, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('python3', ['-m', 'venv', there], { stdio: ['ignore', 'ignore', 'pipe'] });
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...requirements];
    execFileSync(join(there, 'bin/python'), pip, { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    rmSync(there, { recursive: true, force: true });
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = 'this needs python3 with venv, and the package index';
    throw new CrawlstreamError('INVALID_ARGUMENT', `no ${requirements.join(', ')} (${remedy}): ${reason}`);
  }
  writeFileSync(complete, '');
  return there;
}
