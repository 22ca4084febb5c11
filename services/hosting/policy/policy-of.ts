/** Makes a policy of options, or applies them to one. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { type ExtraFields, withInitialExtras } from '../../../topology/policy/extra-fields.ts';
import { compilePolicy, defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import type { PolicyField } from '../../../topology/policy/policy-field.ts';
import { declaredFields, type FieldOptions } from '../../../topology/policy/policy-fields.ts';
import type { ScheduleName } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { defaultScore } from '../../../topology/policy/score/score-config.ts';
import { sitemapsEveryMs } from '../../../topology/policy/sitemaps.ts';
import { defaultTraps } from '../../../topology/policy/traps/trap-config.ts';
import { normalizeOf, type SameUrlWord } from '../../../topology/policy/url-identity.ts';
import { validatePolicy, withNormalNames } from '../../../topology/policy/validate.ts';
import { type ScopeKind, scopeOf } from '../../../topology/url/scope.ts';
import { installedFields } from '../../application/extra-fields.ts';
import { type TracePolicyFlags, traceOf } from '../options/trace-policy.ts';
import { changedRecrawl } from './changed-recrawl.ts';
import { equivalencesOf } from './equivalences-of.ts';

/** Beside the options that set one declared field each. */
export interface PolicyFlags extends FieldOptions, TracePolicyFlags {
  readonly scope?: ScopeKind;
  readonly include?: string[];
  readonly exclude?: string[];
  readonly delay?: number;
  readonly retries?: number[];
  readonly traps: boolean;
  readonly score?: true;
  readonly recrawl?: ScheduleName;
  readonly recrawlEvery?: number;
  readonly recrawlHubs?: number;
  readonly sitemap?: string[];
  readonly overlays?: unknown;
  readonly pay?: unknown;
  readonly sameUrl?: SameUrlWord[];
  readonly sameUrlProofs?: number | 'none';
  readonly canonicals?: boolean;
  /** ms. */
  readonly leaseTime?: number;
}

export const scopeDefault: ScopeKind = 'domain';

/**
 * `seeds`: all the crawl has, normal. `before`: the policy that the flags change; null: that of a new crawl. A flag that
 * is left out changes nothing. `fields`: those of extras and plugins. Throws INVALID_ARGUMENT for a bad --include or
 * --exclude, before anything is written.
 */
export function policyOf(
  flags: PolicyFlags,
  seeds: readonly string[],
  before: PolicyConfig | null = null,
  fields: ExtraFields = installedFields,
): PolicyConfig {
  const { traps, ...base } = before ?? withInitialExtras({ ...defaultPolicy(), traps: defaultTraps }, fields);
  const { include, exclude } = flags;
  const trace = traceOf(flags);
  const extras = extrasOf(flags, base.extras, fields);
  const policy: PolicyConfig = {
    ...base,
    ...givenFields(flags, declaredFields),
    scope: scopeFrom(flags.scope, seeds, before),
    filters: { ...base.filters, ...(include !== undefined && { include }), ...(exclude !== undefined && { exclude }) },
    ...(flags.traps && traps !== undefined ? { traps } : {}),
    ...(flags.delay === undefined ? {} : { delayMs: flags.delay, delayFactor: 0 }),
    ...(flags.score && { score: base.score ?? defaultScore }),
    ...equivalencesOf(flags, base.equivalences),
    ...(flags.retries === undefined ? {} : { retriesMs: flags.retries }),
    ...recrawlOf(flags, base),
    ...(trace !== undefined && { trace }),
    ...sitemapsOf(flags, base),
    ...(flags.sameUrl === undefined ? {} : { normalize: normalizeOf(flags.sameUrl, base.normalize) }),
    ...(flags.leaseTime === undefined ? {} : { leaseMarginMs: flags.leaseTime + answerMs }),
    ...(flags.overlays === undefined ? {} : { overlays: flags.overlays as PolicyConfig['overlays'] }),
    ...(flags.pay === undefined ? {} : { pay: flags.pay as PolicyConfig['pay'] }),
    ...extras,
  };
  if (flags.overlays !== undefined || flags.pay !== undefined || extras.extras !== undefined)
    validatePolicy(policy, before ?? undefined, fields);
  const named = withNormalNames(policy, before ?? undefined);
  compilePolicy(named);
  return named;
}

/** Time for a client's report to reach the frontier before its lease is over there, ms. */
const answerMs = 15_000;

type Declared = readonly (readonly [name: string, field: Pick<PolicyField, 'flag'>])[];

/** The fields that options set by their declarations. */
function givenFields(flags: object, declared: Declared): Readonly<Record<string, unknown>> {
  const values = flags as Readonly<Record<string, unknown>>;
  const fields = declared.flatMap(([name, { flag }]) => {
    const given = flag === undefined ? undefined : values[flag.name];
    // A switch that is off changes nothing.
    if (flag === undefined || given === undefined || given === false) return [];
    return [[name, given === 'none' && flag.none !== undefined ? flag.none : given]];
  });
  return Object.fromEntries(fields);
}

function extrasOf(flags: object, before: PolicyConfig['extras'], fields: ExtraFields): Pick<PolicyConfig, 'extras'> {
  const changed = Object.entries(fields).flatMap(([name, own]) => {
    const given = givenFields(flags, Object.entries(own));
    return Object.keys(given).length === 0 ? [] : [[name, { ...before?.[name], ...given }]];
  });
  return changed.length === 0 ? {} : { extras: { ...before, ...Object.fromEntries(changed) } };
}

function scopeFrom(
  given: ScopeKind | undefined,
  seeds: readonly string[],
  before: PolicyConfig | null,
): PolicyConfig['scope'] {
  const kind = given ?? before?.scope.kind ?? scopeDefault;
  const { names } = scopeOf(kind, seeds);
  if (before?.scope.kind === kind) return { kind, names: [...new Set([...before.scope.names, ...names])].sort() };
  if (kind === 'all' || seeds.length > 0) return { kind, names };
  const message = `--scope ${kind}: without seeds, this scope contains no host; add the seeds`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}

type Base = Omit<PolicyConfig, 'traps'>;

function recrawlOf(flags: PolicyFlags, { recrawl: before }: Base): Pick<PolicyConfig, 'recrawl'> {
  const recrawl = changedRecrawl(flags, before);
  return recrawl === before ? {} : { recrawl };
}

/** A crawl that fetches pages again reads sitemaps again too, those of robots.txt among them. */
function sitemapsOf(
  { sitemap = [], recrawl, recrawlEvery: every }: PolicyFlags,
  { sitemaps: before }: Base,
): Pick<PolicyConfig, 'sitemaps'> {
  if (sitemap.length === 0 && recrawl === undefined && every === undefined) return {};
  const rules = sitemap.length === 0 ? (before?.rules ?? []) : [{ urls: sitemap }];
  return { sitemaps: { everyMs: before?.everyMs ?? sitemapsEveryMs, rules } };
}
