import { z } from 'zod';
import { trapLimits } from './trap-limits.ts';

/** Thresholds of trap detection, as plain data. A threshold of null turns its detector off. */
export interface TrapConfig {
  /** A path is a trap if it repeats a group of segments this often in a row. */
  readonly repeats: number | null;
  /** Steps along a calendar (year and month, or day) that make a trap: each step is found on the one before, and leads to nothing else new. */
  readonly calendarSteps: number | null;
  /** As `calendarSteps`, for any other number that grows. */
  readonly counterSteps: number | null;
  /** As `calendarSteps`, for tokens: sessions in paths and parameters, where each new page has a new token. */
  readonly tokenSteps: number | null;
  /** Different sets of parameter names on one path that make a trap. */
  readonly parameterSets: number | null;
  /** URLs of one path with three or more parameters that make a trap. */
  readonly parameterVariants: number | null;
  /** Values of one token parameter, found on many paths, that make a trap. */
  readonly tokenValues: number | null;
  /** Fetches below a path prefix before the crawl judges its share of duplicates and soft 404s. */
  readonly wasteFetches: number | null;
  /** A prefix with at least this share of duplicates and soft 404s is a trap, 0 to 1. */
  readonly wasteShare: number;
  /** Pages that must be the same under another session, hash or time in their URL, before the crawl counts such URLs as one page. Other values need four times as many. Absent: 6. */
  readonly sameContent?: number | null | undefined;
  /** Fetches of a host before the crawl judges its share of good fetches. */
  readonly yieldFetches: number | null;
  /** A host with a smaller share of good fetches is a trap, 0 to 1. */
  readonly yieldShare: number;
}

export const defaultTraps: TrapConfig = {
  // Twice is ordinary (/news/news/), three times in a row happens by hand only with numbers.
  repeats: 3,
  // Two years of months are an events calendar; a third year of nothing new is a calendar without end.
  calendarSteps: 24,
  // The longest threads and archives that are chained page by page and lead nowhere else.
  counterSteps: 256,
  tokenSteps: 32,
  // Facets: five on/off filters make 32 sets, and each one more doubles them.
  parameterSets: 40,
  parameterVariants: 1_000,
  tokenValues: 200,
  // Below 25 the share says little; nine in ten is far beyond what mirrors and printing views make.
  wasteFetches: 25,
  wasteShare: 0.9,
  // One or two may be a consent page; a counter in the text is allowed for.
  sameContent: 6,
  yieldFetches: 1_000,
  yieldShare: 0.02,
};

const bound = z.int().min(1).max(1_000_000).nullable();
const share = z.number().min(0).max(1);

export const trapSchema: z.ZodType<TrapConfig> = z.strictObject({
  repeats: z.int().min(2).max(100).nullable(),
  calendarSteps: bound,
  counterSteps: bound,
  tokenSteps: bound,
  parameterSets: z.int().min(1).max(trapLimits.setsMax).nullable(),
  parameterVariants: bound,
  tokenValues: bound,
  wasteFetches: z
    .int()
    .min(1)
    .max(trapLimits.prefixFetchesMax / 2)
    .nullable(),
  wasteShare: share,
  sameContent: z.int().min(2).max(100).nullable().optional(),
  yieldFetches: z
    .int()
    .min(1)
    .max(trapLimits.hostFetchesMax / 2)
    .nullable(),
  yieldShare: share,
});
