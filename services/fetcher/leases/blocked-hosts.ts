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
import type { Log } from '../../runtime/log/log.ts';
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
  /** Called with each policy that is newer than those before. */
  readonly onPolicy: (policy: PolicyConfig, version: number, payload: string) => void;
  /** Called with each payment, in the order of partition 0. */
  readonly onPayment?: (event: Control) => void;
  /** Called with each reference to another signing key, in order. */
  readonly onSigningKey?: (key: string) => void;
  /** `control` cannot be read any more, so blocks are no longer known. */
  readonly onFailure: (error: unknown) => void;
}

const pollBytes = 256 * 1024;
const pollWaitMs = 1_000;

/** Throws an Error if the payload is unreadable. */
function signingKeyIn(payload: string): string {
  const { key } = JSON.parse(payload) as { readonly key?: unknown };
  if (typeof key !== 'string') throw new TypeError('no key');
  return key;
}

export function watchBlockedHosts(options: BlockedHostsOptions): BlockedHosts {
  const { log, codec, clock, crawl, partitions, onFailure } = options;
  const topic = `${crawl}.control`;
  const blocked = new Set<string>();
  /** Webmasters end these alone. */
  const paused = new Set<string>();
  const delays = new Map<string, OwnDelay>();
  const reader = log.reader();
  const stopping = new AbortController();
  let isDeaf = false;
  let newest = 0;
  let heard = () => {};
  const caughtUp = new Promise<void>((resolve) => (heard = resolve));
  /** End of each partition when this began. */
  const unheard = new Map<number, number>();

  const slow = (event: Control) => {
    const { hostKey } = event;
    const ownDelay = ownDelayAfter(delays.get(hostKey) ?? noOwnDelay, event);
    if (ownDelay !== null && ownDelay.ownDelayMs < 0) delays.delete(hostKey);
    else if (ownDelay !== null) delays.set(hostKey, ownDelay);
  };

  const take = async (value: Buffer, partition: number) => {
    const onWait = () => {
      isDeaf = true;
    };
    if (!(await awaitSchema('control', value, { codec, clock, signal: stopping.signal, onWait }))) return;
    isDeaf = false;
    try {
      const event = codec.decode('control', value);
      const { kind, hostKey, version, payload } = event;
      if (kind === 'payment' && partition === 0) options.onPayment?.(event);
      if (kind === 'signingKey' && partition === 0) options.onSigningKey?.(signingKeyIn(payload));
      const isTheirs = isOfWebmaster(payload);
      if (kind === 'purge' && payload === '') blocked.add(hostKey);
      if (kind === 'blockHost') (isTheirs ? paused : blocked).add(hostKey);
      if (kind === 'releaseHost') paused.delete(hostKey);
      if (kind === 'releaseHost' && !isTheirs) blocked.delete(hostKey);
      if (kind === 'hostDelay') slow(event);
      if (kind === 'pauseHost') options.onPause(hostKey, version);
      // Each policy is there once for every partition.
      if (kind === 'policy' && version > newest) {
        newest = version;
        options.onPolicy(parsePolicy(payload), version, payload);
      }
    } catch {
      // The frontier turns unreadable records into dead letters.
    }
  };

  const read = async () => {
    for (let partition = 0; partition < partitions && !stopping.signal.aborted; partition++) {
      const { start, end } = await log.offsets(topic, partition);
      reader.seek(topic, partition, start);
      if (end > start) unheard.set(partition, end);
    }
    while (!stopping.signal.aborted) {
      if (unheard.size === 0) heard();
      for (const { partition, offset, value } of await pollOn(reader, {
        maxBytes: pollBytes,
        waitMs: pollWaitMs,
      })) {
        await take(value, partition);
        if (offset + 1 >= (unheard.get(partition) ?? Number.POSITIVE_INFINITY)) unheard.delete(partition);
      }
    }
  };
  const reading = read().catch((error) => {
    if (!stopping.signal.aborted) onFailure(error);
  });

  return {
    caughtUp,
    has: (hostKey) => isDeaf || blocked.has(hostKey) || paused.has(hostKey),
    delayOf: (hostKey) => delays.get(hostKey) ?? noOwnDelay,
    async stop() {
      stopping.abort();
      reader.wake();
      await reading;
      await reader.close();
    },
  };
}
