/**
 * Checks the starts of one fetcher's requests on one address: they must be as far apart as the fetcher said it kept
 * them, whatever their hosts.
 *
 * Every fetcher of a group keeps its share of the limit (the interval times their number), so that together they keep
 * the limit; each share is held against the starts of its own fetcher. A millisecond is tolerated, since both starts
 * are cut to whole milliseconds. Starts come nearly in order; one that comes late is compared with those of the last
 * `keptMs`.
 */

export interface AddressStart {
  readonly startMs: number;
  /** The wait that the fetcher kept, ms; 0: there was no limit. */
  readonly delayMs: number;
}

export interface TooDense<T> {
  readonly start: T;
  readonly gapMs: number;
}

export interface AddressContacts<T extends AddressStart> {
  /** Violations that this start shows: starts that follow another too soon. */
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
      // A start that came too soon after its last predecessor was reported already.
      if (between(before, after).length === 0) found.push(...between(start, after));
      window.splice(at, 0, start);
      while (window[0]!.startMs < window.at(-1)!.startMs - keptMs) window.shift();
      return found;
    },
  };
}
