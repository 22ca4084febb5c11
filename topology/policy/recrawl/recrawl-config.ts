/**
 * Settings for refetching pages, as plain data. Absent from a policy: pages are never refetched, and the crawl ends.
 */
import { z } from 'zod';
import { type DemoteConfig, demoteSchema } from './demote.ts';

/**
 * Names of schedules. `optimal` and `importance` divide the bandwidth among all pages; the others consider one page
 * only.
 */
export const scheduleNames = ['fixed', 'adaptive', 'nutch', 'stormcrawler', 'optimal', 'importance'] as const;
export type ScheduleName = (typeof scheduleNames)[number];

/**
 * Class of a URL when it is scheduled. `error`: the answer was not a page; `gone`: 404 or 410; `feed`: a list of pages
 * (RSS, Atom, JSON Feed, or a sitemap that was found as a link).
 */
export const visitKinds = ['page', 'error', 'gone', 'feed'] as const;
export type VisitKind = (typeof visitKinds)[number];

/** Rules for some URLs: those that meet all conditions. The first matching rule decides. */
export interface RecrawlRule {
  /** Domains, with their subdomains. */
  readonly hosts?: readonly string[] | undefined;
  /** A regular expression (JavaScript, no flags) that the URL matches. */
  readonly url?: string | undefined;
  /** Outcome of the last visit. */
  readonly kinds?: readonly VisitKind[] | undefined;
  /** Schedule that replaces the policy’s. */
  readonly schedule?: ScheduleName | undefined;
  /** Fixed time between visits, ms. null: never fetch again. */
  readonly intervalMs?: number | null | undefined;
  /** Shortest time between visits, ms. */
  readonly minMs?: number | undefined;
  /** Longest time between visits, ms. */
  readonly maxMs?: number | undefined;
}

export interface RecrawlConfig {
  /** How the time of the next visit is chosen. */
  readonly schedule: ScheduleName;
  /** Time between visits. `fixed` uses it for each page; `optimal` and `importance` on average, unless `fetchesPerDay` allows fewer visits. */
  readonly intervalMs: number;
  /** Shortest time between visits, ms. Absent: the schedule's preset (1 h; `nutch` and `stormcrawler` have their own). */
  readonly minMs?: number | undefined;
  /** Longest time between visits, ms. Absent: the schedule's preset (30 d; `nutch` and `stormcrawler` have their own). */
  readonly maxMs?: number | undefined;
  /** Most visits due on one day, per partition, for `optimal` and `importance`; more move to the next day. null: `intervalMs` alone decides. */
  readonly fetchesPerDay: number | null;
  /** Share of fetches for revisits while there are new URLs to fetch, 0 to 1. If either has less to do, the other gets the rest. */
  readonly share: number;
  /** Time to the next visit after an error, ms. null: never again. */
  readonly errorMs: number | null;
  /** Time to the next visit of a page that is gone (404, 410), ms. null: never again. */
  readonly goneMs: number | null;
  /** Longest time that a page's `Cache-Control: max-age` may delay its next visit, ms, at most 30 days. 0: ignore `max-age`. Absent: 30 days. */
  readonly freshMsMax?: number | undefined;
  /** Bounds for the time between polls of a feed. Feeds with new entries are polled more often. Absent: feeds are treated as pages. */
  readonly feeds?: FeedBounds | undefined;
  /** Also revisit pages because new URLs are expected on them. Absent: only because they change. */
  readonly hubs?: HubConfig | undefined;
  /** Revisit duplicates, and pages with little text, less often. Absent: no page is demoted. */
  readonly demote?: DemoteConfig | undefined;
  /** Exceptions for some URLs; the first rule that matches decides. */
  readonly rules: readonly RecrawlRule[];
}

const hour = 3_600_000;
const day = 24 * hour;

/** Bounds for polls of feeds. They also bound a pause that a feed asks for. */
export interface FeedBounds {
  /** Shortest time between polls, ms. */
  readonly minMs: number;
  /** Longest time between polls, ms. */
  readonly maxMs: number;
}

/** New URLs of hosts in other partitions are not counted (topology/frontier/decide/links/gains.ts). */
export interface HubConfig {
  /** Revisit a page once about this many new URLs are expected on it, judged by its earlier visits. `minMs` still applies. */
  readonly newUrls: number;
}

export const defaultRecrawl: RecrawlConfig = {
  schedule: 'optimal',
  // The goal: an index with every page seen within seven days.
  intervalMs: 7 * day,
  fetchesPerDay: null,
  // Known URLs are certain to be pages; new ones are mostly worth less (Olston & Najork 2010, §5.3).
  share: 0.5,
  // Errors mostly pass; pages that are gone seldom return.
  errorMs: day,
  goneMs: 30 * day,
  // A site may ask for longer, but its pages are visited at least as often as the goal above.
  freshMsMax: 7 * day,
  // Readers ask twice an hour at most; a feed that is asked once a day seldom loses an entry.
  feeds: { minMs: hour / 2, maxMs: day },
  rules: [],
};

/**
 * Half of the new URLs that are counted between two visits (frontier/recrawl/due-flags.ts): with more, hubs would
 * look alike.
 */
export const hubUrlsMax = 15;

const interval = z
  .int()
  .min(1_000)
  .max(100 * 365 * day);
const ruleFields = z.strictObject({
  hosts: z.array(z.string().min(1)).min(1).optional(),
  url: z.string().optional(),
  kinds: z.array(z.enum(visitKinds)).min(1).optional(),
  schedule: z.enum(scheduleNames).optional(),
  intervalMs: interval.nullable().optional(),
  minMs: interval.optional(),
  maxMs: interval.optional(),
});
const ruleSchema = ruleFields.refine(inOrder, 'minMs is above maxMs');

const overlayRule = ruleFields.omit({ hosts: true, url: true });

/** A rule of an overlay, which says itself for which URLs it holds. */
export const overlayRuleSchema = overlayRule.refine(inOrder, 'minMs is above maxMs');

const anyInterval = z.int().min(1_000);

/** The same in a stored policy: release 0.3.0 took times of any length, and a shortest time above the longest. */
export const storedOverlayRuleSchema = overlayRule.extend({
  intervalMs: anyInterval.nullable().optional(),
  minMs: anyInterval.optional(),
  maxMs: anyInterval.optional(),
});

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
