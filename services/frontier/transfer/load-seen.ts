/**
 * Makes another crawler's seen URLs known to a crawl that never admitted them. They are not fetched, and links to
 * them count as duplicates.
 *
 * Known URLs are not changed, so a list may be loaded twice, and an interrupted load is simply run again.
 */

import { sumCounters } from '../../../topology/frontier/changes/counters.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { LoadOptions } from './load-crawl.ts';

export interface SeenTotals {
  readonly urls: number;
  /** URLs that were not known before. */
  readonly imported: number;
  /** Lines that are no http or https URL. */
  readonly invalid: number;
  /** The first invalid line; empty: none. */
  readonly firstInvalid: string;
}

export async function loadSeen(options: Omit<LoadOptions, 'head'>): Promise<SeenTotals> {
  const { loaders, manifest, clock, lines } = options;
  const policyJson = loaders.find(({ state }) => state.policyJson !== '')?.state.policyJson;
  const normalize = compileNormalizer(policyJson === undefined ? {} : parsePolicy(policyJson).normalize);
  const importedBefore = sumCounters(loaders.map(({ state }) => state.counters)).imported;
  let [urls, invalid, firstInvalid, number] = [0, 0, '', 0];
  for await (const texts of lines) {
    for (const text of texts) {
      number += 1;
      const given = text.trim();
      if (given === '') continue;
      const url = normalize(given);
      if (url === null) {
        if (invalid === 0) firstInvalid = `line ${number}: ${given.slice(0, 200)}`;
        invalid += 1;
        continue;
      }
      urls += 1;
      const partition = partitionOf(partitionKeyOf(hostKeyOf(url), manifest.keyMode), manifest.partitions);
      const loader = loaders[partition]!;
      loader.take({ url, status: 'known', atMs: clock.nowMs() }, number, url.length);
      if (loader.isFull) await loader.flush();
    }
    options.onProgress?.(number);
  }
  for (const loader of loaders) {
    await loader.flush();
    await loader.save();
  }
  const { imported } = sumCounters(loaders.map(({ state }) => state.counters));
  return { urls, imported: imported - importedBefore, invalid, firstInvalid };
}
