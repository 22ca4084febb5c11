/**
 * Parses a policy from JSON, and checks it before its use. Every field is required, and none is unknown: a misspelt
 * field with a default would go unnoticed until pages are missing. A field that a later release adds must be optional
 * here, and its absence must mean the earlier behaviour, because logs keep old policies.
 */
import { closest, distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { CrawlstreamError } from '../errors.ts';
import { compileFilters } from '../url/filters.ts';
import { type ExtraFields, extrasSchema } from './extra-fields.ts';
import { listsOf, withLists } from './lists-of.ts';
import { normalNames } from './normal-names.ts';
import { notInOverlays } from './overlay-config.ts';
import { checkOverlays, overlaysSchema, storedOverlaysSchema } from './overlay-schema.ts';
import type { PolicyConfig } from './policy.ts';
import { schemasOf } from './policy-fields.ts';
import { checkPatterns } from './policy-patterns.ts';
import { RecentPolicies } from './recent-policies.ts';

export const policySchema = schemaWith(overlaysSchema);
const storedSchema = schemaWith(storedOverlaysSchema);

function schemaWith(overlays: typeof overlaysSchema): z.ZodType<PolicyConfig> {
  return z.strictObject({ ...schemasOf(), overlays: overlays.optional() }) as unknown as z.ZodType<PolicyConfig>;
}

const recent = new RecentPolicies();

/**
 * Returns a policy that was in force already, from its JSON text. Earlier releases took names that no URL can have,
 * and more intervals of overlays. Nobody can change the result.
 */
export function parsePolicy(json: string): PolicyConfig {
  return recent.get(json, (text) => normalNames(checkedPolicy(read(text), storedSchema)).config);
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

/** A policy from a file: a version is ignored, and its lists may leave out their hash. Otherwise as validatePolicy. */
export function policyWithoutVersion(json: string, inForce?: PolicyConfig, fields: ExtraFields = {}): PolicyConfig {
  const value = read(json) as { readonly filters?: unknown; readonly score?: unknown } | null;
  if (typeof value !== 'object' || value === null) return validatePolicy(value, inForce, fields);
  const { filters, score } = value;
  const whole = { ...value, filters: hashless(filters), score: hashless(score), version: 1 };
  const config = validatePolicy(whole, inForce, fields);
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
 * remedy. If the policy `inForce` has overlays as only earlier releases took them, so may this one. `fields`: those of
 * the extras and plugins that are here; values that are in force already stay.
 */
export function validatePolicy(value: unknown, inForce?: PolicyConfig, fields: ExtraFields = {}): PolicyConfig {
  const isOld = inForce !== undefined && !overlaysSchema.safeParse(inForce.overlays ?? []).success;
  const checked = checkedPolicy(value, isOld ? storedSchema : policySchema);
  checkExtras(checked, inForce, fields);
  return withNormalNames(checked, inForce);
}

function checkExtras({ extras = {} }: PolicyConfig, inForce: PolicyConfig | undefined, fields: ExtraFields): void {
  const news = Object.entries(extras).map(([name, values]) => {
    const before = inForce?.extras?.[name];
    const isNew = (field: string) => JSON.stringify(values[field]) !== JSON.stringify(before?.[field]);
    return [name, Object.fromEntries(Object.entries(values).filter(([field]) => isNew(field)))];
  });
  const { error } = extrasSchema(fields).safeParse(Object.fromEntries(news));
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return;
  const own = fields[String(issue.path[0])] ?? {};
  throw invalid({ ...issue, path: ['extras', ...issue.path] }, error, Object.keys(own));
}

/** The same as `parsePolicy`, from the value of a JSON text. */
export function storedPolicy(value: unknown): PolicyConfig {
  return parsePolicy(JSON.stringify(value) ?? 'null');
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

function checkedPolicy(value: unknown, schema: typeof policySchema): PolicyConfig {
  const parsed = schema.safeParse(value);
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

/** `known`: names of fields that may have been meant. */
function invalid(issue: z.core.$ZodIssue, cause: unknown, known: readonly string[] = []): CrawlstreamError {
  const nearest = issue.code === 'invalid_union' ? deepest(issue.errors) : undefined;
  if (nearest !== undefined) return invalid({ ...nearest, path: [...issue.path, ...nearest.path] }, cause, known);
  const path = [...issue.path];
  let remedy = 'correct this field';
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const near = closest(key, path.length === 0 ? policyFields : known) ?? '';
    const elsewhere = path[0] === 'overlays' && path[2] === 'set' ? notInOverlays[key] : undefined;
    remedy =
      elsewhere ??
      `remove this field, or correct its name${near !== '' && distance(key, near) <= 2 ? `: did you mean ${near}?` : ''}`;
    path.push(key);
  }
  let field = 'policy';
  for (const part of path) field += typeof part === 'number' ? `[${part}]` : `.${String(part)}`;
  const { message } = issue.code === 'invalid_key' ? (issue.issues[0] ?? issue) : issue;
  return new CrawlstreamError('INVALID_ARGUMENT', `${field}: ${message}; ${remedy}`, cause);
}
