/** Fields of policies that the extras of this program declare, and its plugins. */
import { invalid } from '../../topology/errors.ts';
import type { ExtraFields } from '../../topology/policy/extra-fields.ts';
import { installed } from '../extras/installed.ts';
import { fieldsOf } from './extension/offers.ts';
import type { Plugin } from './plugin/plugin.ts';
import { policyFieldsOf } from './plugin/policy-fields-of.ts';

export const installedFields: ExtraFields = fieldsOf(installed);

/** Throws as fieldsOfPlugins. */
export function fieldsWith(plugins: readonly Plugin[]): ExtraFields {
  return { ...installedFields, ...fieldsOfPlugins(plugins) };
}

/** `taken`: fields of extras. Throws INVALID_ARGUMENT for a plugin that follows policies and has the name of one of these. */
export function fieldsOfPlugins(plugins: readonly Plugin[], taken: ExtraFields = installedFields): ExtraFields {
  for (const { name, policyFields, onPolicy } of plugins)
    if ((policyFields ?? onPolicy) !== undefined && Object.hasOwn(taken, name))
      throw invalid(`plugin ${name}: extras.${name} in a policy is for the extra of this name: rename the plugin`);
  return fieldsOf(plugins.map((plugin) => ({ name: plugin.name, policyFields: policyFieldsOf(plugin) })));
}
