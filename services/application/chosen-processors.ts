/**
 * Selects the processors that run beside a crawl, in the order in which they drain, in the same way wherever they
 * run.
 */
import { handlerProcessor, type PageHandler } from './page-handler.ts';
import type { Plugin } from './plugin/plugin.ts';
import { type PluginSettings, pluginProcessor } from './plugin/plugin-processor.ts';
import type { Processor } from './processor/processor.ts';
import { consumers, processors } from './topology.ts';

/** Names that no plugin's processor may have. */
export const takenNames: readonly string[] = [...processors.map(({ name }) => name), 'handler'];

export interface ProcessorChoice {
  /** Names of built-in processors. */
  readonly names: readonly string[];
  /** Plugins; all their consumers run. */
  readonly plugins: readonly Plugin[];
  readonly settings: PluginSettings;
  /** Loads the user's own function. Absent: none was given. */
  readonly handler?: (() => Promise<PageHandler>) | undefined;
}

/** Throws INVALID_ARGUMENT: an option that a plugin's consumer does not have, or has to be given. */
export function chosenProcessors({ names, plugins, settings, handler }: ProcessorChoice): Processor[] {
  return [
    ...consumers.filter(({ name }) => names.includes(name)),
    ...plugins.flatMap((plugin) => (plugin.processors ?? []).map((one) => pluginProcessor(one, settings, plugin))),
    ...(handler === undefined ? [] : [handlerProcessor(handler)]),
  ];
}
