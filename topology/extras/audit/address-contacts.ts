/**
 * Checks the request starts of one fetcher at one address: they must be as far apart as the fetcher reported, over all
 * its hosts.
 *
 * Every fetcher of a group keeps its share of the limit (the interval times the number of fetchers), so that together
 * they keep the limit; each share is checked against the starts of its fetcher. A millisecond is tolerated, since both
 * starts are cut to whole milliseconds. Starts come nearly in order; a late one is compared with those of the last
 * `keptMs`.
 */

export interface AddressStart {
  readonly startMs: number;
  /** The fetcher's wait, ms; 0: no limit. */
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
