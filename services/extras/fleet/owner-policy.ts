/**
 * Decides who may set a field of a policy: the owner of a crawl, or only the operator of the fleet. The declarations of
 * the fields say it (topology/policy/policy-fields.ts), and the table here for what overlays alone have.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { ExtraFields } from '../../../topology/policy/extra-fields.ts';
import type { OverlayConfig, OverlaySettings } from '../../../topology/policy/overlay-config.ts';
import { declaredFields, type PolicyFieldName } from '../../../topology/policy/policy-fields.ts';

export type PolicySetter = 'owner' | 'operator';

const ofOverlays = {
  leases: 'operator',
  window: 'owner',
  robotsNotAsked: 'operator',
  inScope: 'owner',
  frontQueue: 'owner',
} as const satisfies Record<Exclude<keyof OverlaySettings, PolicyFieldName>, PolicySetter>;

const operatorsFields = declaredFields.filter(([, { setter }]) => setter === 'operator').map(([name]): string => name);
const operatorsSettings = new Set([
  ...operatorsFields,
  ...Object.entries(ofOverlays).flatMap(([name, setter]) => (setter === 'operator' ? [name] : [])),
]);

/**
 * Throws INVALID_ARGUMENT for a field of an extra that only the operator may set, and for fields of extras that are not
 * here. `fields`: those of the extras that are. `policy`: as the call has it, unchecked.
 */
export function checkOwnersExtras({ extras }: { readonly extras?: unknown }, fields: ExtraFields): void {
  for (const [name, values] of Object.entries(extras ?? {})) {
    const own = fields[name];
    if (own === undefined) refuse(`extras.${name}`);
    for (const field of Object.keys(values ?? {}))
      if (own[field]?.setter !== 'owner') refuse(`extras.${name}.${field}`);
  }
}

/** Throws INVALID_ARGUMENT for a field that only the operator may set. `overlays`: those of the call's policy. */
export function checkOwnersFields(fields: object, overlays: readonly OverlayConfig[]): void {
  for (const field of operatorsFields) if (field in fields) refuse(field);
  overlays.forEach(({ set }, index) => {
    for (const field of Object.keys(set)) if (operatorsSettings.has(field)) refuse(`overlays[${index}].set.${field}`);
  });
}

function refuse(field: string): never {
  const message = `policy.${field}: only the operator of the fleet may set this field; remove it`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}
