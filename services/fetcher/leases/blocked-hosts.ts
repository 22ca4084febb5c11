/**
 * Follows `control` to know which hosts are blocked or purged by an operator, or paused by their webmaster
 * (docs/design.md §4.4).
 *
 * The frontier grants no lease of a blocked host; this is for leases that were granted before. All partitions are read
 * from their beginning: a lease may be of any host, and a block may be older than this process. Memory: the hosts that
 * are blocked or slowed down. The same records contain hosts in trouble on several leases, ordered delays, and the
 * current policy.
 */
import type { Control } from '../../../schemas/types.ts';
import type { HostFacts } from '../../../topology/frontier/changes/changes.ts';
import { isOfWebmaster } from '../../../topology/frontier/decide/control-payloads.ts';
import { ownDelayAfter } from '../../../topology/frontier/decide/politeness.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { awaitSchema } from '../../runtime/avro/await-schema.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log, LogReader } from '../../runtime/log/log.ts';
import { pollOn } from '../../runtime/log/poll-on.ts';

export interface BlockedHosts {
  /** Resolves once all events that were on `control` when this began are known: no request is made before it. */
  readonly caughtUp: Promise<void>;
  /** True for every host while a record of `control` can't be read, since it may be a block. */
  has(hostKey: string): boolean;
  /** The delay between requests that an operator or its webmaster ordered for a host by now. */
  delayOf(hostKey: string): OwnDelay;
  stop(): Promise<void>;
}

/** `ownDelayIsLeast`: the policy's delay counts if it is longer. */
export type OwnDelay = Pick<HostFacts, 'ownDelayMs' | 'ownDelayIsLeast'>;
export const noOwnDelay: OwnDelay = { ownDelayMs: -1, ownDelayIsLeast: false };

export interface BlockedHostsOptions {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly crawl: string;
  readonly partitions: number;
  /** Leases of a host with lower numbers must return. */
  readonly onPause: (hostKey: string, belowLease: number) => void;
  /** Called with the newest policy when `caughtUp` resolves, and with each newer one after it. */
  readonly onPolicy: (policy: PolicyConfig, version: number, payload: string) => void;
  /** Called with each payment, in the order of partition 0. */
  readonly onPayment?: (event: Control) => void;
  /** Called with each reference to another signing key, in order. */
  readonly onSigningKey?: (key: string) => void;
  /** `control` cannot be read any more, so blocks are no longer known. */
  readonly onFailure: (error: unknown) => void;
}

const pollBytes = 256 * 1024;
/** New records and `wake` end a poll at once. */
const pollWaitMs = 10_000;

/** Throws an Error if the payload is unreadable. */
function signingKeyIn(payload: string): string {
  const { key } = JSON.parse(payload) as { readonly key?: unknown };
  if (typeof key !== 'string') throw new TypeError('no key');
  return key;
}

export function watchBlockedHosts(options: BlockedHostsOptions): BlockedHosts {
  return new FollowedBlocks(options);
}

/** Its public acts are fields, since callers hand out single ones: `blockedHosts.has`. */
class FollowedBlocks implements BlockedHosts {
  readonly #options: BlockedHostsOptions;
  readonly #log: Pick<Log, 'offsets' | 'reader'>;
  readonly #codec: RecordCodec;
  readonly #clock: Clock;
  readonly #topic: string;
  readonly #blocked = new Set<string>();
  /** Webmasters end these alone. */
  readonly #paused = new Set<string>();
  readonly #delays = new Map<string, OwnDelay>();
  readonly #reader: LogReader;
  readonly #reading: Promise<void>;
  readonly #stopping = new AbortController();
  #isDeaf = false;
  #newest = 0;
  /** Passes on the newest policy of those read so far. */
  #passPolicy = () => {};
  #isCaughtUp = false;
  #heard = () => {};
  readonly caughtUp = new Promise<void>((resolve) => (this.#heard = resolve));
  /** End of each partition when this began. */
  readonly #unheard = new Map<number, number>();

  constructor(options: BlockedHostsOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#codec = options.codec;
    this.#clock = options.clock;
    this.#topic = `${options.crawl}.control`;
    this.#reader = options.log.reader();
    this.#reading = this.#read().catch((error) => {
      if (!this.#stopping.signal.aborted) options.onFailure(error);
    });
  }

  #slow(event: Control) {
    const { hostKey } = event;
    const ownDelay = ownDelayAfter(this.#delays.get(hostKey) ?? noOwnDelay, event);
    if (ownDelay !== null && ownDelay.ownDelayMs < 0) this.#delays.delete(hostKey);
    else if (ownDelay !== null) this.#delays.set(hostKey, ownDelay);
  }

  async #take(value: Buffer, partition: number) {
    const onWait = () => {
      this.#isDeaf = true;
    };
    if (
      !(await awaitSchema('control', value, {
        codec: this.#codec,
        clock: this.#clock,
        signal: this.#stopping.signal,
        onWait,
      }))
    )
      return;
    this.#isDeaf = false;
    try {
      const event = this.#codec.decode('control', value);
      const { kind, hostKey, version, payload } = event;
      if (kind === 'payment' && partition === 0) this.#options.onPayment?.(event);
      if (kind === 'signingKey' && partition === 0) this.#options.onSigningKey?.(signingKeyIn(payload));
      const isTheirs = isOfWebmaster(payload);
      if (kind === 'purge' && payload === '') this.#blocked.add(hostKey);
      if (kind === 'blockHost') (isTheirs ? this.#paused : this.#blocked).add(hostKey);
      if (kind === 'releaseHost') this.#paused.delete(hostKey);
      if (kind === 'releaseHost' && !isTheirs) this.#blocked.delete(hostKey);
      if (kind === 'hostDelay') this.#slow(event);
      if (kind === 'pauseHost') this.#options.onPause(hostKey, version);
      // Each policy is there once for every partition.
      if (kind === 'policy' && version > this.#newest) {
        this.#newest = version;
        const policy = parsePolicy(payload);
        this.#passPolicy = () => this.#options.onPolicy(policy, version, payload);
        if (this.#isCaughtUp) this.#passPolicy();
      }
    } catch {
      // The frontier turns unreadable records into dead letters.
    }
  }

  async #read() {
    for (let partition = 0; partition < this.#options.partitions && !this.#stopping.signal.aborted; partition++) {
      const { start, end } = await this.#log.offsets(this.#topic, partition);
      this.#reader.seek(this.#topic, partition, start);
      if (end > start) this.#unheard.set(partition, end);
    }
    while (!this.#stopping.signal.aborted) {
      if (this.#unheard.size === 0 && !this.#isCaughtUp) {
        this.#isCaughtUp = true;
        this.#passPolicy();
        this.#heard();
      }
      for (const { partition, offset, value } of await pollOn(this.#reader, {
        maxBytes: pollBytes,
        waitMs: pollWaitMs,
      })) {
        await this.#take(value, partition);
        if (offset + 1 >= (this.#unheard.get(partition) ?? Number.POSITIVE_INFINITY)) this.#unheard.delete(partition);
      }
    }
  }

  readonly has: BlockedHosts['has'] = (hostKey) =>
    this.#isDeaf || this.#blocked.has(hostKey) || this.#paused.has(hostKey);
  readonly delayOf: BlockedHosts['delayOf'] = (hostKey) => this.#delays.get(hostKey) ?? noOwnDelay;
  readonly stop: BlockedHosts['stop'] = async () => {
    this.#stopping.abort();
    this.#reader.wake();
    await this.#reading;
    await this.#reader.close();
  };
}
