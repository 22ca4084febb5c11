/** A copy of the checkout with dependencies of its own, installed by a given Node's npm as a fresh clone would. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { FetchedNode } from './fetch-node.ts';

/** Returns the folder. Throws where `npm ci` fails. */
export function installCheckout(root: string, { node, npm, version }: FetchedNode): string {
  const folder = mkdtempSync(join(tmpdir(), `crawlstream-${version}-`));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of listed.toString().split('\0')) {
    // Plain files only: one deleted and not yet committed is still listed, and through a link (a node_modules shared
    // with another checkout is one) npm ci would empty what the link leads to.
    if (file === '' || !lstatSync(join(root, file), { throwIfNoEntry: false })?.isFile()) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  try {
    execFileSync(node, [npm, 'ci'], { cwd: folder, env: environmentOf(node), stdio: ['ignore', 'inherit', 'inherit'] });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return folder;
}

/** Install scripts and tests that start `node` by name must meet the same one. */
export function environmentOf(node: string): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...rest } = process.env;
  return { ...rest, PATH: `${dirname(node)}${delimiter}${rest['PATH'] ?? ''}` };
}
