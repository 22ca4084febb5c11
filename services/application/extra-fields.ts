/** Fields of policies that the extras of this program declare, and its plugins. */
import type { ExtraFields } from '../../topology/policy/extra-fields.ts';
import { installed } from '../extras/installed.ts';
import { fieldsOf } from './extension/offers.ts';
import type { Plugin } from './plugin/plugin.ts';
import { policyFieldsOf } from './plugin/policy-fields-of.ts';

export const installedFields: ExtraFields = fieldsOf(installed);

/** Throws INVALID_ARGUMENT for a plugin with the name of an extra that declares fields, too. */
export function fieldsWith(plugins: readonly Plugin[]): ExtraFields {
  return fieldsOf([
    ...installed,
    ...plugins.map((plugin) => ({ name: plugin.name, policyFields: policyFieldsOf(plugin) })),
  ]);
}
