/** The crawls of a data folder, served: the embedded log, and a frontier for each crawl id. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { pullLimits } from '../../../topology/limits.ts';
import { startFrontier } from '../../frontier/frontier.ts';
import { openCodec } from '../../runtime/avro/record-codec.ts';
import { createEmbeddedRegistry } from '../../runtime/avro/schema-registry.ts';
import type { Clock } from '../../runtime/clock.ts';
import { takeRegularly } from '../../runtime/crawl/take-requests.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import { Mailbox } from '../../runtime/data-folder/mailbox.ts';
import { openEmbeddedLog } from '../../runtime/log/embedded-log.ts';
import { createListFiles } from '../../runtime/policy/list-files.ts';
import { openRocksdbStore } from '../../runtime/store/rocksdb-store.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { type CrawlBook, openCrawlBook, type RunningCrawl } from '../../urlfrontier/crawl-book.ts';
import { fingerprintKeyOf, logFolder, stateFolder } from '../connect/crawl-folder.ts';
import { printRestore } from '../terminal/restore-text.ts';

export interface ServedFolder {
  readonly folder: DataFolder;
  readonly clock: Clock;
  /** How each partition's seen test remembers. */
  readonly seen: SeenConfig;
  onFailure(error: unknown): void;
}

/** Runs `act` with the book of the folder's crawls. */
export async function withServedFolder(served: ServedFolder, act: (book: CrawlBook) => Promise<void>): Promise<void> {
  const { folder, clock } = served;
  const { crawl } = folder.manifest;
  const stores: StateStore[] = [];
  const open = async (path: string) => {
    await mkdir(path, { recursive: true });
    const store = await openRocksdbStore(path);
    stores.push(store);
    return store;
  };
  const stop = new AbortController();
  try {
    const logStore = await open(logFolder(folder));
    const log = await openEmbeddedLog(logStore, clock, { groupIntervalMs: pullLimits.groupIntervalMs });
    try {
      const codec = await openCodec(createEmbeddedRegistry(logStore), crawl);
      const book = await openCrawlBook({
        log,
        codec,
        clock,
        manifest: folder.manifest,
        start: (name, number) => startCrawl({ ...served, name, number, open }, log, codec),
      });
      const taken = takeRegularly({ mailbox: new Mailbox(folder), log, codec, crawl, clock }, stop.signal);
      taken.catch(served.onFailure);
      try {
        await act(book);
      } finally {
        stop.abort();
        await taken.catch(() => {});
        await book.stop();
      }
    } finally {
      await log.close();
    }
  } finally {
    for (const store of stores) await store.close();
  }
}

interface Starting extends ServedFolder {
  readonly name: string;
  readonly number: number;
  open(path: string): Promise<StateStore>;
}

async function startCrawl(
  { folder, clock, seen, onFailure, name, number, open }: Starting,
  log: Awaited<ReturnType<typeof openEmbeddedLog>>,
  codec: Awaited<ReturnType<typeof openCodec>>,
): Promise<RunningCrawl> {
  const { partitions } = folder.manifest;
  const stores: StateStore[] = [];
  for (let partition = 0; partition < partitions; partition++) {
    const own =
      number === 0 ? stateFolder(folder, partition) : join(folder.part('crawls'), `${number}`, `${partition}`);
    stores.push(await open(own));
  }
  let [opened, left] = [() => {}, partitions];
  const ready = new Promise<void>((resolve) => (opened = resolve));
  const frontier = startFrontier({
    log,
    codec,
    clock,
    crawl: name,
    partitions,
    key: fingerprintKeyOf(folder.manifest),
    stores,
    lists: createListFiles(folder.part('lists')),
    // Clients outlive this process: their leases hold until their deadlines.
    endsLeases: false,
    seen,
    onProgress: printRestore,
    onOpened: () => {
      left -= 1;
      if (left === 0) opened();
    },
    leasesMax: 0,
  });
  frontier.ended.catch(onFailure);
  const sides = frontier.owners.map(({ calls }) => calls);
  return {
    partitions: () => sides,
    ready: () => Promise.race([ready, frontier.ended]),
    stop: () => frontier.stop(),
  };
}
