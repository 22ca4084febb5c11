/** `--plugin FILE`: code from outside that takes part in a crawl (services/application/plugin). */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { chosenProcessors, takenNames } from '../../application/chosen-processors.ts';
import { loadHandler } from '../../application/page-handler.ts';
import { type LoadedPlugin, loadPlugins } from '../../application/plugin/load-plugins.ts';
import type { PluginSettings } from '../../application/plugin/plugin-processor.ts';
import type { Processor } from '../../application/processor/processor.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import { bad, collect } from './arguments.ts';
import type { ProcessorFlags } from './processor-flags.ts';
import { setting } from './setting.ts';

export interface PluginFlags {
  /** Paths, absolute. */
  readonly plugin?: readonly string[];
  readonly set?: readonly ProcessorSetting[];
}

interface ProcessorSetting {
  readonly processor: string;
  readonly key: string;
  readonly value: string;
}

/** Options of commands that fetch. */
export function addPluginOption(command: Command): Command {
  return command.addOption(
    setting(
      '--plugin <file>',
      'module with hooks: filters, requests, responses, parsers, pages, consumers (repeatable)',
      'a crawl needs no custom code',
      collect(pluginFile),
    ),
  );
}

/** Options of commands that run a plugin's consumers. */
export function addSetOption(command: Command): Command {
  return command.addOption(
    setting(
      '--set <name.key=value>',
      'option of a plugin’s consumer (repeatable)',
      'each plugin consumer has its own defaults',
      collect(processorSetting),
    ),
  );
}

function pluginFile(value: string): string {
  const path = resolve(value);
  if (existsSync(path)) return path;
  throw bad('--plugin', value, 'the file does not exist; see examples/ for plugins to start from');
}

function processorSetting(value: string): ProcessorSetting {
  const [, processor, key, text] = /^([^.=]+)\.([^=]+)=(.*)$/s.exec(value) ?? [];
  if (processor !== undefined && key !== undefined && text !== undefined) return { processor, key, value: text };
  throw bad('--set', value, 'give consumer, option and value, as in to-sqlite.table=pages');
}

export interface OpenPlugins {
  readonly loaded: readonly LoadedPlugin[];
  /** For a fetcher's configuration. */
  readonly hooks: Pick<FetcherConfig, 'hooks'>;
  readonly settings: PluginSettings;
  /** Their consumers. */
  readonly processors: readonly Processor[];
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
  const hooks = loaded.map((one) => one.plugin);
  return {
    loaded,
    hooks: hooks.length === 0 ? {} : { hooks },
    settings,
    processors: chosenProcessors({ names: [], plugins: hooks, settings }),
  };
}

/**
 * The processors that run beside a crawl, in the order in which they drain: ours if they are named, plugins' always.
 * `isHere`: in its own process, so that a function of the user's own is loaded at once; otherwise where it runs, and not twice.
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
