/**
 * A WACZ: WARC files, their index and a list of their pages in one ZIP file, which ReplayWeb.page and pywb can open
 * directly. Source: WACZ 1.1.1 (specs.webrecorder.net/wacz/1.1.1).
 *
 * WARC files are stored uncompressed, so that a reader can take a record out of the middle. Everything is streamed,
 * and the file gets its name once it is complete.
 */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { openNamedFile, streamInto } from '../../../runtime/disk/named-file.ts';
import { mergedIndex } from '../merged-index.ts';
import { pageLines, type TitleOf } from './page-lines.ts';
import { Sha256Count, sha256Of } from './sha256.ts';
import { indexName, zippedIndex } from './zipped-index.ts';

export interface WaczOptions {
  /** Paths of complete WARC files, each with its index beside it; no two with the same name. */
  readonly files: readonly string[];
  readonly out: string;
  readonly title?: string | undefined;
  /** The page that a player opens first. */
  readonly mainPage?: string | undefined;
  readonly titleOf: TitleOf;
  readonly software: string;
  /** ms since the Unix epoch. */
  readonly nowMs: number;
}

export interface WaczCounts {
  readonly pages: number;
  readonly responses: number;
  /** Length of the WARC file. */
  readonly bytes: number;
}

interface Resource {
  readonly name: string;
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

export async function writeWacz(options: WaczOptions): Promise<WaczCounts> {
  const { out } = options;
  const file = await openNamedFile(out);
  const zip = new ZipFile();
  const counts = { pages: 0, responses: 0 };
  let bytes = 0;
  const counting = async (chunk: string | Uint8Array) => {
    await file.write(chunk);
    bytes += chunk.length;
  };
  const written = pipeline(zip.outputStream, streamInto({ write: counting }));
  try {
    // Whichever ends first: a disk that is full ends the entries, too.
    await Promise.race([fill(zip, options, counts), written]);
    await written;
    await file.finish();
    return { ...counts, bytes };
  } catch (error) {
    written.catch(() => {});
    (zip.outputStream as Readable).destroy();
    await file.abandon();
    throw error;
  }
}

async function fill(into: ZipFile, options: WaczOptions, count: { pages: number; responses: number }): Promise<void> {
  const { files, nowMs, title, mainPage, software } = options;
  const resources: Resource[] = [];
  const mtime = new Date(nowMs);
  const broken = new Promise<never>((_, reject) => into.on('error', reject));
  broken.catch(() => {});
  const add = async (path: string, bytes: AsyncIterable<Uint8Array>, compress = false) => {
    const sum = new Sha256Count();
    const taken = new Promise<void>((resolve, reject) => {
      into.addReadStreamLazy(path, { mtime, compress }, (take) => {
        const stream = Readable.from(counted(bytes, sum), { objectMode: false });
        stream.on('error', reject);
        stream.on('end', resolve);
        take(null, stream);
      });
    });
    await Promise.race([taken, broken]);
    resources.push({ name: basename(path), path, hash: sum.digest(), bytes: sum.bytes });
  };
  for (const file of files) await add(`archive/${basename(file)}`, createReadStream(file));
  const places: string[] = [];
  await add(
    `indexes/${indexName}`,
    zippedIndex(
      passing(mergedIndex(files), () => (count.responses += 1)),
      places,
    ),
  );
  await add('indexes/index.idx', lines(places));
  await add(
    'pages/pages.jsonl',
    pagesFile(passing(pageLines(mergedIndex(files), options.titleOf), () => (count.pages += 1))),
    true,
  );
  const description = {
    profile: 'data-package',
    wacz_version: '1.1.1',
    ...(title !== undefined && { title }),
    software,
    created: mtime.toISOString(),
    ...(mainPage !== undefined && { mainPageUrl: mainPage }),
    resources,
  };
  const text = Buffer.from(`${JSON.stringify(description, null, 2)}\n`);
  into.addBuffer(text, 'datapackage.json', { mtime, compress: false });
  const digest = { path: 'datapackage.json', hash: sha256Of(text) };
  into.addBuffer(Buffer.from(`${JSON.stringify(digest)}\n`), 'datapackage-digest.json', { mtime, compress: false });
  into.end();
}

async function* counted(bytes: AsyncIterable<Uint8Array>, sum: Sha256Count) {
  for await (const chunk of bytes) {
    sum.add(chunk);
    yield chunk;
  }
}

async function* passing<T>(items: AsyncIterable<T>, onItem: () => void) {
  for await (const item of items) {
    onItem();
    yield item;
  }
}

async function* lines(texts: Iterable<string>) {
  for (const text of texts) yield Buffer.from(`${text}\n`);
}

async function* pagesFile(pages: AsyncIterable<object>) {
  yield* lines([JSON.stringify({ format: 'json-pages-1.0', id: 'pages', title: 'All Pages' })]);
  for await (const page of pages) yield* lines([JSON.stringify(page)]);
}
