/** Seeds as people give them: URLs, hosts, files of them, or `-` for standard input. */
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { hasScheme, parseSeed } from '../../../topology/url/seed.ts';
import { type ListedSeed, parseSeedList } from '../../../topology/url/seed-list.ts';
import { parseSeedObjects, parseSeedTable } from '../../../topology/url/seed-table.ts';
import { markedText } from '../../runtime/lines/marked-text.ts';

export interface GivenSeed extends ListedSeed {
  /** True: no scheme was typed, so that `https://` is a guess. */
  readonly isGuess: boolean;
}

/** Throws INVALID_SEED with what was typed and what to type instead. */
export async function seedArguments(given: readonly string[]): Promise<GivenSeed[]> {
  const seeds: GivenSeed[] = [];
  for (const one of given) for (const seed of await seedsIn(one)) seeds.push(seed);
  return seeds;
}

async function seedsIn(given: string): Promise<GivenSeed[]> {
  if (given === '-') return listed(markedText(await buffer(process.stdin)), 'standard input');
  if (!hasScheme(given)) {
    if (isFile(given)) return listed(markedText(await readFile(given)), given);
    if (pathLike.test(given)) {
      const what = existsSync(given) ? 'it is a folder' : 'there is no such file';
      const remedy = 'name a URL, or a file with one a line';
      throw new CrawlstreamError('INVALID_SEED', `seed ${JSON.stringify(given)}: ${what}; ${remedy}`);
    }
    if (fileLike.test(given)) {
      const message = `seed ${JSON.stringify(given)}: there is no such file; a host of that name is written http://${given}/`;
      throw new CrawlstreamError('INVALID_SEED', message);
    }
  }
  return [{ url: parseSeed(given), priority: -1, isGuess: !hasScheme(given) }];
}

/** Endings of files that are no top-level domains. */
const fileLike = /\.(txt|csv|tsv|json|jsonl|ndjson|xml|ya?ml|list|lst|urls|gz)$/i;

/** `.`, `./seeds`, `/home/me/seeds`: no host begins so. `//example.org` is a URL without its scheme. */
const pathLike = /^(?:\.{1,2}(?:\/|$)|~\/|\/(?!\/))/;

function isFile(path: string): boolean {
  return existsSync(path) && !statSync(path).isDirectory();
}

/** By the ending of its name; TSV without a line of names is a list, as Nutch has them. */
function seedsOf(text: string, name: string): ListedSeed[] {
  if (/\.csv$/i.test(name)) return parseSeedTable(text, ',', name);
  if (/\.(jsonl|ndjson)$/i.test(name)) return parseSeedObjects(text, name);
  const isTable = /\.tsv$/i.test(name) && /^(?:[^\n]*\t)?url\s*(?:\t|\r?\n)/i.test(text);
  return isTable ? parseSeedTable(text, '\t', name) : parseSeedList(text, name);
}

function listed(lines: string, name: string): GivenSeed[] {
  const seeds = seedsOf(lines, name);
  if (seeds.length === 0) throw new CrawlstreamError('INVALID_SEED', `${name}: no seed in it; write one URL a line`);
  return seeds.map((seed) => ({ ...seed, isGuess: false }));
}
