/** `crawlstream replay`: serves an archive to browsers and clients of Memento, until it is stopped. */
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { addHttpAccessOptions } from '../../../cli/flags/http-flags.ts';
import { decodeBody } from '../../../fetcher/http/content-coding.ts';
import { type HttpFlags, withHttp } from '../../../hosting/options/http-side.ts';
import { type ListenAddress, parseListenAddress } from '../../../runtime/http/listen-address.ts';
import { toStdout } from '../../../runtime/logging/door.ts';
import { say } from '../../../runtime/logging/say.ts';
import type { Service } from '../../../runtime/metrics/service.ts';
import { stopOnSignals } from '../../../runtime/stop-signals.ts';
import { indexOf } from '../merged-index.ts';
import { ArchiveIndex, type IndexedFile } from '../replay/archive-index.ts';
import type { Decode } from '../replay/content.ts';
import { indexOfFile } from '../replay/index-of-file.ts';
import { replayLimits } from '../replay/replay-limits.ts';
import { replayRoutes, replayTarget } from '../replay/replay-routes.ts';
import { looksSorted } from '../replay/sorted-lines.ts';

interface ReplayFlags extends HttpFlags {
  readonly data?: string;
  readonly http: ListenAddress;
}

const usualAddress: ListenAddress = { host: '127.0.0.1', port: 9466 };

export function addReplayCommand(program: Command): void {
  const command = program
    .command('replay')
    .description('serve archived pages as they were at a time, for browsers and Memento clients')
    .argument('[files...]', 'WARC files, or folders of them; each with its index (.cdxj) beside it')
    .option('--data <folder>', 'data folder of a crawl with an archive');
  addHttpAccessOptions(command)
    .option(
      '--http <host:port>',
      'address to listen on; a port alone: on this machine only',
      (value) => parseListenAddress('--http', value),
      usualAddress,
    )
    .action(showArchive);
}

async function showArchive(given: readonly string[], flags: ReplayFlags): Promise<void> {
  const places = [...given, ...(flags.data === undefined ? [] : [join(flags.data, 'archive')])];
  if (places.length === 0) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      'no archive is given: add WARC files, or the --data folder of a crawl',
    );
  }
  const paths = [...new Set((await Promise.all(places.map(warcFiles))).flat())].sort();
  const names = new Set<string>();
  for (const path of paths) {
    if (names.has(basename(path))) {
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `two files are named ${basename(path)}, but file names must be unique: rename one`,
      );
    }
    names.add(basename(path));
  }
  const files: IndexedFile[] = [];
  for (const path of paths) files.push(await indexed(path));
  const stop = new AbortController();
  const routes = [replayRoutes(new ArchiveIndex(files), files.length, decode)];
  const side = { role: 'replay', routes, rewriteUrl: replayTarget, say };
  await withHttp(flags, side, async ({ probes, listensOn, isSecure }: Service) => {
    const release = stopOnSignals(stop, 'stopping');
    probes.serve(() => null);
    toStdout(`archive: http${isSecure ? 's' : ''}://${listensOn}/\n`);
    await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
    release();
  });
}

const decode: Decode = async (body, contentEncoding, bytesMax) => {
  const result = await decodeBody(body, contentEncoding, bytesMax);
  return 'error' in result ? null : result.body;
};

async function indexed(file: string): Promise<IndexedFile> {
  const index = indexOf(file);
  if (existsSync(index)) {
    if (await looksSorted(index)) return { file };
    const remedy = `sort it, as in: LC_ALL=C sort -o ${index} ${index}`;
    throw new CrawlstreamError('INVALID_ARGUMENT', `${index} is not sorted by bytes: ${remedy}`);
  }
  const { size } = await stat(file);
  if (size > replayLimits.unindexedBytesMax) {
    const remedy = `create it, as in: cdxj-indexer --sort ${file} > ${index}`;
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `${file} has no index beside it, and is too large to index at start: ${remedy}`,
    );
  }
  say(`${file} has no index ${basename(index)} beside it: indexing it in memory`, 'warn');
  return { file, lines: await indexOfFile(file) };
}

/** Returns the complete WARC files of a folder; a file returns itself. */
async function warcFiles(path: string): Promise<string[]> {
  const there = await stat(path).catch((cause: Error) => {
    throw new CrawlstreamError('INVALID_ARGUMENT', `${path} cannot be read: ${cause.message}`, cause);
  });
  if (!there.isDirectory()) {
    if (/\.warc(\.gz)?$/.test(path)) return [path];
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `${path}: complete WARC files are named .warc or .warc.gz; one named .open is still being written, do not rename it`,
    );
  }
  const names = (await readdir(path)).filter((name) => /\.warc(\.gz)?$/.test(name));
  if (names.length > 0) return names.map((name) => join(path, name));
  const remedy = 'crawl with --with archive to write them; a file is complete when it is full or the crawl has ended';
  throw new CrawlstreamError('INVALID_ARGUMENT', `${path} has no complete WARC file: ${remedy}`);
}
