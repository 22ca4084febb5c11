/** Opens the plugins that a process is given, and decides which processors run beside its crawl. */
import type { ExtraFields } from '../../../topology/policy/extra-fields.ts';
import { chosenProcessors, takenNames } from '../../application/chosen-processors.ts';
import { fieldsWith } from '../../application/extra-fields.ts';
import { loadHandler } from '../../application/page-handler.ts';
import { hooksOf, type PluginHooks } from '../../application/plugin/hooks-of.ts';
import { type LoadedPlugin, loadPlugins } from '../../application/plugin/load-plugins.ts';
import { paymentsOf } from '../../application/plugin/payments-of.ts';
import type { PluginSettings } from '../../application/plugin/plugin-processor.ts';
import type { Processor } from '../../application/processor/processor.ts';
import { bad } from '../../runtime/option-text.ts';
import type { ProcessorFlags } from './processors.ts';

export interface PluginFlags {
  /** Paths, absolute. */
  readonly plugin?: readonly string[];
  readonly set?: readonly ProcessorSetting[];
}

export interface ProcessorSetting {
  readonly processor: string;
  readonly key: string;
  readonly value: string;
}

export interface OpenPlugins {
  readonly loaded: readonly LoadedPlugin[];
  /** For a fetcher's configuration. */
  readonly hooks: PluginHooks;
  readonly settings: PluginSettings;
  /** Their consumers. */
  readonly processors: readonly Processor[];
  /** Fields of policies, also those of extras. */
  readonly fields: ExtraFields;
}

/** Throws INVALID_ARGUMENT for a file that is not a plugin, and for an option that none of their consumers has. */
export async function openPlugins({ plugin = [], set = [] }: PluginFlags): Promise<OpenPlugins> {
  const loaded = await loadPlugins(plugin, takenNames);
  const settings = new Map<string, Record<string, string>>();
  const given = loaded.flatMap((one) => one.plugin.processors ?? []);
  for (const { processor, key, value } of set) {
    if (!given.some(({ name }) => name === processor)) {
      const names = given.map(({ name }) => name);
      const remedy = names.length === 0 ? 'no plugin has a consumer' : `there are ${names.join(', ')}`;
      throw bad('--set', `${processor}.${key}=${value}`, `no plugin has a consumer ${processor}; ${remedy}`);
    }
    settings.set(processor, { ...settings.get(processor), [key]: value });
  }
  const plugins = loaded.map((one) => one.plugin);
  return {
    loaded,
    hooks: hooksOf(plugins),
    settings,
    processors: chosenProcessors({ names: [], plugins, settings }),
    fields: fieldsWith(plugins),
  };
}

/** For a process that fetches: its plugins may pay. Throws as openPlugins, and as paymentsOf. */
export async function openFetcherPlugins(flags: PluginFlags): Promise<OpenPlugins> {
  const opened = await openPlugins(flags);
  const payments = await paymentsOf(opened.loaded.map(({ plugin }) => plugin));
  return { ...opened, hooks: { ...opened.hooks, ...payments } };
}

/** Fields of policies, without opening consumers: those may need options. Throws INVALID_ARGUMENT as openPlugins. */
export async function pluginFields({ plugin = [] }: PluginFlags): Promise<ExtraFields> {
  return fieldsWith((await loadPlugins(plugin, takenNames)).map((one) => one.plugin));
}

/**
 * The processors that run beside a crawl, in the order in which they drain: ours if they are named, plugins' always.
 * `isHere`: in its own process, so that the user's function is loaded at once; otherwise the process that runs it loads
 * it, and only once.
 */
export async function processorsBeside(
  flags: ProcessorFlags,
  { loaded, settings }: OpenPlugins,
  isHere: boolean,
): Promise<Processor[]> {
  const path = flags.handler;
  const here = path !== undefined && isHere ? await loadHandler(path) : undefined;
  return chosenProcessors({
    names: flags.with ?? [],
    plugins: loaded.map(({ plugin }) => plugin),
    settings,
    handler: path === undefined ? undefined : async () => here ?? loadHandler(path),
  });
}
