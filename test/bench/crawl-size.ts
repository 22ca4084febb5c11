/**
 * What a crawl of some size takes, from costs that were measured, each by the bench that its comment names, on a quiet
 * development machine (2 cores). Sums of measured parts: nothing here was run at that size.
 */

export interface CrawlFacts {
  readonly knownHosts: number;
  readonly knownUrls: number;
  readonly pagesPerSecond: number;
  readonly linksPerPage: number;
}

export const measuredCosts = {
  /** Tables, key and clock, with what growing columns keep free, and a band (topology/frontier/hosts/host.ts). */
  bytesPerHost: 118,
  /** An account and its sketch, of whoever was linked to (topology/frontier/budgets/budgets-state.ts). */
  bytesPerBudget: 300,
  /** Past its memory the seen test keeps so much of a partition, and the rest on disk (--seen-memory). */
  seenBytesPerPartition: 256 * 2 ** 20,
  /** Beside it: Node, memtables, caches, the log's tail (`hundred-million --seen drum`). */
  restBytesPerPartition: 1024 * 2 ** 20,
  /** `hundred-million`: view on disk, fingerprints and queues, by known URL. */
  stateBytesPerUrl: 25,
  /** `hundred-million`: changelog on disk, compressed, by known URL; trimmed below the oldest snapshot. */
  changelogBytesPerUrl: 24,
  /** `topology`: bytes of `discovered` by link, on the wire and in the broker. */
  discoveredBytesPerLink: 80,
  /** `topology`: CPU of the frontier by link: decoded, decided, changelog, view. */
  linkMicros: 2.6,
  /** `lease-cycle`: CPU to lease and complete a URL, one URL a lease: hosts of a page or two are most. */
  leaseMicros: 19,
  /** `crawl`: CPU of a fetcher by page of 12.6 KB with 42 links. */
  fetchMillis: 0.4,
} as const;

/** As far as one partition was run (`hundred-million`), and 10 M hosts as `host-clock` measures. */
const urlsPerPartitionMax = 100e6;
const hostsPerPartitionMax = 10e6;
/** A partition is one thread: it is planned for this share of it. */
const load = 0.7;
const secondsPerDay = 86_400;

export function crawlSize(crawl: CrawlFacts) {
  const costs = measuredCosts;
  const { knownHosts, knownUrls, pagesPerSecond, linksPerPage } = crawl;
  const linksPerSecond = pagesPerSecond * linksPerPage;
  const frontierCores = (linksPerSecond * costs.linkMicros + pagesPerSecond * costs.leaseMicros) / 1e6;
  const reasons = {
    byUrls: Math.ceil(knownUrls / urlsPerPartitionMax),
    byHosts: Math.ceil(knownHosts / hostsPerPartitionMax),
    byRate: Math.ceil(frontierCores / load),
  };
  const partitions = Math.max(1, reasons.byUrls, reasons.byHosts, reasons.byRate);
  const memoryBytes = {
    hosts: knownHosts * costs.bytesPerHost,
    budgets: knownHosts * costs.bytesPerBudget,
    seenTest: partitions * costs.seenBytesPerPartition,
    rest: partitions * costs.restBytesPerPartition,
  };
  const diskBytes = {
    state: knownUrls * costs.stateBytesPerUrl,
    changelog: knownUrls * costs.changelogBytesPerUrl,
    // Trimmed below the oldest snapshot: of a day.
    discoveredOfADay: linksPerSecond * secondsPerDay * costs.discoveredBytesPerLink,
  };
  return {
    memoryBytes: summed(memoryBytes, partitions),
    diskBytes: summed(diskBytes, partitions),
    partitions,
    partitionsFor: reasons,
    frontierCores: Math.ceil(frontierCores / load),
    fetcherCores: Math.ceil((pagesPerSecond * costs.fetchMillis) / 1000 / load),
    pagesPerSecond: Math.round(pagesPerSecond),
    linksPerSecond: Math.round(linksPerSecond),
  };
}

function summed(parts: Readonly<Record<string, number>>, partitions: number) {
  const all = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const rounded = Object.entries({ ...parts, all, perPartition: all / partitions }).map(
    ([name, bytes]) => [name, Math.round(bytes)] as const,
  );
  return Object.fromEntries(rounded);
}
