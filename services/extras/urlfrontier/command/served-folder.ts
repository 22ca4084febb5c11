/** The crawls of a data folder, served: the embedded log, and a frontier for each crawl id. */

import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pullLimits } from '../../../../topology/frontier/pull/pull-limits.ts';
import type { SeenConfig } from '../../../../topology/frontier/seen/seen-config.ts';
import { createApplication } from '../../../application/application.ts';
import { fingerprintKeyOf, servedStateFolder } from '../../../hosting/connect/crawl-folder.ts';
import { type FolderLog, withFolderLog } from '../../../hosting/connect/folder-log.ts';
import { type OpenStore, withStores } from '../../../hosting/connect/stores.ts';
import { printRestore } from '../../../hosting/progress/restore-text.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { CommandInbox } from '../../../runtime/crawl/command-inbox.ts';
import { takeRegularly } from '../../../runtime/crawl/take-requests.ts';
import type { DataFolder } from '../../../runtime/data-folder/data-folder.ts';
import { markedAsRunning } from '../../../runtime/data-folder/run-mark.ts';
import { createListFiles } from '../../../runtime/policy/list-files.ts';
import type { StateStore } from '../../../runtime/store/store.ts';
import { type CrawlBook, openCrawlBook, type RunningCrawl } from '../crawl-book.ts';
import { idStoreOptions } from './id-store.ts';

export interface ServedFolder {
  readonly folder: DataFolder;
  readonly clock: Clock;
  /** Settings of each partition's seen test. */
  readonly seen: SeenConfig;
  onFailure(error: unknown): void;
}

/** Runs `act` with the book of the folder's crawls. */
export function withServedFolder(served: ServedFolder, act: (book: CrawlBook) => Promise<void>): Promise<void> {
  const keepBook = (opened: FolderLog) => withStores((open) => withBook({ ...served, ...opened, open }, act));
  const marked = (opened: FolderLog) => markedAsRunning(served.folder, served.clock, () => keepBook(opened));
  return withFolderLog(served.folder, served.clock, marked, { groupIntervalMs: pullLimits.groupIntervalMs });
}

interface OpenedFolder extends ServedFolder, FolderLog {
  readonly open: OpenStore;
}

async function withBook(opened: OpenedFolder, act: (book: CrawlBook) => Promise<void>): Promise<void> {
  const { folder, log, codec, clock } = opened;
  const { manifest } = folder;
  const start = (name: string, number: number) => startCrawl(opened, name, number);
  const book = await openCrawlBook({ log, codec, clock, manifest, start });
  const stop = new AbortController();
  const { crawl } = manifest;
  const taken = takeRegularly({ inbox: new CommandInbox(folder), log, codec, crawl, clock }, stop.signal);
  taken.catch(opened.onFailure);
  try {
    await act(book);
  } finally {
    stop.abort();
    await taken.catch(() => {});
    await book.stop();
  }
}

async function startCrawl(
  { folder, clock, seen, onFailure, log, codec, open }: OpenedFolder,
  name: string,
  number: number,
): Promise<RunningCrawl> {
  const { partitions } = folder.manifest;
  const stores: StateStore[] = [];
  for (let partition = 0; partition < partitions; partition++)
    stores.push(await open(servedStateFolder(folder, number, partition), idStoreOptions(number)));
  let [opened, left] = [() => {}, partitions];
  const ready = new Promise<void>((resolve) => (opened = resolve));
  const application = createApplication({ log, codec, clock, manifest: { ...folder.manifest, crawl: name } });
  const options = {
    key: fingerprintKeyOf(folder.manifest),
    stores,
    lists: createListFiles(folder.part('lists')),
    // Clients may outlive this process, so their leases stay valid until the deadlines.
    endsLeases: false,
    seen,
    onProgress: printRestore,
    onOpened: () => {
      left -= 1;
      if (left === 0) opened();
    },
    leasesMax: 0,
  };
  const frontier = application.frontier(options, 'pull');
  frontier.ended.catch(onFailure);
  const sides = frontier.owners.map(({ calls }) => calls);
  return {
    partitions: () => sides,
    ready: () => Promise.race([ready, frontier.ended]),
    stop: async (forgets = false) => {
      await frontier.stop();
      if (!forgets) return;
      for (const store of stores) await store.close();
      await rm(dirname(servedStateFolder(folder, number, 0)), { recursive: true, force: true });
    },
  };
}
