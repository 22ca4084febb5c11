/** Messages between a crawl's process and the process of its consumers, beside the calls of the log. */
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Position } from '../../runtime/log/log.ts';
import type { PluginSettings } from '../plugin/plugin-processor.ts';
import type { ProcessorContext } from '../processor/processor.ts';
import type { OptionValues } from '../start-processors.ts';
import type { WorkerMetrics } from './successive-metrics.ts';

/** Given to the process as its first order, by the call `begin`. */
export interface ConsumerOrders {
  readonly manifest: Manifest;
  /** The data folder, as the crawl's process names it. */
  readonly folder: string;
  /** Of our consumers. */
  readonly names: readonly string[];
  readonly options: OptionValues;
  /** Paths of plugins, absolute: they are loaded again. */
  readonly plugins: readonly string[];
  readonly settings: PluginSettings;
  /** Path of the user's own function, absolute. */
  readonly handler?: string | undefined;
  readonly reach: ProcessorContext['reach'];
  /** Time of the crawl, which may be ahead of the machine's. ms since the Unix epoch */
  readonly nowMs: number;
}

/** The answer to `begin`: folders of their files, by store. */
export type ConsumerDisks = readonly (readonly [store: string, folder: string])[];

/** Status of the consumers. */
export interface ConsumerStatus {
  readonly metrics: WorkerMetrics;
  /** Positions, by group. */
  readonly positions: readonly (readonly [group: string, positions: readonly Position[]])[];
}
