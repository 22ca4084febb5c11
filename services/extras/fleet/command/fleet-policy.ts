/** Makes seeds and policy of a fleet's crawl from a call: the defaults of `crawl`, replaced by the call's fields. */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { withInitialExtras } from '../../../../topology/policy/extra-fields.ts';
import { listsOf } from '../../../../topology/policy/lists-of.ts';
import { defaultPolicy, type PolicyConfig } from '../../../../topology/policy/policy.ts';
import { defaultTraps } from '../../../../topology/policy/traps/trap-config.ts';
import { validatePolicy } from '../../../../topology/policy/validate.ts';
import { scopeOf } from '../../../../topology/url/scope.ts';
import { parseSeed } from '../../../../topology/url/seed.ts';
import { installedFields } from '../../../application/extra-fields.ts';
import { checkSeeds, normalSeeds } from '../../../hosting/policy/seeds.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import { checkOwnersExtras, checkOwnersFields, type PolicySetter } from '../owner-policy.ts';
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

/** Returns the scope. If the call names no hosts or domains, those of the seeds apply. */
function scopeOfCall(given: unknown, seeds: readonly string[]): unknown {
  if (given === undefined) return scopeOf('domain', seeds);
  if (!isObject(given) || 'names' in given || !('kind' in given)) return given;
  const { kind } = given;
  return kind === 'host' || kind === 'domain' || kind === 'all' ? scopeOf(kind, seeds) : { ...given, names: [] };
}

/**
 * Patterns run in linear time, because all crawls share the process. Throws INVALID_SEED or INVALID_ARGUMENT; the
 * error names the field.
 */
export function fleetPolicy(
  seedsGiven: readonly string[],
  fields: Readonly<Record<string, unknown>>,
  by: PolicySetter,
): SeedsAndPolicy {
  checkPolicySize(fields);
  if (by === 'owner') {
    checkOwnersFields(fields, []);
    checkOwnersExtras(fields, installedFields);
  }
  const seeds = [...new Set(normalSeeds(seedsGiven.map(parseSeed)))];
  const { normalize, filters, ...before } = defaultPolicy();
  const asked = {
    ...{ ...before, traps: defaultTraps, leaseMarginMs, ...fields, patterns: 'linear', version: 1 },
    scope: scopeOfCall(fields['scope'], seeds),
    // A call has only the fields that it changes.
    normalize: within(normalize, fields['normalize']),
    filters: within(filters, fields['filters']),
  };
  const policy = validatePolicy(withInitialExtras(asked, installedFields), undefined, installedFields);
  if (by === 'owner') checkOwnersFields({}, policy.overlays ?? []);
  // Only the fleet's own fetchers lease from its crawls.
  if (policy.sink !== undefined) {
    const message = 'policy.sink: it cannot be set in a fleet, which fetches the pages itself; remove it';
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  // A caller may create crawls, but must not read files of the fleet's machine.
  if (listsOf(policy).length > 0) {
    const message =
      'policy: lists are files on the server; add them there with crawlstream policy set --data, or remove them';
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  checkSeeds(seeds, policy);
  return { seeds, policy };
}
