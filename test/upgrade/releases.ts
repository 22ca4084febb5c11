/**
 * The releases whose data is kept here, oldest first, and how each is built again from the history of this repository.
 *
 * A new release has a line here; then `node --import tsx test/upgrade/keep-release.ts VERSION` keeps what it writes.
 */
import { execFile } from 'node:child_process';
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fetchOnce } from '../../lab/kafka/components.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Release {
  readonly version: string;
  readonly commit: string;
}

export const releases: readonly Release[] = [
  { version: '0.2.0', commit: '92ba61decc8bf42a81b370695cb981e3df749ec7' },
  { version: '0.3.0', commit: '6419edbeecb40936b10157ef10b51153d9fec8a3' },
];

/** Why a release can't be built here, such as in a copy without the history; undefined where it can. */
export async function historyMissing({ version, commit }: Release): Promise<string | undefined> {
  try {
    await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root });
    return undefined;
  } catch {
    return `no history here that has ${version} (${commit.slice(0, 7)})`;
  }
}

/** Was only the newest part of the history cloned, or none of it? */
export async function isCutOff(): Promise<boolean> {
  const args = ['rev-parse', '--is-shallow-repository'];
  const { stdout } = await run('git', args, { cwd: root }).catch(() => ({ stdout: 'true' }));
  return stdout.trim() === 'true';
}

/** The command of a release, in TypeScript, with today's packages. */
export async function commandOf({ version, commit }: Release): Promise<string> {
  const folder = await fetchOnce(`release-${version}-${commit.slice(0, 7)}`, async (into) => {
    const packed = join(into, 'release.tar');
    await run('git', ['archive', '-o', packed, commit], { cwd: root });
    await run('tar', ['-xf', packed, '-C', into]);
    await rm(packed);
    await symlink(join(root, 'node_modules'), join(into, 'node_modules'));
  });
  return join(folder, 'services/cli/main.ts');
}
