/** Takes pages out of a crawl's WARC files: in its data folder, and in an object store. */
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  Forgotten,
  Gone,
  HeldAt,
  NotReached,
  Part,
  Place,
  Remaining,
} from '../../../application/processor/holding.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { withScratchFolder } from '../../../runtime/disk/scratch-folder.ts';
import type { ObjectStore } from '../../../runtime/objects/objects.ts';
import { openS3Objects } from '../../../runtime/objects/s3-objects.ts';
import { openStateStore } from '../../../runtime/store/open-store.ts';
import { fieldsAt } from '../cdxj.ts';
import { msOfDigits } from '../replay/datetime.ts';
import { createUploads } from '../uploads.ts';
import { bringBack } from './bring-back.ts';
import { forgetRecords } from './forget-records.ts';
import { indexLines } from './index-lines.ts';

export async function forgetArchives(at: HeldAt): Promise<Forgotten> {
  const { part, options, gone, isOnBrokers } = at;
  const folder = part?.('archive');
  const to = options['archiveTo'] as string | undefined;
  const notReached = isOnBrokers ? archivesElsewhere(folder !== undefined, to !== undefined) : [];
  if (to !== undefined) {
    const inStore = (from: string) => forgetInObjectStore(to, from, at);
    return {
      places: await (folder === undefined
        ? withScratchFolder(tmpdir(), 'crawlstream-forget-', inStore)
        : inStore(folder)),
      notReached,
    };
  }
  const isHere = folder !== undefined && existsSync(folder);
  return { places: isHere ? [await forgetInFolder(folder, gone)] : [], notReached };
}

/** Files of all archives of the crawl in the store. `folder`: target of the downloads. */
async function forgetInObjectStore(place: string, folder: string, { crawl, clock, gone }: HeldAt): Promise<Place[]> {
  const objects = await openS3Objects(place);
  try {
    return [await forgetElsewhere(folder, gone, { crawl, clock, objects })];
  } finally {
    objects.close();
  }
}

function archivesElsewhere(isFolderNamed: boolean, isStoreNamed: boolean): NotReached[] {
  const folders = { place: 'archives of other machines', why: 'name the --data folder of each, on its machine' };
  const store = { place: 'archives in object stores', why: 'where there are such, name the place: --archive-to' };
  return [...(isFolderNamed ? [] : [folders]), ...(isStoreNamed ? [] : [store])];
}

export interface ArchiveAway {
  readonly crawl: string;
  readonly objects: Pick<ObjectStore, 'get' | 'list' | 'place' | 'putFile'>;
  readonly clock: Clock;
}

/** Downloads whole files, and uploads those that changed. */
export async function forgetElsewhere(folder: string, gone: Gone, away: ArchiveAway): Promise<Place> {
  const { crawl, objects, clock } = away;
  const ofCrawl = (name: string) => name.startsWith(`${crawl}-`) && /^\d+-\d+-\d+\./.test(name.slice(crawl.length + 1));
  const brought = await bringBack(folder, objects, ofCrawl);
  const place = await forgetInFolder(folder, gone);
  const rewritten = new Set(place.more!['files'] as readonly string[]);
  for (const name of brought.filter((one) => !rewritten.has(one))) {
    // In this order, so that an index without its file never counts as a file to upload.
    await rm(join(folder, `${name}.warc.gz`));
    await rm(join(folder, `${name}.cdxj`), { force: true });
  }
  const files = async () =>
    (await readdir(folder)).filter((one) => one.endsWith('.warc.gz')).map((one) => one.slice(0, -'.warc.gz'.length));
  const uploads = createUploads(folder, objects, clock, files);
  uploads.start();
  await uploads.settled();
  return { ...place, place: `archive ${objects.place}`, more: { ...place.more, broughtBack: brought.length } };
}

/** Rewrites the WARC files of a folder. Throws DATA_FOLDER_LOCKED while an archiver uses it. */
async function forgetInFolder(folder: string, gone: Gone): Promise<Place> {
  const store = await openStateStore(join(folder, 'state'));
  try {
    const has = (url: string, atMs: number) => gone.has(url, atMs);
    const { records, files, promoted, redirected, dangling } = await forgetRecords(folder, store, has);
    const more = { files, revisitsMadeResponses: promoted, revisitsRedirected: redirected, revisitsDangling: dangling };
    return { place: 'archive', removed: records, left: await capturesLeft(folder, gone), more };
  } finally {
    await store.close();
  }
}

interface Capture {
  readonly url: string;
  readonly file: string;
  readonly atMs: number;
}

/** Reads the indexes of the files. */
async function* capturesIn(folder: string): AsyncGenerator<Capture> {
  const names = (await readdir(folder)).map((one) => /^(.*)\.(?:cdxj|warc\.gz)$/.exec(one)?.[1]);
  for (const name of new Set(names)) {
    if (name === undefined) continue;
    for (const line of await indexLines(folder, name)) {
      const at = fieldsAt(line);
      if (at < 0) continue;
      const { url, filename } = JSON.parse(line.slice(at)) as { readonly url: string; readonly filename: string };
      // A capture of an unknown time counts as older than every other.
      yield { url, file: filename, atMs: msOfDigits(line.slice(at - 15, at - 1)) ?? 0 };
    }
  }
}

async function capturesLeft(folder: string, gone: Gone): Promise<number> {
  let left = 0;
  for await (const { url, atMs } of capturesIn(folder)) if (gone.has(url, atMs)) left += 1;
  return left;
}

/** Responses of purged pages in the archive of a data folder, by file. */
export async function archivedCopies(part: Part, isPurged: (url: string) => boolean): Promise<Remaining[]> {
  const folder = part('archive');
  if (!existsSync(folder)) return [];
  const found = new Map<string, number>();
  for await (const { url, file } of capturesIn(folder)) if (isPurged(url)) found.set(file, (found.get(file) ?? 0) + 1);
  return [...found].map(([file, records]) => ({
    in: `archive/${file}`,
    records,
    until: `crawlstream forget removes its responses (${records})`,
  }));
}
