/**
 * While nobody fetches for hours, next to nothing is granted (what is granted then is for nobody, and holds its host up when
 * a fetcher comes), and no URL is given up on for leases that nobody had taken.
 */
import type { RecordCodec } from '../../services/runtime/avro/record-codec.ts';
import type { LogRecord } from '../../services/runtime/log/log.ts';
import type { Scheduler } from './scheduler.ts';
import type { Standby } from './standby.ts';

/** Frontiers hear of it a session later; one that was frozen then, when it wakes. */
const hearMs = 90_000;
/** By then all leases of a URL alone are over that fetchers had taken. */
const overMs = 60_000;
/** A few windows, of owners one after another. */
const grantsMax = 64;

export interface Fetcherless {
  /** All fetchers are gone until then. */
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
  /** By partition: the next lease's number when this began. */
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
