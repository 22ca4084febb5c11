/**
 * A cap on bytes received a second, over all hosts, since others may use the same line.
 *
 * Time is what is shared out: a response of so many bytes takes up the line for bytes ÷ rate, and the next request starts
 * when the line is free again. What a response will bring is not known when its request starts, so the mean of those so
 * far stands in for it, and the difference is made up for when it has come. Every fetcher of the group keeps to its own
 * share, the rate ÷ the number of fetchers. Bytes are those of bodies as they came over the wire, so that headers, TLS and
 * retransmissions come on top: some percent.
 */
import type { Clock } from '../../runtime/clock.ts';

export interface Bandwidth {
  /** Bytes a second of the whole group; null: as many as come. */
  setRate(bytesPerSecond: number | null): void;
  /** Waits for the line. Null: not by `latestStartMs`, or `signal` aborted. */
  take(latestStartMs: number, signal: AbortSignal): Promise<Passage | null> | Passage;
}

export interface Passage {
  /** The bytes that came. 0: none did. */
  received(bytes: number): void;
}

/** What an idle line saves up: a second's worth may come at once. */
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
