/**
 * Decides who may set a field of a policy: the owner of a crawl, or only the operator of the fleet.
 *
 * The tables name every field, so that a new field does not compile until it is decided. The operator sets the fields
 * that affect others than the owner: sites (robots.txt, several requests at once), crawls that share a host (its
 * back-off, long leases), the process (destination of leases, memory of queues), money, and the destination of records.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { OverlayConfig, OverlaySettings } from '../../../topology/policy/overlay-config.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';

export type PolicySetter = 'owner' | 'operator';

export const policySetters = {
  version: 'owner',
  normalize: 'owner',
  patterns: 'operator',
  filters: 'owner',
  scope: 'owner',
  maxDepth: 'owner',
  hopsMax: 'owner',
  retriesMs: 'owner',
  serverErrorsMax: 'operator',
  delayMs: 'owner',
  delayFactor: 'owner',
  delayFactorCapMs: 'owner',
  politenessKey: 'owner',
  addressDelayMs: 'operator',
  crawlDelayCapMs: 'owner',
  leadTimeMs: 'operator',
  urlsPerLeaseMax: 'operator',
  leaseMarginMs: 'operator',
  pageQuota: 'owner',
  urlsPerHostMax: 'owner',
  pagesPerHostMax: 'owner',
  pagesPerDomainMax: 'owner',
  bytesPerHostMax: 'owner',
  queuedMax: 'operator',
  queueShareMax: 'owner',
  whenFull: 'owner',
  windows: 'owner',
  parallel: 'operator',
  metadata: 'owner',
  budget: 'owner',
  score: 'owner',
  sink: 'operator',
  paused: 'owner',
  bytesPerSecond: 'owner',
  traps: 'owner',
  recrawl: 'owner',
  sitemaps: 'owner',
  trace: 'operator',
  uses: 'owner',
  requisites: 'owner',
  fetchAs: 'owner',
  equivalences: 'owner',
  usesBarred: 'owner',
  pay: 'operator',
  overlays: 'owner',
} as const satisfies Record<keyof PolicyConfig, PolicySetter>;

export const overlaySetters = {
  delayMs: 'owner',
  delayFactor: 'owner',
  crawlDelayCapMs: 'owner',
  retriesMs: 'owner',
  serverErrorsMax: 'operator',
  leadTimeMs: 'operator',
  urlsPerLeaseMax: 'operator',
  urlsPerHostMax: 'owner',
  pagesPerHostMax: 'owner',
  bytesPerHostMax: 'owner',
  budget: 'owner',
  leases: 'operator',
  window: 'owner',
  robotsNotAsked: 'operator',
  maxDepth: 'owner',
  hopsMax: 'owner',
  filters: 'owner',
  inScope: 'owner',
  frontQueue: 'owner',
  fetchAs: 'owner',
  recrawl: 'owner',
} as const satisfies Record<keyof OverlaySettings, PolicySetter>;

/** Throws INVALID_ARGUMENT for a field that only the operator may set. `overlays`: those of the call's policy. */
export function checkOwnersFields(fields: object, overlays: readonly OverlayConfig[]): void {
  for (const [field, setter] of Object.entries(policySetters))
    if (setter === 'operator' && field in fields) refuse(field);
  overlays.forEach(({ set }, index) => {
    for (const field of Object.keys(set) as (keyof OverlaySettings)[])
      if (overlaySetters[field] === 'operator') refuse(`overlays[${index}].set.${field}`);
  });
}

function refuse(field: string): never {
  const message = `policy.${field}: only the operator of the fleet may set this field; remove it`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}
