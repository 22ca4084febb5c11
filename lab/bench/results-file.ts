/** The file that `bench all` writes: place, commit, and the last line of each run of each bench. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { CrawlstreamError } from '../../topology/errors.ts';
import { projectRoot } from './process/compiled.ts';

const results = z.object({
  format: z.literal(1),
  takenAt: z.string(),
  commit: z.string(),
  /** Changes of tracked files since that commit. */
  changed: z.boolean(),
  versions: z.record(z.string(), z.string()),
  machine: z.object({ cpu: z.string(), cores: z.number(), memoryBytes: z.number(), system: z.string() }),
  benches: z.record(
    z.string(),
    z.object({
      bench: z.string(),
      args: z.array(z.string()),
      runs: z.array(z.record(z.string(), z.unknown())),
      /** Errors of runs without figures. */
      failures: z.array(z.string()),
    }),
  ),
});
export type Results = z.infer<typeof results>;

/** Everything but the measured figures. */
export function describeRun(): Omit<Results, 'benches'> {
  const { version, dependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const of = (name: string) => dependencies[name] ?? 'none';
  return {
    format: 1,
    takenAt: new Date().toISOString(),
    commit: git('rev-parse', 'HEAD'),
    changed: git('status', '--porcelain', '--untracked-files=no') !== '',
    versions: {
      crawlstream: version,
      node: process.versions.node,
      v8: process.versions.v8,
      avsc: of('avsc'),
      kafkajs: of('kafkajs'),
      undici: of('undici'),
    },
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memoryBytes: totalmem(),
      system: `${process.platform} ${release()}`,
    },
  };
}

/** Throws INVALID_ARGUMENT if the file is not a results file. */
export async function readResults(file: string): Promise<Results> {
  try {
    return results.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new CrawlstreamError('INVALID_ARGUMENT', `${file} is not what bench all writes: ${why}`, error);
  }
}

/** Empty if this folder is not a clone. */
function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: projectRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
