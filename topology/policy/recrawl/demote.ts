/**
 * Demotes a page after a verdict: it is nearly the same as another (content dedup), or has too little text. It stays
 * a page, and is still visited, because a verdict may change.
 */
import { z } from 'zod';
import { hasLittleText } from '../../content/text-signature.ts';
import { frontQueueCount } from '../../url/front-queue.ts';

export interface DemoteConfig {
  /** Multiply the time to the next visit by this, up to the longest time between visits. */
  readonly waitFactor: number;
  /** `importance` weighs the page as if it were in this front queue, unless the page is in a later one. */
  readonly frontQueue: number;
  /** Also demote pages with fewer than 24 pairs of words in their main text, or in their text if no main text is found. Absent: only duplicates. */
  readonly thin?: true | undefined;
  /** Put new links of a demoted page into that front queue, or a later one. Absent: into the front queue that they have otherwise. */
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
  return record.status === 'page' && hasLittleText(signature);
}

export function isDemoted(config: DemoteConfig | undefined, page: Judged, duplicate: boolean): boolean {
  return config !== undefined && (duplicate || (config.thin === true && isThin(page)));
}

/** The front queue used for the weight of a page. */
export function countedIn(config: DemoteConfig | undefined, page: Judged, duplicate: boolean): number {
  return isDemoted(config, page, duplicate) ? Math.max(page.frontQueue, config!.frontQueue) : page.frontQueue;
}
