/**
 * The container engine and Compose that are here: docker, else podman with podman-compose.
 *
 * `CRAWLSTREAM_ENGINE` and `CRAWLSTREAM_COMPOSE` name other programs, such as a script that adds what a machine needs.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const outputMax = 64 * 2 ** 20;

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** What to install, in words, where something is missing. */
export class MissingTool extends Error {}

export function engine(): string {
  return found(
    [process.env['CRAWLSTREAM_ENGINE'], 'docker', 'podman'],
    'a container engine: install docker, or podman',
  );
}

export function compose(): readonly string[] {
  const given = process.env['CRAWLSTREAM_COMPOSE'];
  if (given) return [given];
  if (spawnSync('docker', ['compose', 'version']).status === 0) return ['docker', 'compose'];
  return [found(['podman-compose'], 'Compose: install docker-compose-plugin, or podman-compose (pip)')];
}

function found(names: readonly (string | undefined)[], missing: string): string {
  const name = names.find((one) => one && spawnSync(one, ['--version']).status === 0);
  if (name === undefined) throw new MissingTool(missing);
  return name;
}

/** What it printed. Throws with what it said where it fails. */
export async function output(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const options = { cwd: root, maxBuffer: outputMax, env: { ...process.env, ...env } };
  try {
    return (await run(file, [...args], options)).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${file} ${args.join(' ')} failed:\n${stdout.slice(-3000)}${stderr.slice(-3000)}`);
  }
}

/** Output goes to the terminal as it comes. */
export function show(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const child = spawn(file, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${file} ${args.join(' ')} ended with ${code}`)),
    );
  });
}

export async function timed<T>(act: () => Promise<T>): Promise<{ readonly value: T; readonly seconds: string }> {
  const beganMs = performance.now();
  const value = await act();
  return { value, seconds: ((performance.now() - beganMs) / 1000).toFixed(1) };
}
