/**
 * A processor, declared once: what it is called, what it reads, writes and keeps, what it can be told, and how it starts.
 *
 * From the declaration come its command, its place in `--with`, its settings (flag, file, environment), the rights it
 * needs on the brokers, its part of the graph, and the bound of memory its process is given. What it declares is also
 * what it can do: its log lets it read and append the topics named here alone (declared-log.ts).
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

/** A node of the graph. */
export interface Declaration {
  /** Of its command, its consumer group, its section in a configuration file, its rows in metrics. */
  readonly name: string;
  /** What it does to a crawl, beginning with a verb in the third person. */
  readonly does: string;
  readonly reads: readonly TopicName[];
  readonly writes: readonly TopicName[];
  /** One per partition, or one in all. */
  readonly stores: readonly string[];
}

export interface Processor<Options extends z.ZodObject = z.ZodObject> extends Declaration {
  /** Each key's `meta()` is an OptionMeta; its input is the text of a flag. */
  readonly options: Options;
  /** It sends requests to sites: it is told how to reach them, and who is responsible. */
  readonly contactsSites?: boolean;
  /** What it finds are links to go on with: a crawl ends only once it has dealt with all there is. */
  readonly findsLinks?: boolean;
  /** What fetchers must publish for it; in a crawl's own process they are told. */
  readonly needs?: 'responses' | 'outlinks';
  /** Memory outside the heap that its stores take, MiB. Absent: it has none. */
  readonly storeMb?: number;
  start(context: ProcessorContext, options: z.output<Options>): Promise<RunningProcessor>;
}

/** How an option looks to people. */
export interface OptionMeta {
  /** As in `--dedup-by <method>`. */
  readonly value: `<${string}>`;
  readonly about: string;
  /** Why it is what it is when nobody says otherwise. */
  readonly reason: string;
}

/** Lets TypeScript infer the options of a declaration; processors of different options stand in one list. */
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
  /** Read again what was read before. */
  readonly fromStart: boolean;
  /** Of one that contacts sites. */
  readonly reach: Pick<FetcherConfig, 'allowPrivate' | 'resolve' | 'ca' | 'insecureHosts'> & Omit<Identity, 'version'>;
  /** Of plugins, for one that reads pages itself. Absent: there are none. */
  readonly hooks?: FetcherConfig['hooks'];
  /** Hears how the consumer stands. */
  readonly service: Service;
  say(text: string): void;
}

export interface RunningProcessor {
  readonly name: string;
  /** Resolves when all that is there now is dealt with, and what was made of it can be used. */
  drain(): Promise<void>;
  /** Rejects with what stopped it. */
  readonly ended: Promise<void>;
  stats(): ConsumerStats;
  /** Finishes the batch under way and gives everything back. */
  stop(): Promise<void>;
}
