/**
 * Pages written by others: the HTML of Debian packages, under free licences, fetched with the machine's own apt.
 * Nothing is installed. A package is fetched once, into a temporary folder, and used again.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';

const folder = join(tmpdir(), 'crawlstream-debian-packages');

/** The folder with the package's files, as they would be below `/`. */
export function debianPackage(name: string): string {
  const there = join(folder, name);
  if (existsSync(there)) return there;
  const making = join(folder, `.${name}-${process.pid}`);
  mkdirSync(making, { recursive: true });
  try {
    execFileSync('apt-get', ['download', '-q', name], { cwd: making, stdio: ['ignore', 'ignore', 'pipe'] });
    const [file = ''] = readdirSync(making);
    execFileSync('dpkg-deb', ['-x', file, 'files'], { cwd: making, stdio: ['ignore', 'ignore', 'pipe'] });
    renameSync(join(making, 'files'), there);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = 'this needs Debian with apt-get, and the lists of apt-get update';
    throw new CrawlstreamError('INVALID_ARGUMENT', `no package ${name} (${remedy}): ${reason}`);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return there;
}

/** Paths of the HTML files below a folder, in order. */
export function htmlFiles(below: string): string[] {
  return readdirSync(below, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.x?html?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
