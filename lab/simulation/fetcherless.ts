/**
 * While there are no fetchers for hours, next to nothing is granted (such a lease delays its host when a fetcher
 * returns), and no URL is given up because of leases that no fetcher had taken.
 */
import type { RecordCodec } from '../../services/runtime/avro/record-codec.ts';
import type { LogRecord } from '../../services/runtime/log/log.ts';
import type { Scheduler } from './scheduler.ts';
import type { Standby } from './standby.ts';

/** Frontiers notice a session later; one that was frozen then, when it wakes. */
const hearMs = 90_000;
/** By then all leases of a single URL that fetchers had taken are over. */
const overMs = 60_000;
/** A few windows, of successive owners. */
const grantsMax = 64;

export interface Fetcherless {
  /** No fetcher runs until then. */
  begin(untilMs: number): void;
  /** After the standby has seen it. */
  see(record: LogRecord, standby: Standby): void;
}

export function watchFetcherless(
  scheduler: Scheduler,
  codec: RecordCodec,
  violate: (what: string) => void,
): Fetcherless {
  let [fromMs, untilMs] = [0, 0];
  /** By partition: the next lease's number at the beginning. */
  let before = new Map<number, number>();

  return {
    begin(toMs) {
      [fromMs, untilMs] = [scheduler.nowMs() + hearMs, toMs];
      before = new Map();
    },
    see({ topic, partition, value }, { states }) {
      const nowMs = scheduler.nowMs();
      if (nowMs < fromMs || nowMs >= untilMs) return;
      if (topic.endsWith('.dead-letters') && nowMs > fromMs + overMs) {
        const { reason, url } = codec.decode('dead-letters', value);
        if (reason === 'leaseExpired') violate(`${url} was given up on (${reason}) while there was no fetcher`);
      }
      if (!topic.endsWith('.frontier-changelog')) return;
      const { leases } = states[partition]!;
      if (!before.has(partition)) before.set(partition, leases.nextId);
      const granted = leases.nextId - before.get(partition)!;
      if (granted > grantsMax) violate(`partition ${partition} granted ${granted} leases while there was no fetcher`);
    },
  };
}
