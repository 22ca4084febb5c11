/**
 * The measurements of `bench -- size`: a frontier that admits links, one that leases, and whole crawls, each with the
 * sizes of its files.
 */
import { join } from 'node:path';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { readDataFolder } from '../../../services/runtime/data-folder/data-folder.ts';
import { openReadOnlyLog } from '../../../services/runtime/log/read-only.ts';
import { recordsOf } from '../../../services/runtime/log/records-of.ts';
import { defaultSeen } from '../../../topology/frontier/seen/seen-config.ts';
import { measureCrawl } from '../fetcher/fetch-crawl.ts';
import { benchCrawl, logFolder } from '../frontier/bench-partition.ts';
import { ingest } from '../frontier/ingest.ts';
import { bytesNow } from '../process/folder-bytes.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';

export interface WeighedIngest {
  readonly links: number;
  readonly urls: number;
  readonly hosts: number;
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly stateBytes: number;
  /** Bytes of the records. */
  readonly changelogBytes: number;
}

/** In this process: run it on one core. */
export function weighIngest(links: number, hosts: number): Promise<WeighedIngest> {
  return inTemporaryFolder(async (folder) => {
    const config = { ...defaultSeen, memoryBytes: 2 ** 30 };
    const one = await ingest({ folder, urls: links, hosts, duplicates: 0.7, config, profile: undefined });
    const { queued: urls, cpuMs, rssBytes, stateBytes } = one;
    const { 'frontier-changelog': changelog } = await weighTopics(logFolder(folder), benchCrawl, 1);
    return { links, urls, hosts, cpuMs, rssBytes, stateBytes, changelogBytes: changelog! };
  });
}

export interface WeighedCrawl {
  readonly pages: number;
  readonly hosts: number;
  readonly urls: number;
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** Bytes of the data folder. */
  readonly diskBytes: number;
  /** Bytes of keys and values, by topic without the crawl's name. */
  readonly topics: Readonly<Record<string, number>>;
}

export async function weighCrawl(hosts: number, pagesPerHost: number): Promise<WeighedCrawl> {
  let topics: Record<string, number> = {};
  let diskBytes = 0;
  const { said, cpuMillis, peakRssBytes } = await measureCrawl({
    web: ['--preset', 'plain', '--hosts', `${hosts}`, '--pages', `${pagesPerHost}`],
    crawl: ['--delay', '0'],
    report: 'delayMs=0&sitemaps=false',
    node: ['--max-semi-space-size=32'],
    inspect: async (data) => {
      diskBytes = bytesNow(join(data, 'state', '0')) + bytesNow(join(data, 'log'));
      const folder = await readDataFolder(data);
      topics = await weighTopics(folder.part('log'), folder.manifest.crawl, folder.manifest.partitions);
    },
  });
  const { pages, admitted: urls } = said as { readonly pages: number; readonly admitted: number };
  return { pages, hosts, urls, cpuMs: cpuMillis, rssBytes: peakRssBytes, diskBytes, topics };
}

async function weighTopics(folder: string, crawl: string, partitions: number): Promise<Record<string, number>> {
  const log = await openReadOnlyLog(folder, new SystemClock());
  const weights: Record<string, number> = {};
  try {
    for (const { name } of log.topics()) {
      let bytes = 0;
      for (let partition = 0; partition < partitions; partition++) {
        const { start, end } = await log.offsets(name, partition);
        for await (const { key, value } of recordsOf(log, name, partition, start, end)) {
          bytes += value.length + (key?.length ?? 0);
        }
      }
      weights[name.slice(crawl.length + 1)] = bytes;
    }
  } finally {
    await log.close();
  }
  return weights;
}
