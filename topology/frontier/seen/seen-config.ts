/**
 * What one partition's seen test may use, and the counts that follow from it.
 *
 * `exact`: no page is missed. Up to `tableMax` URLs are held in memory; beyond, most are on disk and a part of the links
 * waits for a pass over them. `bloom`: 1–2 bytes a URL and never a look at the disk, but a URL that is new is taken for
 * seen with odds of up to `bloomErrors` once `bloomUrls` are known, and its page is then never crawled. The measured
 * number of such pages is the tally `seenErrors`.
 *
 * Verdicts are in the changelog, so this is configuration of a process, not of the crawl: either kind, and any size,
 * reads what the other wrote, and a crawl may change them at each start. Sizes are counts derived from what is
 * configured, never from what was measured.
 */

import { bloomBytes } from './blocked-bloom.ts';
import { seenLimits } from './seen-limits.ts';

export interface SeenConfig {
  readonly kind: 'exact' | 'bloom';
  /** exact: memory of one partition's seen test. */
  readonly memoryBytes: number;
  /** bloom: URLs it is sized for, and the share of false positives then. */
  readonly bloomUrls: number;
  readonly bloomErrors: number;
}

export const defaultSeen: SeenConfig = { kind: 'exact', ...seenLimits };

export interface SeenCounts {
  /** Fingerprints in memory before the first run is written. */
  readonly tableMax: number;
  /** Fingerprints in memory between later runs. */
  readonly recentMax: number;
  readonly bloomBytes: number;
  readonly cacheBytes: number;
  /** Fingerprints looked up in the runs together. */
  readonly questionsMax: number;
  /** Links held until the lookup before them is done. */
  readonly linksMax: number;
}

/**
 * Shares of the memory. At the moment the first run is written there are the full table (16 B a fingerprint), a second
 * one that fills, and the filter, all at once; later two small tables and the filter.
 *
 *   5/16 the first table · 6/16 filter · 2/16 the table that fills · 1/32 cache · the rest links and questions
 *
 * At 256 MB: 5 M URLs exactly, then a filter of 16 bits each at 50 M, runs of 2 M, questions of 131,072.
 */
export function countsOf(config: SeenConfig): SeenCounts {
  const { memoryBytes } = config;
  if (config.kind === 'bloom') {
    const endless = Number.POSITIVE_INFINITY;
    return {
      tableMax: endless,
      recentMax: endless,
      bloomBytes: bloomBytes(config.bloomUrls, config.bloomErrors),
      cacheBytes: 0,
      questionsMax: 0,
      linksMax: 0,
    };
  }
  const questionsMax = Math.ceil(memoryBytes / 2048);
  return {
    tableMax: Math.ceil((memoryBytes * 5) / 16 / 16),
    recentMax: Math.ceil(memoryBytes / 8 / 16),
    bloomBytes: (memoryBytes * 6) / 16,
    cacheBytes: Math.min(seenLimits.cacheBytesMax, memoryBytes / 32),
    questionsMax,
    linksMax: Math.ceil(1.5 * questionsMax),
  };
}
