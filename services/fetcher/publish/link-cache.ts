/**
 * Remembers recently published links: duplicates are cheapest to drop before they are published (docs/design.md §3).
 *
 * Keys are the source's partition key and the target URL, so that each source still counts once as a voter. A link is
 * remembered with its depth and only after its ack: a forgotten link costs a duplicate, but a remembered link without
 * an ack would be lost. A link at a smaller depth passes; refresh and force links are not looked up.
 *
 * Four-way set-associative over typed arrays, 9 B an entry, replaced round robin. Fingerprints of 64 bits, keyed by a
 * random number of the process: a false hit has odds of about 2·10⁻¹⁹ per lookup and way.
 */
import { randomInt } from 'node:crypto';
import { fingerprint } from '../../../topology/url/fingerprint.ts';

export interface LinkSource {
  readonly keyHi: number;
  readonly keyLo: number;
}

export interface LinkCache {
  source(partitionKey: string): LinkSource;
  /** True if the link should be published; its fingerprint is then added to `pending`. */
  isNews(source: LinkSource, url: string, depth: number, pending: number[]): boolean;
  /** Remembers what `isNews` added, once it is acked. */
  remember(pending: readonly number[]): void;
}

const ways = 4;
/** Deeper links share this depth, which no useful crawl reaches. */
const depthMax = 254;

/** `entries`: rounded up to a power of two; at least 4. */
export function createLinkCache(entries: number, random: (max: number) => number = randomInt): LinkCache {
  const sets = 2 ** Math.max(0, Math.ceil(Math.log2(entries / ways)));
  const high = new Uint32Array(sets * ways);
  const low = new Uint32Array(sets * ways);
  /** Depth plus one; 0: free. */
  const depths = new Uint8Array(sets * ways);
  const hash = new Uint32Array(2);
  const seedHi = random(2 ** 32);
  const seedLo = random(2 ** 32);
  let turn = 0;

  const find = (hi: number, lo: number): number => {
    const first = (lo & (sets - 1)) * ways;
    for (let at = first; at < first + ways; at++) {
      if (depths[at] !== 0 && low[at] === lo && high[at] === hi) return at;
    }
    return -1;
  };

  return {
    source(partitionKey) {
      fingerprint(partitionKey, seedHi, seedLo, hash);
      return { keyHi: hash[0]!, keyLo: hash[1]! };
    },
    isNews(source, url, depth, pending) {
      fingerprint(url, source.keyHi, source.keyLo, hash);
      const hi = hash[0]!;
      const lo = hash[1]!;
      const stored = Math.min(depth, depthMax) + 1;
      const at = find(hi, lo);
      if (at !== -1 && depths[at]! <= stored) return false;
      pending.push(hi, lo, stored);
      return true;
    },
    remember(pending) {
      for (let i = 0; i + 2 < pending.length; i += 3) {
        const hi = pending[i]!;
        const lo = pending[i + 1]!;
        const stored = pending[i + 2]!;
        const known = find(hi, lo);
        const at = known === -1 ? (lo & (sets - 1)) * ways + freeWay(depths, (lo & (sets - 1)) * ways, turn++) : known;
        high[at] = hi;
        low[at] = lo;
        depths[at] = known === -1 ? stored : Math.min(stored, depths[at]!);
      }
    },
  };
}

function freeWay(depths: Uint8Array, first: number, turn: number): number {
  for (let way = 0; way < ways; way++) if (depths[first + way] === 0) return way;
  return turn % ways;
}
