/**
 * A processor, declared once: its name, its topics and stores, its options, and how it starts.
 *
 * From the declaration follow its command, its place in `--with`, its settings (flag, file, environment), its rights
 * on the brokers, its part of the graph, and the memory bound of its process. It can do only what it declares: its
 * log lets it read and append only the topics named here (declared-log.ts).
 */
import type { z } from 'zod';
import type { TopicName } from '../../../topology/topics.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import type { Identity } from '../../fetcher/http/identity.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ConsumerStats } from '../../runtime/consumer/consumer.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import type { Holding, holdsNothing } from './holding.ts';

/** A node of the graph. */
export interface Declaration {
  /** Name of its command, consumer group, section in a configuration file, and rows in metrics. */
  readonly name: string;
  /** Description of the processor, beginning with a verb in the third person. */
  readonly does: string;
  readonly reads: readonly TopicName[];
  readonly writes: readonly TopicName[];
  /** Stores: one per partition, or one in all. */
  readonly stores: readonly string[];
}

export interface Processor<Options extends z.ZodObject = z.ZodObject> extends Declaration {
  /** The `meta()` of each key is an OptionMeta; its input is the text of a flag. */
  readonly options: Options;
  /** True: it sends requests to sites, so it has the options for reaching them and for the contact. */
  readonly contactsSites?: boolean;
  /** True: it finds links for the crawl, so the crawl ends only once it has handled all records. */
  readonly findsLinks?: boolean;
  /** Data that fetchers must publish for it; in a crawl's own process they do so without an option. */
  readonly needs?: 'responses' | 'outlinks' | 'mainText';
  /** Copies of pages that it keeps. Absent: unknown, and each receipt of `forget` says so. */
  readonly holds?: Holding | typeof holdsNothing;
  /** Memory outside the heap that its stores take, MiB. Absent: it has none. */
  readonly storeMb?: number;
  start(context: ProcessorContext, options: z.output<Options>): Promise<RunningProcessor>;
}

/** How an option is shown to people. */
export interface OptionMeta {
  /** Placeholder of the value, as in `--dedup-by <method>`. */
  readonly value: `<${string}>`;
  readonly about: string;
  /** Reason for its default. */
  readonly reason: string;
}

/** Lets TypeScript infer the options of a declaration, while processors with different options are in one list. */
export function declareProcessor<Options extends z.ZodObject>(processor: Processor<Options>): Processor {
  return processor as unknown as Processor;
}

export interface ProcessorContext {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly manifest: Manifest;
  /** Folder of a part's own files. */
  part(name: string): string;
  /** Is the log shared by other processes, so that groups have members elsewhere? */
  readonly shared: boolean;
  /** Read all records again from the start. */
  readonly fromStart: boolean;
  /** Fetching options, for a processor that contacts sites. */
  readonly reach: Pick<FetcherConfig, 'allowPrivate' | 'resolve' | 'ca' | 'insecureHosts' | 'archive' | 'requests'> &
    Omit<Identity, 'version'>;
  /** Hooks of plugins, for a processor that reads pages itself. Absent: none. */
  readonly hooks?: FetcherConfig['hooks'];
  /** As in a fetcher's configuration, for the same processors. */
  readonly onPolicy?: FetcherConfig['onPolicy'];
  /** Receives the status of the consumer. */
  readonly service: Service;
  say(text: string): void;
}

export interface RunningProcessor {
  readonly name: string;
  /** Resolves when all present records are handled, and the result can be used. */
  drain(): Promise<void>;
  /** Rejects with the error that stopped it. */
  readonly ended: Promise<void>;
  stats(): ConsumerStats;
  /** Finishes the batch under way and releases everything. */
  stop(): Promise<void>;
}
