/**
 * The fields of a policy, each declared once. Everything else follows from the entry: type, validation, default, merge,
 * overlays, flag, variable of the environment, key of the settings file, rights in a fleet, OpenAPI and docs/policy.md.
 * Only `overlays` has a declaration elsewhere (overlay-config.ts), since it consists of these fields. Extras and plugins
 * declare fields of `extras` in the same form (extra-fields.ts).
 *
 * Fields have this order in a checked policy, too.
 */
import { z } from 'zod';
import { type TraceConfig, traceSchema } from '../trace/tracing.ts';
import { defaultFilters, type FilterConfig } from '../url/filters.ts';
import { defaultNormalize, type NormalizeConfig } from '../url/normalize-config.ts';
import { patternEngines } from '../url/patterns.ts';
import type { ScopeConfig } from '../url/scope.ts';
import { urlLimits } from '../url/url-limits.ts';
import { uses } from '../usage/statement.ts';
import { whenBarred } from '../usage/uses-policy.ts';
import type { BudgetConfig } from './budget.ts';
import { crawlLimits } from './crawl-limits.ts';
import { equivalencesSchema } from './equivalences.ts';
import type { MetadataRule } from './metadata-rules.ts';
import type { ParallelRule } from './parallel.ts';
import { paySchema } from './pay-config.ts';
import type { PolicyField } from './policy-field.ts';
import { policyLimits } from './policy-limits.ts';
import {
  budgetSchema,
  count,
  filtersSchema,
  metadataSchema,
  millis,
  normalizeSchema,
  parallelSchema,
  windowSchema,
} from './policy-shapes.ts';
import { recrawlSchema } from './recrawl/recrawl-config.ts';
import { scoreSchema } from './score/score-config.ts';
import { sitemapsSchema } from './sitemaps.ts';
import { trapSchema } from './traps/trap-config.ts';
import type { CrawlWindow } from './windows.ts';

/** How a full partition handles new URLs. */
export const whenFullChoices = ['pause', 'dropLowest'] as const;

/** Spelling in which the crawler requests a URL. */
export const fetchAsChoices = ['normal', 'firstSpelling'] as const;

/** The scope of the delay between two requests. */
export const politenessKeys = ['host', 'domain'] as const;

/** Name of an extra or plugin, or of its field. */
const extraName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'write a name of at most 64 letters, digits, dots, dashes and underscores',
  )
  .refine((name) => !(name in {}), 'every object has this name in JavaScript: write another one');

/** The schema, which must accept values of the type. */
function of<T>(schema: z.ZodType<T>): z.ZodType<T> {
  return schema;
}

export const policyFields = {
  version: { schema: z.int().min(1), about: 'Grows with each change, from 1.', initial: 1, setter: 'owner' },
  normalize: {
    schema: of<NormalizeConfig>(normalizeSchema),
    about: 'Normalisation of URLs, before filters and scope.',
    initial: defaultNormalize,
    setter: 'owner',
  },
  patterns: {
    schema: z.enum(patternEngines).optional(),
    about:
      "Engine for regular expressions. `linear`: RE2's syntax, in time linear in the length of the URL. Absent: `javascript`.",
    setter: 'operator',
  },
  filters: {
    schema: of<FilterConfig>(filtersSchema),
    about: 'Filters that decide which URLs may be fetched at all.',
    initial: defaultFilters,
    setter: 'owner',
  },
  scope: {
    schema: of<ScopeConfig>(
      z.strictObject({ kind: z.enum(['host', 'domain', 'all']), names: z.array(z.string().min(1)) }),
    ),
    about: 'How far the crawl may go from its seeds.',
    // Seeds narrow it (scopeOf); without seeds there is nothing to stay near.
    initial: { kind: 'all', names: [] },
    setter: 'owner',
  },
  maxDepth: {
    schema: z.int().min(0).nullable(),
    about: 'Most links between a seed and a URL. null: any.',
    initial: null,
    overlay: 'urls',
    setter: 'owner',
    flag: {
      name: 'maxDepth',
      value: '<n>',
      about: 'follow links at most n steps from a seed, or "none" for no limit (default: none)',
      reason: 'scope and trap detection bound a crawl better than depth',
      none: null,
    },
  },
  hopsMax: {
    schema: z.int().min(0).max(100),
    about: 'Most redirects that the crawl follows in a chain.',
    initial: urlLimits.redirectHopsMax,
    overlay: 'urls',
    setter: 'owner',
  },
  retriesMs: {
    schema: of<readonly number[]>(z.array(millis).max(20)),
    about: 'Waits before the second, third, … attempt; its length is the number of retries.',
    initial: policyLimits.retriesMs,
    overlay: 'hosts',
    setter: 'owner',
  },
  serverErrorsMax: {
    schema: z.int().min(0).max(1000).optional(),
    about:
      'Back off from a host, as after a 503, once first tries of this many different URLs in a row got 5xx (other than 503). The next good answer ends it. 0, or absent: only the failed URLs wait.',
    initial: policyLimits.serverErrorsMax,
    overlay: 'hosts',
    setter: 'operator',
  },
  delayMs: {
    schema: millis,
    about: 'Shortest wait from the completion of a request to a host to the start of the next.',
    initial: policyLimits.delayMs,
    overlay: 'hosts',
    setter: 'owner',
  },
  delayFactor: {
    schema: z.number().min(0).max(1000),
    about: 'The wait is also at least this many times as long as the last fetch took. 0: off.',
    initial: policyLimits.delayFactor,
    overlay: 'hosts',
    setter: 'owner',
  },
  delayFactorCapMs: {
    schema: millis,
    about: 'Longest wait that `delayFactor` may cause.',
    initial: policyLimits.delayFactorCapMs,
    setter: 'owner',
  },
  politenessKey: {
    schema: z.enum(politenessKeys, 'write host or domain; for IP addresses, use addressDelayMs').optional(),
    about:
      'Apply the delay per `host` or per registrable `domain`. With `domain`, one host of a domain is on a lease at a time; if topics are partitioned by host, this holds within each partition only. Absent: `host`.',
    setter: 'owner',
    flag: {
      name: 'politeness',
      value: '<key>',
      about: 'apply the delay per host or per registrable domain (default: host)',
      reason: 'hosts ask for delays, and hosts of one domain are often separate machines',
    },
  },
  addressDelayMs: {
    schema: millis.max(3_600_000).optional(),
    about:
      'Shortest time between the starts of two requests to one IP address, over all its hosts and all fetchers, ms. A host with n leases at once divides it by n. 0: none. Absent: 100.',
    setter: 'operator',
    flag: {
      name: 'addressDelay',
      value: '<duration>',
      about: 'delay between requests to one IP address; 0: none (default: 100ms)',
      reason: 'many small hosts share one machine; large hosting networks can take more',
    },
  },
  crawlDelayCapMs: {
    schema: millis,
    about:
      'Defer a host if its robots.txt asks for a longer Crawl-delay; the delay is never shortened. 0: accept any Crawl-delay.',
    initial: policyLimits.crawlDelayCapMs,
    overlay: 'hosts',
    setter: 'owner',
    flag: {
      name: 'maxCrawlDelay',
      value: '<duration>',
      about: 'skip hosts with a longer Crawl-delay in robots.txt; "none": skip none (default: 30s)',
      reason: 'with 30 s, 3,000 pages of a host take a day',
      least: 1,
      most: crawlLimits.delayMsMax,
      none: 0,
    },
  },
  leadTimeMs: {
    schema: count,
    about: 'A lease gets as many URLs as can be fetched within this time.',
    initial: policyLimits.leadTimeMs,
    overlay: 'hosts',
    setter: 'operator',
  },
  urlsPerLeaseMax: {
    schema: count,
    about: 'Most URLs in a lease.',
    initial: policyLimits.urlsPerLeaseMax,
    overlay: 'hosts',
    setter: 'operator',
  },
  leaseMarginMs: {
    schema: z.int().min(45_000).max(86_400_000).optional(),
    about:
      'Extra time for a lease, beyond twice the expected time of its requests, ms. Clients of the lease API may keep a URL this long. Absent: 45 s, longer than any request of the fetcher.',
    setter: 'operator',
  },
  pageQuota: {
    schema: z.int().min(0).nullable(),
    about: 'End the crawl after this many pages. null: no limit.',
    initial: null,
    setter: 'owner',
    flag: {
      name: 'maxPages',
      value: '<n>',
      about: 'end the crawl after n pages of all its runs, or "none" for no limit (default: none)',
      reason: 'the crawl ends when nothing is left to fetch',
      least: 1,
      none: null,
    },
  },
  urlsPerHostMax: {
    schema: count.nullable(),
    about: 'Most URLs queued for one host; further URLs are dropped. null: any number.',
    initial: null,
    overlay: 'hosts',
    setter: 'owner',
    flag: {
      name: 'maxQueuedPerHost',
      value: '<n>',
      about: 'most URLs queued for a host; further URLs are dropped (default: no limit)',
      reason: 'most crawls want whole sites; a full host drops only its own URLs',
    },
  },
  pagesPerHostMax: {
    schema: z.int().min(0).nullable().optional(),
    about:
      'Most pages fetched from one host, revisits included; the rest of its queue is deferred. Absent or null: any number.',
    overlay: 'hosts',
    setter: 'owner',
    flag: {
      name: 'maxPagesPerHost',
      value: '<n>',
      about: 'most pages of a host, or "none" for no limit (default: none)',
      reason: 'most crawls want whole sites',
      none: null,
    },
  },
  pagesPerDomainMax: {
    schema: z.int().min(0).nullable().optional(),
    about:
      'Most pages fetched from all hosts of a registrable domain. If topics are partitioned by host, the limit holds for each partition. Absent or null: any number.',
    setter: 'owner',
    flag: {
      name: 'maxPagesPerDomain',
      value: '<n>',
      about: 'most pages of a registrable domain in each partition, or "none" (default: none)',
      reason: 'most crawls want whole sites',
      none: null,
    },
  },
  bytesPerHostMax: {
    schema: z.int().min(0).nullable().optional(),
    about:
      'Stop fetching from a host after this many bytes of bodies, as received. The count starts when the policy first sets this. Absent or null: any number.',
    overlay: 'hosts',
    setter: 'owner',
    flag: {
      name: 'maxBytesPerHost',
      value: '<bytes>',
      about: 'most bytes from a host, as in 500M or 10GiB, or "none" for no limit (default: none)',
      reason: 'pages are small, and each body has a limit',
      least: 1,
      none: null,
    },
  },
  queuedMax: {
    schema: count,
    about: 'Most URLs in a partition that are queued or wait for a retry.',
    initial: policyLimits.queuedMax,
    setter: 'operator',
    flag: {
      name: 'maxQueued',
      value: '<n>',
      about: 'most URLs queued in a partition; beyond that, see --when-full (default: 10 million)',
      reason: 'the policy’s value: 10 million URLs take about 250 MB of disk',
    },
  },
  queueShareMax: {
    schema: z.number().gt(0).max(1).optional(),
    about:
      'Share of `queuedMax` that one host or registrable domain may hold; URLs that exceed it are deferred. Absent, or 1: all of it.',
    initial: policyLimits.queueShareMax,
    setter: 'owner',
  },
  whenFull: {
    schema: z.enum(whenFullChoices).optional(),
    about:
      'How a full partition handles new URLs. `pause`: stop reading `discovered`. `dropLowest`: drop new URLs, those of low front queues first. Absent: `pause`.',
    setter: 'owner',
    flag: {
      name: 'whenFull',
      value: '<choice>',
      about: 'when full: pause (read no links) or dropLowest (drop low-priority links) (default: pause)',
      reason: 'no link is lost: links wait in their topic',
    },
  },
  windows: {
    schema: of<readonly CrawlWindow[]>(z.array(windowSchema)).optional(),
    about: 'Hours during which hosts may be contacted. Absent: at any hour.',
    setter: 'owner',
  },
  parallel: {
    schema: of<readonly ParallelRule[]>(z.array(parallelSchema)).optional(),
    about: 'Hosts that may have several leases at once. Absent: none.',
    setter: 'operator',
  },
  metadata: {
    schema: of<readonly MetadataRule[]>(z.array(metadataSchema)).optional(),
    about: 'Rules that refuse links by their source, depth, redirects or date. Absent: none.',
    setter: 'owner',
  },
  score: {
    schema: scoreSchema.optional(),
    about: 'Scoring of URLs. Absent: by depth and spelling alone (front-queue.ts).',
    setter: 'owner',
  },
  budget: {
    schema: of<BudgetConfig>(budgetSchema).optional(),
    about: 'Budgets: how many URLs of a host or domain are fetched at full rate. Absent: all.',
    setter: 'owner',
  },
  traps: { schema: trapSchema.optional(), about: 'Detection of traps on a host. Absent: off.', setter: 'owner' },
  sink: {
    schema: z.literal('pull').optional(),
    about:
      "`pull`: clients of the lease API take the leases. Absent: fetchers do, from `tasks`. A crawl's first policy fixes this.",
    setter: 'operator',
  },
  paused: { schema: z.boolean().optional(), about: 'No leases while it is true. Absent: false.', setter: 'owner' },
  bytesPerSecond: {
    schema: z.int().min(1).optional(),
    about: 'Most bytes of bodies per second, over all fetchers. Absent: any number.',
    setter: 'owner',
  },
  recrawl: {
    schema: recrawlSchema.optional(),
    about: 'Schedule for refetching URLs. Absent: never refetch, and end the crawl.',
    setter: 'owner',
  },
  sitemaps: {
    schema: sitemapsSchema.optional(),
    about:
      'More sitemaps than robots.txt names, and how often all are read. Absent: only those of robots.txt, read each time robots.txt is.',
    setter: 'owner',
  },
  trace: { schema: of<TraceConfig>(traceSchema).optional(), about: 'URLs to trace. Absent: none.', setter: 'operator' },
  uses: {
    schema: of<readonly (typeof uses)[number][]>(z.array(z.enum(uses)).min(1)).optional(),
    about:
      "Intended uses of the pages, checked against each site's usage preferences. Absent: no use is checked, and all pages are published.",
    setter: 'owner',
    flag: {
      name: 'uses',
      value: '<list>',
      about: `intended uses, checked against sites’ preferences: ${uses.join(', ')}`,
      reason: 'page records state what each site bars, and their readers decide',
    },
  },
  usesBarred: {
    schema: z.enum(whenBarred).optional(),
    about:
      'How to handle a page if its site bars one of `uses`. `skip`: do not fetch it, if robots.txt bars the use. `withhold`: fetch it, do not publish it. `mark`: publish it, and record the barred uses. Absent: `withhold`.',
    setter: 'owner',
    flag: {
      name: 'usesBarred',
      value: '<choice>',
      about: 'barred pages: skip (if in robots.txt), withhold from output, mark (default: withhold)',
      reason: 'links of a barred page may lead to allowed ones, and no reader uses the page by mistake',
    },
  },
  pay: {
    schema: paySchema.optional(),
    about:
      'Payment limits for pages that answer 402; a plugin pays. Absent, or `none`: nothing is paid, and the outcome names the price.',
    setter: 'operator',
  },
  requisites: {
    schema: z.literal(true).optional(),
    about: 'Also fetch styles, scripts, pictures and fonts of pages, if filters and scope allow them. Absent: no.',
    setter: 'owner',
    flag: {
      name: 'requisites',
      about: 'also fetch styles, scripts, images and fonts of pages, as scope and filters allow',
      reason: 'text and links need no requisites, which cost many times a page’s bytes and requests',
    },
  },
  fetchAs: {
    schema: z.enum(fetchAsChoices).optional(),
    about:
      'Request URLs in their `normal` form, or with path and query as first found (`firstSpelling`). A URL is known by its normal form in both cases. Absent: `normal`.',
    overlay: 'urls',
    setter: 'owner',
    flag: {
      name: 'fetchAs',
      value: '<spelling>',
      about: 'request URLs in their normal form, or (firstSpelling) with path and query as first found',
      reason: 'caches and logs of sites expect one spelling per page',
    },
  },
  equivalences: {
    schema: equivalencesSchema.optional(),
    about:
      "Treat URLs as one without a request, once the host's redirects or canonicals have proved it. Absent: request each URL.",
    setter: 'owner',
  },
  extras: {
    schema: of<Readonly<Record<string, Readonly<Record<string, unknown>>>>>(
      z.record(extraName, z.record(extraName, z.unknown())),
    ).optional(),
    about:
      'Fields of extras and plugins, by name of the extra or plugin, then of the field. A process that lacks the extra or plugin keeps its fields, and does not check them. Absent: none.',
    // Each field has a separate setter.
    setter: 'owner',
  },
} as const satisfies Readonly<Record<string, PolicyField>>;

type Fields = typeof policyFields;
export type PolicyFieldName = keyof Fields;

/** The values of the fields. */
export type PolicyValues = Readonly<z.output<z.ZodObject<{ [K in PolicyFieldName]: Fields[K]['schema'] }>>>;

/** Fields that an overlay may set. */
export type OverlaidName<Of extends 'hosts' | 'urls' = 'hosts' | 'urls'> = {
  [K in PolicyFieldName]: Fields[K] extends { readonly overlay: Of } ? K : never;
}[PolicyFieldName];

/** Values of the options of fields, by the names of the options. */
export type FieldOptions = {
  readonly [K in PolicyFieldName as Fields[K] extends { readonly flag: { readonly name: infer N extends string } }
    ? N
    : never]?:
    | Exclude<PolicyValues[K], null | undefined>
    | (Fields[K] extends { readonly flag: { readonly none: unknown } } ? 'none' : never);
};

export const declaredFields = Object.entries(policyFields) as unknown as readonly (readonly [
  PolicyFieldName,
  PolicyField,
])[];

/** The schema of each field that `holds` selects, by its name. */
export function schemasOf(holds: (field: PolicyField) => boolean = () => true): Record<string, z.ZodType> {
  return Object.fromEntries(
    declaredFields.filter(([, field]) => holds(field)).map(([name, { schema }]) => [name, schema]),
  );
}

/** Names of the fields that overlays may set for whole hosts. */
export const fieldsOfHosts = declaredFields
  .filter(([, { overlay }]) => overlay === 'hosts')
  .map(([name]) => name) as readonly OverlaidName<'hosts'>[];
