/**
 * Parses a policy from JSON, and checks it before its use. Every field is required, and none is unknown: a misspelt
 * field with a default would go unnoticed until pages are missing. A field that a later release adds must be optional
 * here, and its absence must mean the earlier behaviour, because logs keep old policies.
 */
import { closest, distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { intents } from '../../schemas/types.ts';
import { CrawlstreamError } from '../errors.ts';
import { paySchema } from '../pay/pay-policy.ts';
import { traceSchema } from '../trace/tracing.ts';
import { compileFilters } from '../url/filters.ts';
import { patternEngines } from '../url/patterns.ts';
import { urlLimits } from '../url/url-limits.ts';
import { listKinds } from '../url/url-lists.ts';
import { uses } from '../usage/statement.ts';
import { whenBarred } from '../usage/uses-policy.ts';
import { equivalencesSchema } from './equivalences.ts';
import { parallelLimits, waitLimits } from './limits.ts';
import { listsOf, withLists } from './lists-of.ts';
import { normalNames } from './normal-names.ts';
import { notInOverlays } from './overlay-config.ts';
import { checkOverlays, overlaysSchema } from './overlay-schema.ts';
import { fetchAsChoices, type PolicyConfig, politenessKeys, whenFullChoices } from './policy.ts';
import { checkPatterns } from './policy-patterns.ts';
import { recrawlSchema } from './recrawl/recrawl-config.ts';
import { scoreSchema } from './score/score-config.ts';
import { sitemapsSchema } from './sitemaps.ts';
import { trapSchema } from './traps/trap-config.ts';

const strings = z.array(z.string().min(1));
const millis = z.int().min(0).max(waitLimits.waitMsMax);
const count = z.int().min(1);

const normalizeSchema = z.strictObject({
  urlCharsMax: z.int().min(1).max(urlLimits.urlCharsMax),
  fragment: z.enum(['drop', 'escape']),
  trailingDot: z.boolean(),
  duplicateSlashes: z.boolean(),
  trackingParameters: strings,
  sessionParameters: strings,
  sortParameters: z.boolean(),
  dropParameters: strings,
  indexPages: z.boolean(),
  www: z.boolean(),
  trailingSlash: z.literal('drop').optional(),
  scheme: z.enum(['http', 'https']).optional(),
  emptyValues: z.literal('drop').optional(),
  hashes: z.boolean(),
  hosts: z.record(
    z.string().min(1),
    z.strictObject({ keep: strings.optional(), drop: strings.optional(), only: strings.optional() }),
  ),
});

const filtersSchema = z.strictObject({
  schemes: z.array(z.enum(['http', 'https'])).min(1),
  urlCharsMax: z.int().min(1),
  extensionsDenied: strings,
  include: strings,
  exclude: strings,
  prefixesAllowed: strings,
  prefixesDenied: strings,
  hostsAllowed: strings,
  hostsDenied: strings,
  domainsAllowed: strings,
  domainsDenied: strings,
  portsAllowed: z.array(z.int().min(1).max(65_535)).optional(),
  lists: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(100),
        kind: z.enum(listKinds),
        verdict: z.enum(['allow', 'deny']),
        path: z.string().min(1),
        sha256: z.string().regex(/^[0-9a-f]{64}$/, 'write 64 hexadecimal digits, as sha256sum prints them'),
      }),
    )
    .optional(),
});

const hour = z.int().min(0).max(24);

const windowSchema = z.strictObject({
  hosts: strings.min(1),
  fromHour: hour,
  toHour: hour,
  utcOffsetMinutes: z
    .int()
    .min(-14 * 60)
    .max(14 * 60),
  days: z.array(z.int().min(0).max(6)).min(1).optional(),
});

const parallelSchema = z.strictObject({
  hosts: strings.min(1),
  leases: z.int().min(1).max(parallelLimits.leasesMax),
});

const metadataSchema = z
  .strictObject({
    name: z.string().min(1).max(100),
    url: z.string().optional(),
    intents: z.array(z.enum(intents)).min(1).optional(),
    sourceDomains: strings.min(1).optional(),
    offHost: z.boolean().optional(),
    depthFrom: z.int().min(0).optional(),
    hopFrom: z.int().min(0).optional(),
    modifiedBeforeMs: z.int().min(0).max(8.64e15).optional(),
  })
  .refine((rule) => Object.keys(rule).length > 1, 'a rule without a condition would reject every URL; add a condition');

const budgetSchema = z.strictObject({
  key: z.enum(['host', 'domain']),
  base: z.int().min(0),
  perSource: z.int().min(0),
  max: count,
  refillMs: count,
});

export const policySchema: z.ZodType<PolicyConfig> = z.strictObject({
  version: z.int().min(1),
  normalize: normalizeSchema,
  patterns: z.enum(patternEngines).optional(),
  filters: filtersSchema,
  scope: z.strictObject({ kind: z.enum(['host', 'domain', 'all']), names: strings }),
  maxDepth: z.int().min(0).nullable(),
  hopsMax: z.int().min(0).max(100),
  retriesMs: z.array(millis).max(20),
  serverErrorsMax: z.int().min(0).max(1000).optional(),
  delayMs: millis,
  delayFactor: z.number().min(0).max(1000),
  delayFactorCapMs: millis,
  politenessKey: z.enum(politenessKeys, 'write host or domain; for IP addresses, use addressDelayMs').optional(),
  addressDelayMs: millis.max(3_600_000).optional(),
  crawlDelayCapMs: millis,
  leadTimeMs: count,
  urlsPerLeaseMax: count,
  leaseMarginMs: z.int().min(45_000).max(86_400_000).optional(),
  pageQuota: z.int().min(0).nullable(),
  urlsPerHostMax: count.nullable(),
  pagesPerHostMax: z.int().min(0).nullable().optional(),
  pagesPerDomainMax: z.int().min(0).nullable().optional(),
  bytesPerHostMax: z.int().min(0).nullable().optional(),
  queuedMax: count,
  queueShareMax: z.number().gt(0).max(1).optional(),
  whenFull: z.enum(whenFullChoices).optional(),
  windows: z.array(windowSchema).optional(),
  parallel: z.array(parallelSchema).optional(),
  metadata: z.array(metadataSchema).optional(),
  score: scoreSchema.optional(),
  budget: budgetSchema.optional(),
  traps: trapSchema.optional(),
  sink: z.literal('pull').optional(),
  paused: z.boolean().optional(),
  bytesPerSecond: z.int().min(1).optional(),
  recrawl: recrawlSchema.optional(),
  sitemaps: sitemapsSchema.optional(),
  trace: traceSchema.optional(),
  uses: z.array(z.enum(uses)).min(1).optional(),
  usesBarred: z.enum(whenBarred).optional(),
  pay: paySchema.optional(),
  requisites: z.literal(true).optional(),
  fetchAs: z.enum(fetchAsChoices).optional(),
  equivalences: equivalencesSchema.optional(),
  overlays: overlaysSchema({ filters: filtersSchema, window: windowSchema }).optional(),
});

/** JSON text of a policy that a crawl has, as `storedPolicy`. */
export function parsePolicy(json: string): PolicyConfig {
  return storedPolicy(read(json));
}

function read(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `policy: it is not valid JSON (${(error as Error).message}); correct it`,
      error,
    );
  }
}

const unknownHash = '0'.repeat(64);

/** A policy from a file: a version is ignored, and its lists may leave out their hash. */
export function policyWithoutVersion(json: string, inForce?: PolicyConfig): PolicyConfig {
  const value = read(json) as { readonly filters?: unknown; readonly score?: unknown } | null;
  if (typeof value !== 'object' || value === null) return validatePolicy(value, inForce);
  const { filters, score } = value;
  const config = validatePolicy({ ...value, filters: hashless(filters), score: hashless(score), version: 1 }, inForce);
  const lists = listsOf(config).map((list) => (list.sha256 === unknownHash ? { ...list, sha256: '' } : list));
  return withLists(config, lists);
}

/** Lists without a hash get one that nothing has. */
function hashless(part: unknown): unknown {
  const lists = (part as { readonly lists?: unknown } | null | undefined)?.lists;
  if (!Array.isArray(lists)) return part;
  return { ...(part as object), lists: lists.map((list: object) => ({ sha256: unknownHash, ...list })) };
}

/**
 * A policy that compiles, its names as normal URLs have them. Throws INVALID_ARGUMENT, naming the first field at fault and the
 * remedy.
 */
export function validatePolicy(value: unknown, inForce?: PolicyConfig): PolicyConfig {
  return withNormalNames(checkedPolicy(value), inForce);
}

/** The same for one that was in force already: earlier releases took names that no URL can have. */
export function storedPolicy(value: unknown): PolicyConfig {
  return normalNames(checkedPolicy(value)).config;
}

/**
 * A policy with its names in the form of normal URLs. Throws INVALID_ARGUMENT for a name that no URL can have, unless
 * the policy `inForce` has it already.
 */
export function withNormalNames(given: PolicyConfig, inForce?: PolicyConfig): PolicyConfig {
  const { config, faults } = normalNames(given);
  if (faults.length === 0) return config;
  const known = new Set(inForce === undefined ? [] : normalNames(inForce).faults.map(({ name }) => name));
  const fault = faults.find(({ name }) => !known.has(name));
  if (fault === undefined) return config;
  const { field, name, wrong } = fault;
  throw new CrawlstreamError('INVALID_ARGUMENT', `${field}: ${JSON.stringify(name)}: ${wrong}`);
}

function checkedPolicy(value: unknown): PolicyConfig {
  const parsed = policySchema.safeParse(value);
  if (!parsed.success) throw invalid(parsed.error.issues[0]!, parsed.error);
  // Patterns must compile; the contents of lists are checked when they are loaded.
  if (parsed.data.patterns !== 'linear') compileFilters({ ...parsed.data.filters, lists: [] });
  checkPatterns(parsed.data);
  checkOverlays(parsed.data);
  checkLeases(parsed.data);
  return parsed.data;
}

/** A domain that is one host to politeness has one lease. */
function checkLeases({ politenessKey, parallel = [], overlays = [] }: PolicyConfig): void {
  const several = overlays.findIndex(({ set }) => (set.leases ?? 1) > 1);
  if (politenessKey !== 'domain' || (parallel.length === 0 && several < 0)) return;
  const field = parallel.length > 0 ? 'parallel' : `overlays[${several}].set.leases`;
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    `policy.${field}: it cannot be used with politenessKey domain, which allows one lease per domain; remove one of the two`,
  );
}

const policyFields = Object.keys((policySchema as unknown as z.ZodObject).shape);

/** Of the issues of several alternative shapes, the first one inside the value. */
function deepest(shapes: readonly (readonly z.core.$ZodIssue[])[]): z.core.$ZodIssue | undefined {
  return shapes.flat().find(({ path, code }) => path.length > 0 || code === 'unrecognized_keys');
}

function invalid(issue: z.core.$ZodIssue, cause: unknown): CrawlstreamError {
  const nearest = issue.code === 'invalid_union' ? deepest(issue.errors) : undefined;
  if (nearest !== undefined) return invalid({ ...nearest, path: [...issue.path, ...nearest.path] }, cause);
  const path = [...issue.path];
  let remedy = 'correct this field';
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const near = path.length === 0 ? closest(key, policyFields) : '';
    const elsewhere = path[0] === 'overlays' && path[2] === 'set' ? notInOverlays[key] : undefined;
    remedy =
      elsewhere ??
      `remove this field, or correct its name${near !== '' && distance(key, near) <= 2 ? `: did you mean ${near}?` : ''}`;
    path.push(key);
  }
  let field = 'policy';
  for (const part of path) field += typeof part === 'number' ? `[${part}]` : `.${String(part)}`;
  return new CrawlstreamError('INVALID_ARGUMENT', `${field}: ${issue.message}; ${remedy}`, cause);
}
