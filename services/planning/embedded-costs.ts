/** Costs of a finished crawl in one process on the embedded log, computed from measured coefficients. */
import { cpuMicros, diskBytes, memoryBytes, recordBytes } from './coefficients.ts';

/** Volumes of a crawl, or of a part of one. */
export interface Volumes {
  /** URLs that are known. */
  readonly urls: number;
  /** Number of those that were fetched. */
  readonly pages: number;
  /** Links that reached the frontier. */
  readonly links: number;
  readonly hosts: number;
}

export interface EmbeddedCosts {
  /** CPU of the start, whatever the volumes. */
  readonly startMs: number;
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly stateBytes: number;
  readonly logBytes: number;
  readonly topicBytes: Readonly<Record<'pages' | 'discovered' | 'results' | 'tasks' | 'frontier-changelog', number>>;
}

export function embeddedCosts(volumes: Volumes): EmbeddedCosts {
  const { urls, pages, links, hosts } = volumes;
  const topicBytes = topicBytesOf(volumes);
  const stateBytes = stateBytesOf(volumes);
  const written = Object.values(topicBytes).reduce((sum, bytes) => sum + bytes, stateBytes);
  const log = written - stateBytes;
  const { process, perByteWritten, storesMax, host } = memoryBytes;
  return {
    startMs: cpuMicros.start / 1000,
    cpuMs: (links * cpuMicros.link + pages * (cpuMicros.lease + cpuMicros.fetch)) / 1000,
    memoryBytes: process + Math.min(storesMax, perByteWritten * written) + seenBytes(urls) + host * hosts,
    stateBytes,
    logBytes: Math.min(log, diskBytes.logTail) + diskBytes.compressed * Math.max(0, log - diskBytes.logTail),
    topicBytes,
  };
}

export function stateBytesOf({ urls, pages }: Pick<Volumes, 'urls' | 'pages'>): number {
  return diskBytes.queuedUrl * urls + diskBytes.fetchedPage * pages;
}

export function topicBytesOf({ urls, pages, links }: Volumes): EmbeddedCosts['topicBytes'] {
  const waiting = Math.max(0, urls - pages);
  return {
    pages: recordBytes.pages * pages,
    discovered: recordBytes.link * links,
    results: recordBytes.results * pages,
    tasks: recordBytes.tasks * pages,
    'frontier-changelog': recordBytes.changelog * pages + recordBytes.changelogAdmitted * waiting,
  };
}

/** Memory of one process with this many known URLs, bytes. */
export function seenBytes(urls: number): number {
  const { url, urlOnDisk, seen } = memoryBytes;
  return Math.min(url * urls, Math.max(seen, urlOnDisk * urls));
}
