/**
 * The history of a fleet's `--host-delay`: `least-waits.json` in its folder, for audits of its crawls. A new value is
 * written before the first request that uses it.
 */
import { z } from 'zod';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Documents } from './documents/documents.ts';

const waitSchema = z.object({
  /** ms since the Unix epoch. */
  sinceMs: z.number(),
  /** Least time between two requests of the fleet to a host, ms. */
  ms: z.number(),
});
const fileSchema = z.object({ format: z.literal(1), waits: z.array(waitSchema) });

export type LeastWait = z.output<typeof waitSchema>;

/** Most stored values. With more changes, audits cannot judge the oldest requests. */
const waitsMost = 1_000;

const key = 'least-waits.json';

/** Returns the values, oldest first; none, if only an earlier release ran the fleet. */
export async function readLeastWaits(fleet: Pick<Documents, 'get' | 'placeOf'>): Promise<readonly LeastWait[]> {
  try {
    const text = await fleet.get(key);
    return text === undefined ? [] : fileSchema.parse(JSON.parse(text)).waits;
  } catch (error) {
    const message = `${fleet.placeOf(key)} cannot be read (${(error as Error).message.split('\n')[0]}): restore it from a backup, or delete it; audits then run without it`;
    throw new CrawlstreamError('DATA_FOLDER_FOREIGN', message, error);
  }
}

/** Adds a value, atomically. Writes nothing if the value has not changed. */
export async function noteLeastWait(fleet: Documents, now: LeastWait): Promise<void> {
  const before = await readLeastWaits(fleet);
  if (before.at(-1)?.ms === now.ms) return;
  const waits = [...before, now].slice(-waitsMost);
  await fleet.put(key, `${JSON.stringify({ format: 1, waits })}\n`);
}
