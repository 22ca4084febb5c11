/** `crawlstream warc wacz`: WARC files with their indexes and pages as one file that players of archives open. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { counted } from '../../../runtime/counted.ts';
import { isStandardOutput } from '../../../runtime/disk/named-file.ts';
import { toStderr, toStdout } from '../../../runtime/logging/door.ts';
import { productVersion } from '../../../runtime/version.ts';
import { writeWacz } from '../wacz/write-wacz.ts';
import { indexedFiles } from '../warc-files.ts';
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
