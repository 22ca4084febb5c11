/** The policy and the seeds of a crawl of a fleet, as a call gives them: the defaults of `crawl`, with its fields in their place. */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { listsOf } from '../../../../topology/policy/lists-of.ts';
import { defaultPolicy, type PolicyConfig } from '../../../../topology/policy/policy.ts';
import { defaultTraps } from '../../../../topology/policy/traps/trap-config.ts';
import { validatePolicy } from '../../../../topology/policy/validate.ts';
import { scopeOf } from '../../../../topology/url/scope.ts';
import { parseSeed } from '../../../../topology/url/seed.ts';
import { checkSeeds, normalSeeds } from '../../../hosting/policy/seeds.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import { checkOwnersFields, type PolicySetter } from '../owner-policy.ts';
import { checkPolicySize } from '../policy-size.ts';

const { leaseMarginMs } = fleetServiceLimits;

export interface SeedsAndPolicy {
  readonly seeds: string[];
  readonly policy: PolicyConfig;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function within(fields: object, given: unknown): unknown {
  return given === undefined ? fields : isObject(given) ? { ...fields, ...given } : given;
}

/** Without names, those of the seeds. */
function scopeOfCall(given: unknown, seeds: readonly string[]): unknown {
  if (given === undefined) return scopeOf('domain', seeds);
  if (!isObject(given) || 'names' in given || !('kind' in given)) return given;
  const { kind } = given;
  return kind === 'host' || kind === 'domain' || kind === 'all' ? scopeOf(kind, seeds) : { ...given, names: [] };
}

/**
 * Patterns run in linear time, as all crawls share the process. Throws INVALID_SEED or INVALID_ARGUMENT, naming the field: nothing is
 * made then.
 */
export function fleetPolicy(
  seedsGiven: readonly string[],
  fields: Readonly<Record<string, unknown>>,
  by: PolicySetter,
): SeedsAndPolicy {
  checkPolicySize(fields);
  if (by === 'owner') checkOwnersFields(fields, []);
  const seeds = [...new Set(normalSeeds(seedsGiven.map(parseSeed)))];
  const { normalize, filters, ...before } = defaultPolicy();
  const asked = {
    ...{ ...before, traps: defaultTraps, leaseMarginMs, ...fields, patterns: 'linear', version: 1 },
    scope: scopeOfCall(fields['scope'], seeds),
    // A call names the fields that it changes.
    normalize: within(normalize, fields['normalize']),
    filters: within(filters, fields['filters']),
  };
  const policy = validatePolicy(asked);
  if (by === 'owner') checkOwnersFields({}, policy.overlays ?? []);
  // Nobody leases from a crawl of a fleet but its own fetchers.
  if (policy.sink !== undefined) {
    const message = 'policy.sink: it cannot be set in a fleet, which fetches the pages itself; remove it';
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  // Whoever may make a crawl may not read files of the fleet's machine.
  if (listsOf(policy).length > 0) {
    const message =
      'policy: lists are files on the server; add them there with crawlstream policy set --data, or remove them';
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  checkSeeds(seeds, policy);
  return { seeds, policy };
}
