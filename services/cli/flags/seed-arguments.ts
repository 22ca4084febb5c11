/** Seeds as people give them: URLs, hosts, files of them, or `-` for standard input. */
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Option } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { hasScheme, parseSeed } from '../../../topology/url/seed.ts';
import { type ListedSeed, parseSeedList } from '../../../topology/url/seed-list.ts';
import { parseSeedObjects, parseSeedTable } from '../../../topology/url/seed-table.ts';
import { markedText } from '../../runtime/lines/marked-text.ts';
import { bad } from '../../runtime/option-text.ts';
import { setting } from './setting.ts';

export interface GivenSeed extends ListedSeed {
  /** True: no scheme was typed, so that `https://` is a guess. */
  readonly isGuess: boolean;
}

/** Throws INVALID_SEED, which quotes the typed text and says what to type instead. */
export async function seedArguments(given: readonly string[], keys: readonly string[] = []): Promise<GivenSeed[]> {
  const seeds: GivenSeed[] = [];
  for (const one of given) for (const seed of await seedsIn(one, keys)) seeds.push(seed);
  return seeds;
}

/** `--seed-keys`. */
export function seedKeysSetting(): Option {
  return setting(
    '--seed-keys <list>',
    'keys in seed files (key=value, CSV, TSV, JSONL) kept as tags, as in customer,topic',
    'an unnamed key may belong to another program, or be a secret',
    seedKeys,
  );
}

/** Keys of seeds' metadata that become tags, as in `customer,topic`. */
function seedKeys(value: string): string[] {
  const keys = value.split(',').map((key) => key.trim());
  const wrong = keys.find((key) => !/^[^\s,=]+$/.test(key) || ['url', 'priority', 'depth', 'tags'].includes(key));
  if (wrong !== undefined) throw bad('--seed-keys', value, 'give names of keys, as in customer,topic');
  return keys;
}

async function seedsIn(given: string, keys: readonly string[]): Promise<GivenSeed[]> {
  if (given === '-') return listed(markedText(await buffer(process.stdin)), 'standard input', keys);
  if (!hasScheme(given)) {
    if (isFile(given)) return listed(markedText(await readFile(given)), given, keys);
    if (pathLike.test(given)) {
      const what = existsSync(given) ? 'it is a folder' : 'there is no such file';
      const remedy = 'give a URL, or a file with one URL per line';
      throw new CrawlstreamError('INVALID_SEED', `seed ${JSON.stringify(given)}: ${what}; ${remedy}`);
    }
    if (fileLike.test(given)) {
      const message = `seed ${JSON.stringify(given)}: there is no such file; if it is a host, write http://${given}/`;
      throw new CrawlstreamError('INVALID_SEED', message);
    }
  }
  return [{ url: parseSeed(given), priority: -1, isGuess: !hasScheme(given) }];
}

/** Endings of files that are not top-level domains. */
const fileLike = /\.(txt|csv|tsv|json|jsonl|ndjson|xml|ya?ml|list|lst|urls|gz)$/i;

/** `.`, `./seeds`, `/home/me/seeds`: no host begins so. `//example.org` is a URL without its scheme. */
const pathLike = /^(?:\.{1,2}(?:\/|$)|~\/|\/(?!\/))/;

function isFile(path: string): boolean {
  return existsSync(path) && !statSync(path).isDirectory();
}

/** By the ending of its name; TSV without a line of names is a list, as Nutch has them. */
function seedsOf(text: string, name: string, keys: readonly string[]): ListedSeed[] {
  if (/\.csv$/i.test(name)) return parseSeedTable(text, ',', name, keys);
  if (/\.(jsonl|ndjson)$/i.test(name)) return parseSeedObjects(text, name, keys);
  const isTable = /\.tsv$/i.test(name) && /^(?:[^\n]*\t)?url\s*(?:\t|\r?\n)/i.test(text);
  return isTable ? parseSeedTable(text, '\t', name, keys) : parseSeedList(text, name, keys);
}

function listed(lines: string, name: string, keys: readonly string[]): GivenSeed[] {
  const seeds = seedsOf(lines, name, keys);
  if (seeds.length === 0)
    throw new CrawlstreamError('INVALID_SEED', `${name}: it has no seeds; write one URL per line`);
  return seeds.map((seed) => ({ ...seed, isGuess: false }));
}
