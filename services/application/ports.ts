/** The topology's environment: the log, the clock, and the crawl. */
import type { FetcherOptions } from '../fetcher/fetcher-options.ts';
import type { RecordCodec } from '../runtime/avro/record-codec.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Manifest } from '../runtime/data-folder/manifest.ts';
import type { Log } from '../runtime/log/log.ts';
import type { Edge } from './processor/declared-log.ts';

export interface Ports {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  /** Prefix of the topics, number of partitions, and the key that assigns a host to its partition. */
  readonly manifest: Pick<Manifest, 'crawl' | 'partitions' | 'keyMode'>;
  /** Called with each topic that a processor reads or appends to. */
  readonly onEdge?: ((edge: Edge) => void) | undefined;
}

export type TaskPositions = FetcherOptions['positions'];
