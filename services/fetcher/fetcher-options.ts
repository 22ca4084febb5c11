/** Options of a fetcher. */
import type { Task } from '../../schemas/types.ts';
import type { KeyMode } from '../../topology/url/host-key.ts';
import type { Normalizer } from '../../topology/url/normalize.ts';
import type { RecordCodec } from '../runtime/avro/record-codec.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log/log.ts';
import type { SpanSink } from '../runtime/tracing/spans.ts';
import type { DnsLookup } from './connect/dns-lookup.ts';
import type { FetcherConfig } from './fetcher-config.ts';
import type { AgreedIdentities } from './http/agreed-identity.ts';
import type { HttpClient, HttpClientOptions } from './http/client.ts';
import type { AddressPacer } from './pace/address-pacer.ts';
import type { Bandwidth } from './pace/bandwidth.ts';
import type { GrantClock } from './pace/grant-clock.ts';
import type { ExtractorOptions } from './pages/extract.ts';
import type { RobotsCache } from './robots/cache.ts';
import type { FetcherPace } from './robots/shared-robots.ts';

export interface FetcherOptions {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly config: FetcherConfig;
  /** Prefix of the topics, and the namespace of the group. */
  readonly crawl: string;
  /** Partitions of every topic. */
  readonly partitions: number;
  readonly keyMode: KeyMode;
  readonly fetcherId: string;
  /** Normaliser of the policy in force. */
  readonly normalize: Normalizer;
  /** Group with the committed positions. null: no other fetcher may get its tasks, so none are committed. */
  readonly group: string | null;
  /** Positions from which to read `tasks`. More may follow by `assign`. */
  readonly positions: readonly { readonly partition: number; readonly offset: number }[];
  readonly dnsLookup?: DnsLookup;
  /** Limits shared with other fetchers directly. Absent: the fetcher has its share of the group's limits. */
  readonly addressPacer?: AddressPacer;
  readonly bandwidth?: Bandwidth;
  /** Pacing shared with fetchers of other crawls (pace/fleet-pace.ts). Absent: no other crawl uses its hosts. */
  readonly crawlPace?: FetcherPace;
  /** Options for parsing pages. Absent: the limits of a fetcher. */
  readonly extractor?: ExtractorOptions;
  /** Makes the HTTP client. Absent: the real one. */
  readonly openHttp?: (options: HttpClientOptions) => HttpClient;
  /** Watch the network although `openHttp` replaces HTTP. Absent: a replacement counts as always connected. */
  readonly watchesNetwork?: boolean;
  /** Draws the key of the link cache, below `max`. Absent: the machine's generator. */
  readonly randomInt?: (max: number) => number;
  /** Receives spans of traced URLs. Absent: they are dropped. */
  readonly onSpan?: SpanSink | undefined;
  /**
   * Continues a robots.txt redirect that came from another host (RobotsCache). Absent: this fetcher keeps the answer.
   */
  readonly hop?: RobotsCache['hop'] | undefined;
  /**
   * Called with the number of a partition's leases that take no place, since they wait for the names of their hosts: as many more may
   * be granted. Absent: each lease takes a place, and those beyond the line come back.
   */
  readonly onAside?: ((partition: number, leases: number) => void) | undefined;
  /** Called once all reports of a lease are durable. */
  readonly onReported?: ((task: Task) => void) | undefined;
  /** The log failed: the fetcher has stopped taking leases, and must be stopped. */
  readonly onFailure: (error: unknown) => void;
}

/** A running fetcher, as its parts see it. */
export interface Running {
  readonly options: FetcherOptions;
  /** Never behind the latest grant. */
  readonly clock: GrantClock;
  /** Names of the crawler that hosts have agreed to. */
  readonly agreed: AgreedIdentities;
  /** Aborted: nothing new starts. */
  readonly signal: AbortSignal;
  /** The log failed. */
  fail(error: unknown): void;
}
