/**
 * Has the consumers whose state is in a data folder follow what was taken back, by their own code: what they have not read
 * yet they read, and then they are looked into.
 */

import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessorContext } from '../../application/processor/processor.ts';
import { startProcessor } from '../../application/start-processors.ts';
import { consumers } from '../../application/topology.ts';
import { fieldsAt } from '../../extras/archive/cdxj.ts';
import { bringBack } from '../../extras/archive/forget/bring-back.ts';
import { forgetRecords } from '../../extras/archive/forget/forget-records.ts';
import { createUploads } from '../../extras/archive/uploads.ts';
import { knownUrls } from '../../extras/dedup/known-urls.ts';
import { readPages } from '../../extras/graph/link-graph.ts';
import { indexedUrls } from '../../extras/index/indexed-urls.ts';
import { type OpenSearchOptions, openOpenSearch } from '../../extras/index/opensearch-index.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ObjectStore } from '../../runtime/objects/objects.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import type { GivenOptions } from '../connect/crawl-folder.ts';
import type { Gone } from './forget-topics.ts';
import type { Place } from './receipt.ts';

type Part = (name: string) => string;

/** In the order of the topology: each may read the output of earlier ones. `options`: those of the crawl. */
export async function followInStates(context: ProcessorContext, options: GivenOptions): Promise<void> {
  const kept = consumers.filter(
    ({ name }) => existsSync(context.part(name)) || (name === 'index' && options['opensearch'] !== undefined),
  );
  for (const processor of kept) {
    const running = await startProcessor(processor, context, processor.options.parse(options));
    try {
      await running.drain();
    } finally {
      await running.stop();
    }
  }
}

/** Remains of forgotten pages, by consumer; one without state here is left out. */
export async function lookIntoStates(part: Part, gone: Gone, nowMs: number): Promise<Place[]> {
  const places: Place[] = [];
  const count = async (place: string, urls: AsyncIterable<string> | Iterable<string>) => {
    let left = 0;
    // Rows have no time that all of them share: what was purged is purged at any, up to now.
    for await (const url of urls) if (gone.isPurged(url, nowMs)) left += 1;
    places.push({ place, left });
  };
  if (existsSync(part('index'))) await count('index', indexedUrls(part('index')));
  for (const [name, urlsOf] of [
    ['dedup', knownUrls],
    ['graph', graphUrls],
  ] as const) {
    if (!existsSync(part(name))) continue;
    const store = await openStateStore(part(name), { readOnly: true });
    try {
      await count(name, urlsOf(store));
    } finally {
      await store.close();
    }
  }
  return places;
}

async function* graphUrls(store: Parameters<typeof readPages>[0]): AsyncGenerator<string> {
  for await (const { url } of readPages(store)) yield url;
}

/** Remains of forgotten pages in an external index. */
export async function lookIntoOpenSearch(options: OpenSearchOptions, gone: Gone): Promise<Place> {
  const index = await openOpenSearch(options);
  let left = 0;
  try {
    for await (const url of index.urls()) if (gone.isPurged(url, options.clock.nowMs())) left += 1;
  } finally {
    await index.close();
  }
  return { place: `index ${options.index} of ${new URL(options.node).host}`, left };
}

/** The same of an archive whose whole files are in an object store: they are brought here, and those that change put there again. */
export async function forgetArchiveElsewhere(folder: string, gone: Gone, away: ArchiveAway): Promise<Place[]> {
  const { crawl, objects, clock } = away;
  const ofCrawl = (name: string) => name.startsWith(`${crawl}-`) && /^\d+-\d+-\d+\./.test(name.slice(crawl.length + 1));
  const brought = await bringBack(folder, objects, ofCrawl);
  const place = await forgetArchive(folder, gone);
  const rewritten = new Set(place.more!['files'] as readonly string[]);
  for (const name of brought.filter((one) => !rewritten.has(one))) {
    // In this order: an index left alone is never taken for a file to upload.
    await rm(join(folder, `${name}.warc.gz`));
    await rm(join(folder, `${name}.cdxj`), { force: true });
  }
  const files = async () =>
    (await readdir(folder)).filter((one) => one.endsWith('.warc.gz')).map((one) => one.slice(0, -'.warc.gz'.length));
  const uploads = createUploads(folder, objects, clock, files);
  uploads.start();
  await uploads.settled();
  return [{ ...place, place: `archive ${objects.place}`, more: { ...place.more, broughtBack: brought.length } }];
}

export interface ArchiveAway {
  readonly crawl: string;
  readonly objects: ObjectStore;
  readonly clock: Clock;
}

/** Rewrites the WARC files of a folder. Throws DATA_FOLDER_LOCKED while an archiver has it. */
export async function forgetArchive(folder: string, gone: Gone): Promise<Place> {
  const store = await openStateStore(join(folder, 'state'));
  try {
    const { records, files, promoted, redirected, dangling } = await forgetRecords(folder, store, gone.has);
    const more = { files, revisitsMadeResponses: promoted, revisitsRedirected: redirected, revisitsDangling: dangling };
    return { place: 'archive', removed: records, left: await capturesLeft(folder, gone), more };
  } finally {
    await store.close();
  }
}

/** By the indexes that lie beside the files. */
async function capturesLeft(folder: string, gone: Gone): Promise<number> {
  let left = 0;
  for (const name of (await readdir(folder)).filter((one) => one.endsWith('.cdxj'))) {
    for (const line of (await readFile(join(folder, name), 'utf8')).split('\n')) {
      const at = fieldsAt(line);
      if (at < 0) continue;
      const [, time = ''] = line.split(' ', 2);
      const atMs = Date.parse(time.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6Z'));
      if (gone.has((JSON.parse(line.slice(at)) as { readonly url: string }).url, atMs)) left += 1;
    }
  }
  return left;
}
