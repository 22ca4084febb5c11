/** The consumers beside a crawl in a data folder: in its own process, or, beside fetch workers, in a separate one. */
import { recordPlugins } from '../../application/plugin/record-plugins.ts';
import type { Processor } from '../../application/processor/processor.ts';
import { type OptionValues, type RunningProcessors, startProcessors } from '../../application/start-processors.ts';
import { fetcher } from '../../application/topology.ts';
import { startConsumerWorker } from '../../application/workers/start-consumer-worker.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import type { WholeLog } from '../connect/folder-log.ts';
import type { FetcherFlags } from '../options/fetching.ts';
import type { OpenPlugins, PluginFlags } from '../options/plugins.ts';
import { type ProcessorFlags, reachOf } from '../options/processors.ts';

export interface AttachedConsumers {
  readonly folder: DataFolder;
  readonly clock: Clock;
  /** In the order in which they drain. */
  readonly beside: readonly Processor[];
  readonly flags: ProcessorFlags & PluginFlags & Partial<FetcherFlags>;
  readonly plugins: OpenPlugins;
  /** Processes that fetch. */
  readonly workers: number;
  readonly service: Service;
  say(text: string): void;
  /** Called once the output of a consumer has no reader any more. */
  onReaderGone(): void;
}

export function areApart({ beside, workers }: Pick<AttachedConsumers, 'beside' | 'workers'>): boolean {
  return workers > 1 && beside.length > 0;
}

export async function attachConsumers(
  attached: AttachedConsumers,
  { log, codec, registry }: WholeLog,
): Promise<RunningProcessors> {
  const { folder, clock, beside, flags, plugins, workers, service, say, onReaderGone } = attached;
  const { manifest, part } = folder;
  await recordPlugins({ log, codec, clock, manifest }, fetcher, plugins.loaded, 'crawlstream crawl');
  const reach = reachOf(flags);
  if (!areApart(attached)) {
    const run = { shared: false, fromStart: false, reach, service, say };
    return startProcessors({ log, codec, clock, manifest, part, ...run, ...plugins.hooks }, beside, flags);
  }
  const { with: names = [], plugin = [], handler } = flags;
  return startConsumerWorker({
    ...{ log, registry: registry!, clock, service, say, onReaderGone, processes: workers + 1 },
    orders: {
      ...{ manifest, folder: folder.path, names, plugins: plugin, settings: plugins.settings, handler, reach },
      options: optionsOf(beside, flags),
    },
  });
}

/** Returns the options of the given processors among all options of the command. */
function optionsOf(beside: readonly Processor[], flags: OptionValues): OptionValues {
  const keys = beside.flatMap(({ options }) => Object.keys(options.shape));
  return Object.fromEntries(keys.filter((key) => flags[key] !== undefined).map((key) => [key, flags[key]]));
}
