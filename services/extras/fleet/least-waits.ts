/**
 * A fleet's `--host-delay` over time: `least-waits.json` in its folder, for an audit of its crawls. Written before
 * the first request that uses a new value.
 */
import { z } from 'zod';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Documents } from './documents/documents.ts';

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

const key = 'least-waits.json';

/** Oldest first; none of a fleet that an earlier release has run. */
export async function readLeastWaits(fleet: Pick<Documents, 'get' | 'placeOf'>): Promise<readonly LeastWait[]> {
  try {
    const text = await fleet.get(key);
    return text === undefined ? [] : fileSchema.parse(JSON.parse(text)).waits;
  } catch (error) {
    const message = `${fleet.placeOf(key)} cannot be read (${(error as Error).message.split('\n')[0]}): restore it from a backup, or delete it; audits then run without it`;
    throw new CrawlstreamError('DATA_FOLDER_FOREIGN', message, error);
  }
}

/** In one step; where nothing has changed, nothing is written. */
export async function noteLeastWait(fleet: Documents, now: LeastWait): Promise<void> {
  const before = await readLeastWaits(fleet);
  if (before.at(-1)?.ms === now.ms) return;
  const waits = [...before, now].slice(-waitsMost);
  await fleet.put(key, `${JSON.stringify({ format: 1, waits })}\n`);
}
