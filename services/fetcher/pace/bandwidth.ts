/**
 * A limit on received bytes a second, over all hosts, since others may use the same line.
 *
 * It shares time: a response occupies the line for bytes ÷ rate, and the next request starts when the line is free. The
 * size of a response is unknown when its request starts. So the mean of earlier responses is assumed, and the
 * difference is corrected when the response has arrived. Every fetcher of the group keeps to its share, the rate ÷ the
 * number of fetchers. Bytes are those of bodies on the wire; headers, TLS and retransmissions add some percent.
 */
import type { Clock } from '../../runtime/clock.ts';

export interface Bandwidth {
  /** Bytes a second of the whole group; null: no limit. */
  setRate(bytesPerSecond: number | null): void;
  /** Waits for the line. Null: not by `latestStartMs`, or `signal` aborted. */
  take(latestStartMs: number, signal: AbortSignal): Promise<Passage | null> | Passage;
}

export interface Passage {
  /** The bytes that came. 0: none did. */
  received(bytes: number): void;
}

/** Credit of an idle line: a second's worth may arrive at once. */
const burstMs = 1_000;
/** Weight of the newest response in the mean. */
const newestShare = 0.05;
/** Expected size of the first response: a page of the web's usual size, compressed. */
const firstBytes = 15_000;

const free: Passage = { received: () => {} };

export function createBandwidth(clock: Clock, groupSize: () => number): Bandwidth {
  let rate: number | null = null;
  let freeAtMs = 0;
  let meanBytes = firstBytes;

  const msOf = (bytes: number) => (rate === null ? 0 : (1000 * bytes * groupSize()) / rate);

  return {
    setRate(bytesPerSecond) {
      rate = bytesPerSecond;
      freeAtMs = 0;
    },
    take(latestStartMs, signal) {
      if (rate === null) return free;
      const nowMs = clock.nowMs();
      const startMs = Math.max(freeAtMs, nowMs - burstMs);
      if (startMs > latestStartMs) return Promise.resolve(null);
      const takenBytes = meanBytes;
      freeAtMs = startMs + msOf(takenBytes);
      const passage: Passage = {
        received(bytes) {
          freeAtMs += msOf(bytes - takenBytes);
          if (bytes > 0) meanBytes += newestShare * (bytes - meanBytes);
        },
      };
      if (startMs <= nowMs) return passage;
      return clock.sleepUntil(startMs, signal).then(() => {
        if (!signal.aborted) return passage;
        passage.received(0);
        return null;
      });
    },
  };
}
