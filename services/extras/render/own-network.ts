/**
 * Starts a browser without a network: in a separate network namespace, without an active interface, because
 * everything that its pages load comes through the pipe that controls it. So even a browser that a page has taken
 * over cannot reach the machine's network.
 *
 * On Linux, any user may create one within a user namespace (`unshare`, of util-linux), unless a container's seccomp
 * profile, AppArmor or a sysctl forbids it, so it is tried.
 */
import { execFile } from 'node:child_process';
import { readlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openScratchFolder } from '../../runtime/disk/scratch-folder.ts';

const run = promisify(execFile);
const apart = ['--user', '--map-current-user', '--net', '--'];
const patienceMs = 5_000;

export interface ApartExecutable {
  /** Starts the browser in a separate network namespace, with the given arguments. */
  readonly path: string;
  /** Call after the browser has started, or failed to start. */
  forget(): Promise<void>;
}

export interface NoNamespace {
  /** The reason why it is not possible, in a line. */
  readonly why: string;
}

export async function withoutNetwork(executable: string): Promise<ApartExecutable | NoNamespace> {
  try {
    const { stdout } = await run('unshare', [...apart, 'readlink', '/proc/self/ns/net'], { timeout: patienceMs });
    if (stdout.trim() === (await readlink('/proc/self/ns/net'))) return { why: 'unshare made no network namespace' };
    const folder = await openScratchFolder(tmpdir(), 'crawlstream-browser-');
    const path = join(folder.path, 'chromium');
    // The browser replaces the process that starts it, so that ending one ends the other.
    await writeFile(path, `#!/bin/sh\nexec unshare ${apart.join(' ')} ${quoted(executable)} "$@"\n`, { mode: 0o700 });
    return { path, forget: folder.remove };
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    return { why: (stderr || message).trim().split('\n', 1)[0]! };
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
