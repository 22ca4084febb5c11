/** When fetched pages are fetched again, as plain data. Absent from a policy: never, and a crawl ends. */
import { z } from 'zod';
import { type DemoteConfig, demoteSchema } from './demote.ts';

/** What a schedule goes by. `optimal` and `importance` share the bandwidth among all pages; the others know one page. */
export const scheduleNames = ['fixed', 'adaptive', 'nutch', 'stormcrawler', 'optimal', 'importance'] as const;
export type ScheduleName = (typeof scheduleNames)[number];

/**
 * Where a URL stands when it is scheduled: `error` was answered with what is no page; `gone` says 404 or 410; `feed` lists
 * pages: RSS, Atom, JSON Feed, or a sitemap that was found as a link.
 */
export const visitKinds = ['page', 'error', 'gone', 'feed'] as const;
export type VisitKind = (typeof visitKinds)[number];

/** What differs for some URLs: those that meet all conditions. The first rule that fits decides. */
export interface RecrawlRule {
  /** Domains, with their subdomains. */
  readonly hosts?: readonly string[] | undefined;
  /** A regular expression (JavaScript, no flags) that the URL matches. */
  readonly url?: string | undefined;
  /** Where the URL stands after its last visit. */
  readonly kinds?: readonly VisitKind[] | undefined;
  /** In the place of the policy’s own. */
  readonly schedule?: ScheduleName | undefined;
  /** The time between visits whatever is found, ms; null: never again. */
  readonly intervalMs?: number | null | undefined;
  /** No sooner than this, ms. */
  readonly minMs?: number | undefined;
  /** No later than this, ms. */
  readonly maxMs?: number | undefined;
}

export interface RecrawlConfig {
  /** By what the time to the next visit is chosen. */
  readonly schedule: ScheduleName;
  /** Time between visits: of `fixed`; on average, of `optimal` and `importance`, where `fetchesPerDay` says no less. */
  readonly intervalMs: number;
  /** Absent: what the schedule's preset says (1 h and 30 d; Nutch's and StormCrawler's own). */
  readonly minMs?: number | undefined;
  /** No later than this; absent: as for `minMs`. */
  readonly maxMs?: number | undefined;
  /** Bandwidth of `optimal` and `importance`: visits a day of each partition, at most. null: as `intervalMs` says. */
  readonly fetchesPerDay: number | null;
  /** Share of fetches that goes to refresh while there is something to discover, 0 to 1; what one does not use, the other does. */
  readonly share: number;
  /** Time to the next look at what was answered with an error, and at what is gone, ms. null: never again. */
  readonly errorMs: number | null;
  /** The same for what is gone (404, 410), ms. null: never again. */
  readonly goneMs: number | null;
  /**
   * The longest that a page's `Cache-Control: max-age` keeps its next visit back, ms, 30 days at most. 0: it does not, and the
   * schedule decides alone. Absent: 30 days.
   */
  readonly freshMsMax?: number | undefined;
  /** Bounds of the time between polls of a feed, which adapts by whether they bring new entries. Absent: they are pages like any other. */
  readonly feeds?: FeedBounds | undefined;
  /** Pages are visited for the new URLs they lead to, too. Absent: for their changes alone. */
  readonly hubs?: HubConfig | undefined;
  /** What a verdict on a page does to its next visits. Absent: nothing. */
  readonly demote?: DemoteConfig | undefined;
  /** What differs for some URLs; the first that fits decides. */
  readonly rules: readonly RecrawlRule[];
}

const hour = 3_600_000;
const day = 24 * hour;

/** `maxMs` bounds what a feed may ask for, too. */
export interface FeedBounds {
  /** Polled no sooner than this, ms. */
  readonly minMs: number;
  /** Polled no later than this, ms. */
  readonly maxMs: number;
}

/** New URLs of hosts of other partitions are not counted (topology/frontier/decide/links/gains.ts). */
export interface HubConfig {
  /** A page is visited again, at the latest, when so many new URLs are to be expected of it by what its visits brought; no sooner than the schedule’s shortest time. */
  readonly newUrls: number;
}

export const defaultRecrawl: RecrawlConfig = {
  schedule: 'optimal',
  // The goal is an index whose pages were seen within seven days.
  intervalMs: 7 * day,
  fetchesPerDay: null,
  // What is known is fetched for sure; what is found is mostly worth less (Olston & Najork 2010, §5.3).
  share: 0.5,
  // Errors are mostly passing; what is gone is seldom put back.
  errorMs: day,
  goneMs: 30 * day,
  // What a site says is good for longer is looked at as often as the goal above asks.
  freshMsMax: 7 * day,
  // Readers ask twice an hour at most; a feed that is asked once a day seldom loses an entry.
  feeds: { minMs: hour / 2, maxMs: day },
  rules: [],
};

/** Half of what is counted between two visits (frontier/recrawl/due-flags.ts): beyond it, hubs would look alike. */
export const hubUrlsMax = 15;

const interval = z
  .int()
  .min(1_000)
  .max(100 * 365 * day);
const ruleSchema = z
  .strictObject({
    hosts: z.array(z.string().min(1)).min(1).optional(),
    url: z.string().optional(),
    kinds: z.array(z.enum(visitKinds)).min(1).optional(),
    schedule: z.enum(scheduleNames).optional(),
    intervalMs: interval.nullable().optional(),
    minMs: interval.optional(),
    maxMs: interval.optional(),
  })
  .refine(inOrder, 'minMs is above maxMs');

export const recrawlSchema: z.ZodType<RecrawlConfig> = z
  .strictObject({
    schedule: z.enum(scheduleNames),
    intervalMs: interval,
    minMs: interval.optional(),
    maxMs: interval.optional(),
    fetchesPerDay: z.number().positive().nullable(),
    share: z.number().min(0).max(1),
    errorMs: interval.nullable(),
    goneMs: interval.nullable(),
    freshMsMax: z
      .int()
      .min(0)
      .max(30 * day)
      .optional(),
    feeds: z.strictObject({ minMs: interval, maxMs: interval }).refine(inOrder, 'minMs is above maxMs').optional(),
    hubs: z.strictObject({ newUrls: z.int().min(1).max(hubUrlsMax) }).optional(),
    demote: demoteSchema.optional(),
    rules: z.array(ruleSchema),
  })
  .refine(inOrder, 'minMs is above maxMs');

function inOrder({ minMs, maxMs }: { minMs?: number | undefined; maxMs?: number | undefined }): boolean {
  return minMs === undefined || maxMs === undefined || minMs <= maxMs;
}
