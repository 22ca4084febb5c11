/** `crawlstream warc wacz`: WARC files with their indexes and pages as one file that players of archives open. */
import { existsSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { counted } from '../../../runtime/counted.ts';
import { isStandardOutput } from '../../../runtime/disk/named-file.ts';
import { toStderr, toStdout } from '../../../runtime/logging/door.ts';
import { productVersion } from '../../../runtime/version.ts';
import { indexOf } from '../merged-index.ts';
import { writeWacz } from '../wacz/write-wacz.ts';
import { pageTitle } from './archived-page.ts';

interface WaczFlags {
  readonly out: string;
  readonly title?: string;
  readonly mainPage?: string;
  readonly json?: boolean;
}

export function addWaczCommand(warc: Command): void {
  warc
    .command('wacz')
    .description('pack WARC files, their index and their pages into a WACZ file')
    .argument('<file...>', 'WARC files with their indexes beside them, or a folder of them, such as DATA/archive')
    .requiredOption('--out <file>', 'file to write, as in site.wacz')
    .option('--title <text>', 'title in datapackage.json (default: none)')
    .option('--main-page <url>', 'page that a player opens first')
    .option('--json', 'print what was written as one JSON object')
    .action(toWacz);
}

async function toWacz(given: readonly string[], { out, title, mainPage, json }: WaczFlags): Promise<void> {
  const isOutput = await isStandardOutput(out);
  // A pipe or a device is written through.
  if (!isOutput && statSync(out, { throwIfNoEntry: false })?.isFile()) {
    throw new CrawlstreamError('INVALID_ARGUMENT', `${out} already exists: choose another --out, or remove it`);
  }
  const files = await indexedFiles(given);
  const names = files.map((file) => basename(file));
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `two files are named ${twice}, but names in a WACZ must be unique: rename one`,
    );
  }
  const about = { title, mainPage, nowMs: Date.now(), software: `crawlstream/${productVersion}` };
  const counts = await writeWacz({ files, out, titleOf: pageTitle, ...about });
  const { pages, responses, bytes } = counts;
  const text = `${out}: ${counted(pages, 'page')}, ${counted(responses, 'response')} of ${counted(files.length, 'WARC file')}, ${bytes} bytes\n`;
  const say = isOutput ? toStderr : toStdout;
  say(json ? `${JSON.stringify({ file: out, warcs: files.length, ...counts })}\n` : text);
}

/** Whole WARC files with their indexes, of paths of files and folders. */
export async function indexedFiles(given: readonly string[]): Promise<string[]> {
  return (await Promise.all(given.map(warcFiles))).flat();
}

/** Returns the complete WARC files of a folder; a file returns itself. */
async function warcFiles(path: string): Promise<string[]> {
  const there = await stat(path).catch((cause: Error) => {
    throw new CrawlstreamError('INVALID_ARGUMENT', `${path} cannot be read: ${cause.message}`, cause);
  });
  const files = there.isDirectory()
    ? (await readdir(path)).filter((name) => /\.warc(\.gz)?$/.test(name)).map((name) => join(path, name))
    : [path];
  if (files.length === 0) {
    const remedy = 'crawl with --with archive to write them; a file is complete when it is full or the crawl has ended';
    throw new CrawlstreamError('INVALID_ARGUMENT', `${path} has no complete WARC file: ${remedy}`);
  }
  for (const file of files) {
    if (!/\.warc(\.gz)?$/.test(file)) {
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `${file}: complete WARC files are named .warc or .warc.gz; one named .open is still being written, do not rename it`,
      );
    }
    if (existsSync(indexOf(file))) continue;
    const remedy = `create it, as in: cdxj-indexer ${file} > ${indexOf(file)}`;
    throw new CrawlstreamError('INVALID_ARGUMENT', `${file} has no index ${indexOf(file)} beside it: ${remedy}`);
  }
  return files.sort();
}
