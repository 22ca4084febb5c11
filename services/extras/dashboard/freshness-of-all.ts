/** Freshness over all partitions: shares weighted by pages; of ages the largest, since medians cannot be added. */
import type { FreshnessStatus, PartitionReport } from './status.ts';

export function freshnessOfAll(partitions: readonly Pick<PartitionReport, 'freshness'>[]): FreshnessStatus | null {
  const all = partitions.map(({ freshness }) => freshness).filter((one) => one !== null);
  if (all.length === 0) return null;
  return {
    pages: all.reduce((sum, { pages }) => sum + pages, 0),
    fresh: mean(all, 'fresh'),
    ageP50S: largest(all, 'ageP50S'),
    ageP95S: largest(all, 'ageP95S'),
    withinGoal: mean(all, 'withinGoal'),
    sitemapTrust: mean(all, 'sitemapTrust'),
  };
}

function mean(all: readonly FreshnessStatus[], name: 'fresh' | 'withinGoal' | 'sitemapTrust'): number | null {
  let [sum, weight] = [0, 0];
  for (const one of all) {
    const share = one[name];
    if (share === null) continue;
    sum += share * one.pages;
    weight += one.pages;
  }
  return weight === 0 ? null : sum / weight;
}

function largest(all: readonly FreshnessStatus[], name: 'ageP50S' | 'ageP95S'): number | null {
  const ages = all.map((one) => one[name]).filter((age) => age !== null);
  return ages.length === 0 ? null : Math.max(...ages);
}
