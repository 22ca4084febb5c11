/**
 * A verdict on one page makes it less urgent: it is nearly the same as another, as the content dedup says, or has too little
 * text to say anything. It stays a page, and is looked at again: a verdict may change.
 */
import { z } from 'zod';
import { frontQueueCount } from '../../url/front-queue.ts';

export interface DemoteConfig {
  /** So many times as long until its next visit as the schedule says, up to the longest time between visits. */
  readonly waitFactor: number;
  /** The front queue that it counts as being in, where its own is better: what `importance` weighs it by. */
  readonly frontQueue: number;
  /** Pages with less than 24 pairs of words count, too: of their main text, where that is found. Absent: those that the dedup names alone. */
  readonly thin?: true | undefined;
  /** New links that are found on such a page wait in that front queue, too, or in a later one. Absent: in their own. */
  readonly links?: true | undefined;
}

export const demoteSchema: z.ZodType<DemoteConfig> = z.strictObject({
  waitFactor: z.number().min(1).max(100),
  frontQueue: z
    .int()
    .min(0)
    .max(frontQueueCount - 1),
  thin: z.literal(true).optional(),
  links: z.literal(true).optional(),
});

interface Judged {
  readonly record: { readonly status: string };
  readonly frontQueue: number;
  readonly signature: string;
}

export function isThin({ record, signature }: Omit<Judged, 'frontQueue'>): boolean {
  return record.status === 'page' && signature === '';
}

export function isDemoted(config: DemoteConfig | undefined, page: Judged, duplicate: boolean): boolean {
  return config !== undefined && (duplicate || (config.thin === true && isThin(page)));
}

/** The front queue by which a page counts. */
export function countedIn(config: DemoteConfig | undefined, page: Judged, duplicate: boolean): number {
  return isDemoted(config, page, duplicate) ? Math.max(page.frontQueue, config!.frontQueue) : page.frontQueue;
}
