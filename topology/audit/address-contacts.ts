/**
 * Starts of one fetcher on one address: apart by what the fetcher said it kept, whatever the hosts.
 *
 * Every fetcher of a group keeps its share of the limit (the interval times their number), so that together they keep
 * the limit; each share is held against the starts of its own fetcher. A millisecond is forgiven: two starts are each
 * cut to whole ones. Starts come nearly in order; those of the last `keptMs` meet whoever comes late.
 */

export interface AddressStart {
  readonly startMs: number;
  /** Wait that was kept, ms; 0: there was no limit. */
  readonly delayMs: number;
}

export interface TooDense<T> {
  readonly start: T;
  readonly gapMs: number;
}

export interface AddressContacts<T extends AddressStart> {
  /** Starts that follow another too soon, by this one. */
  add(start: T): TooDense<T>[];
  readonly lastMs: number;
}

const keptMs = 120_000;
const resolutionMs = 1;

export function createAddressContacts<T extends AddressStart>(): AddressContacts<T> {
  /** By time. */
  const window: T[] = [];
  const between = (before: T | undefined, start: T | undefined): TooDense<T>[] => {
    if (before === undefined || start === undefined) return [];
    const gapMs = start.startMs - before.startMs;
    return gapMs + resolutionMs < start.delayMs ? [{ start, gapMs }] : [];
  };
  return {
    get lastMs() {
      return window.at(-1)?.startMs ?? 0;
    },
    add(start) {
      const at = window.findLastIndex(({ startMs }) => startMs <= start.startMs) + 1;
      const before = window[at - 1];
      const after = window[at];
      const found = between(before, start);
      // One that was too soon for its last predecessor has been told of.
      if (between(before, after).length === 0) found.push(...between(start, after));
      window.splice(at, 0, start);
      while (window[0]!.startMs < window.at(-1)!.startMs - keptMs) window.shift();
      return found;
    },
  };
}
