/**
 * What a fleet's `--host-delay` was, and since when: `least-waits.json` in its folder, for an audit of its crawls. Written before the
 * first request that goes by it.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CrawlstreamError } from '../../topology/errors.ts';

const waitSchema = z.object({
  /** ms since the Unix epoch. */
  sinceMs: z.number(),
  /** Least time between two requests to a host, of any crawls, ms. */
  ms: z.number(),
});
const fileSchema = z.object({ format: z.literal(1), waits: z.array(waitSchema) });

export type LeastWait = z.output<typeof waitSchema>;

/** Changes that are kept: who changes it more often than that finds the oldest unjudged. */
const waitsMost = 1_000;

const pathIn = (fleet: string) => join(fleet, 'least-waits.json');

/** Oldest first; none of a fleet that an earlier release has run. */
export async function readLeastWaits(fleet: string): Promise<readonly LeastWait[]> {
  try {
    return fileSchema.parse(JSON.parse(await readFile(pathIn(fleet), 'utf8'))).waits;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    const message = `${pathIn(fleet)} cannot be read (${(error as Error).message.split('\n')[0]}): put it back from a copy, or remove it, and audits do without`;
    throw new CrawlstreamError('DATA_FOLDER_FOREIGN', message, error);
  }
}

/** In one step; where nothing has changed, nothing is written. */
export async function noteLeastWait(fleet: string, now: LeastWait): Promise<void> {
  const before = await readLeastWaits(fleet);
  if (before.at(-1)?.ms === now.ms) return;
  const path = pathIn(fleet);
  const waits = [...before, now].slice(-waitsMost);
  await writeFile(`${path}.new`, `${JSON.stringify({ format: 1, waits })}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}
