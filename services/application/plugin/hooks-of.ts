/** The part of a fetcher's configuration that plugins make. */
import { extraValues } from '../../../topology/policy/extra-fields.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import type { Plugin } from './plugin.ts';
import { policyFieldsOf } from './policy-fields-of.ts';

export type PluginHooks = Pick<FetcherConfig, 'hooks' | 'onPolicy' | 'openPayments'>;

export function hooksOf(plugins: readonly Plugin[]): PluginHooks {
  if (plugins.length === 0) return {};
  const following = plugins.filter(({ onPolicy }) => onPolicy !== undefined);
  const named = following.map((plugin) => ({ plugin, fields: policyFieldsOf(plugin) ?? {} }));
  return {
    hooks: plugins,
    onPolicy(policy, say) {
      for (const { plugin, fields } of named) {
        // A plugin's function may be async.
        void new Promise((resolve) => {
          resolve(plugin.onPolicy!(extraValues(policy, plugin.name, fields).values));
        }).catch((error: unknown) => {
          say(`plugin ${plugin.name}, onPolicy: ${error instanceof Error ? error.message : error}`);
        });
      }
    },
  };
}
