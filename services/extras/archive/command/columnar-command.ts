/** `crawlstream warc index`: the captures of WARC files as a table in Common Crawl's columns, for SQL. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { crawlName } from '../../../cli/flags/kafka-flags.ts';
import { toStdout } from '../../../runtime/logging/door.ts';
import { writeColumnar } from '../columnar/write-columnar.ts';
import { indexedFiles } from '../warc-files.ts';
import { archivedContent } from './archived-page.ts';

interface ColumnarFlags {
  readonly out: string;
  readonly crawl: string;
  readonly json?: boolean;
}

export function addColumnarCommand(warc: Command): void {
  warc
    .command('index')
    .description("write the captures of WARC files as Parquet in the columns of Common Crawl's index, for SQL")
    .argument('<file...>', 'WARC files with their indexes beside them, or a folder of them, such as DATA/archive')
    .requiredOption('--out <dir>', 'folder of the table: gets crawl=NAME/subset=warc, crawldiagnostics, robotstxt')
    .option('--crawl <name>', 'value of the column "crawl"', crawlName, 'crawl')
    .option('--json', 'print the counts of rows as one JSON object')
    .action(toTable);
}

async function toTable(given: readonly string[], { out, crawl, json }: ColumnarFlags): Promise<void> {
  const folder = join(out, `crawl=${crawl}`);
  if (existsSync(folder)) {
    const remedy = 'choose another --out or --crawl, or remove it';
    throw new CrawlstreamError('INVALID_ARGUMENT', `${folder} already exists: ${remedy}`);
  }
  const files = await indexedFiles(given);
  const counts = await writeColumnar({ files, out, crawl, contentOf: archivedContent });
  const { warc, crawldiagnostics, robotstxt } = counts;
  const text = `${folder}: ${warc} pages and files, ${crawldiagnostics} other answers, ${robotstxt} robots.txt of ${files.length} WARC files\n`;
  toStdout(json ? `${JSON.stringify({ folder, warcs: files.length, ...counts })}\n` : text);
}
