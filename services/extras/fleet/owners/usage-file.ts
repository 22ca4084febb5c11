/**
 * The usage of an owner today: `owners/NAME.json` beside a fleet's crawls. For each crawl, it has the usage that was
 * added up. So after a kill, the rest is added exactly once.
 */
import { z } from 'zod';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Documents } from '../documents/documents.ts';

const amounts = z.object({ pages: z.number(), bytes: z.number() });
export type Amounts = z.output<typeof amounts>;

const fileSchema = z.object({
  format: z.literal(1),
  /** Day in UTC, such as 2026-11-25. */
  day: z.string(),
  used: amounts,
  /** Usage that has been added up, by crawl, over all days. */
  crawls: z.record(z.string(), amounts),
});
export type Usage = z.output<typeof fileSchema>;

const keyOf = (owner: string) => `owners/${owner}.json`;

export async function readUsage(fleet: Documents, owner: string): Promise<Usage> {
  const key = keyOf(owner);
  try {
    const text = await fleet.get(key);
    if (text === undefined) return { format: 1, day: '', used: { pages: 0, bytes: 0 }, crawls: {} };
    return fileSchema.parse(JSON.parse(text));
  } catch (error) {
    const message = `${fleet.placeOf(key)} cannot be read (${(error as Error).message.split('\n')[0]}): delete it; the daily usage of ${owner} then restarts at 0`;
    throw new CrawlstreamError('DATA_FOLDER_FOREIGN', message, error);
  }
}

export function writeUsage(fleet: Documents, owner: string, usage: Usage): Promise<void> {
  return fleet.put(keyOf(owner), `${JSON.stringify(usage)}\n`);
}
