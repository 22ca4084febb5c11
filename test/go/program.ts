/**
 * A program that tests need, made once by Go into a cache folder: a minute or two.
 *
 * Where Go is missing, the tests that need it say so and are skipped; where `CI` is set that is a failure.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, fetchOnce } from '../../lab/kafka/components.ts';

const run = promisify(execFile);

export interface GoProgram {
  /** Why the tests that need it can't run here; undefined where they can. */
  skipReason(): Promise<string | undefined>;
  /** Where it lies. */
  file(): Promise<string>;
}

/** `what`: in words. `make`: puts the program, under its name without the version, into a folder. */
export function goProgram(
  { name, version, what }: { readonly name: string; readonly version: string; readonly what: string },
  make: (into: string) => Promise<unknown>,
): GoProgram {
  const cached = `${name}-${version}`;
  const file = async () => join(await fetchOnce(cached, async (into) => void (await make(into))), name);

  const findMissing = async (): Promise<string | undefined> => {
    if (existsSync(join(cacheFolder, cached))) return undefined;
    try {
      await go(['version']);
    } catch {
      return `no Go here to make ${what} with`;
    }
    try {
      await file();
      return undefined;
    } catch (error) {
      return `${what} could not be made: ${(error as Error).message.split('\n')[0]}`;
    }
  };

  return {
    file,
    async skipReason() {
      const reason = await findMissing();
      if (reason && process.env['CI']) throw new Error(`${reason}: in CI nothing may be skipped`);
      return reason;
    },
  };
}

/** What `go` prints. */
export async function go(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd?: string): Promise<string> {
  const options = { env: { ...process.env, ...env }, timeout: 600_000, ...(cwd !== undefined && { cwd }) };
  return (await run('go', args, options)).stdout.trim();
}
