/** `crawlstream search`: looks words up in the index of a data folder, while a crawl is running or not. */

import type { Command } from 'commander';
import { wholeNumber } from '../../../cli/flags/arguments.ts';
import { needData } from '../../../hosting/connect/folder-log.ts';
import { readDataFolder } from '../../../runtime/data-folder/data-folder.ts';
import { toStderr, toStdout } from '../../../runtime/logging/door.ts';
import { indexLimits } from '../index-limits.ts';
import { searchFolder } from '../sqlite-index.ts';

interface SearchFlags {
  readonly data?: string;
  readonly host?: string;
  readonly language?: string;
  readonly tag?: string;
  readonly limit: number;
  readonly json?: boolean;
}

export function addSearchCommand(program: Command): void {
  program
    .command('search')
    .description('find pages of an indexed crawl by their words, best first, one a line')
    .argument('<words>', 'words that must all occur; also "a phrase", -not, begin*')
    .option('--data <dir>', 'data folder of the crawl')
    .option('--host <name>', 'only this host and its subdomains, as in example.org; with a port, only this host')
    .option('--language <code>', 'only pages in this language, as in en')
    .option('--tag <tag>', 'only pages found from a seed with this tag')
    .option('--limit <n>', 'most hits to print', wholeNumber('--limit', 1, indexLimits.hitsMax), indexLimits.hits)
    .option('--json', 'print one JSON object per hit')
    .action(search);
}

async function search(words: string, { data, host, language, tag, limit, json }: SearchFlags): Promise<void> {
  const folder = await readDataFolder(await needData({ data }));
  const within = { host: host?.toLowerCase(), language, tag };
  const hits = searchFolder(folder.part('index'), words, { ...within, limit: limit + 1 });
  for (const hit of hits.slice(0, limit)) {
    toStdout(`${json ? JSON.stringify(hit) : `${hit.url}  ${hit.title} — ${hit.snippet}`}\n`);
  }
  if (hits.length === 0) toStderr('nothing found\n');
  if (hits.length > limit) toStderr(`there are more: --limit ${Math.min(2 * limit, indexLimits.hitsMax)}\n`);
}
