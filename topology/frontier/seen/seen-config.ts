/**
 * Resources of one partition's seen test, and the counts that follow from them.
 *
 * `exact`: no page is missed. Up to `tableMax` URLs are held in memory; beyond, most are on disk, and some links wait
 * for a pass over them. `bloom`: 1–2 bytes a URL and no disk reads. But once `bloomUrls` are known, a new URL is
 * taken for seen with a probability of up to `bloomErrors`, and its page is then never crawled. The tally
 * `seenErrors` is the measured number of such pages.
 *
 * Verdicts are in the changelog, so this is configuration of a process, not of the crawl: either kind, with any size,
 * reads the rows of the other, and a crawl may change them at each start. Sizes are derived from configured counts,
 * never from measurements.
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
