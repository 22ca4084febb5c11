/**
 * A list of seeds, one a line: a URL as people type it, then, after a blank, its notes.
 *
 *   https://example.org/            priority=0 depth=1
 *   example.com  tags=news,legal    # https:// is assumed, and this is a comment
 *
 * seed-notes.ts lists the allowed notes. Nutch's seed lists, with tabs before `key=value`, have this form too.
 */

import { CrawlstreamError } from '../errors.ts';
import { parseSeed } from './seed.ts';
import { notesAllowed, type SeedNotes, seedNotes } from './seed-notes.ts';

export interface ListedSeed extends SeedNotes {
  readonly url: string;
  /** As in a link (spelling.ts). Absent: as in the URL. */
  readonly spelling?: string;
}

/** Throws INVALID_SEED with the line and what to write instead. `name` of the list, for messages; `keys` as of `seedNotes`. */
export function parseSeedList(text: string, name: string, keys: readonly string[] = []): ListedSeed[] {
  const seeds: ListedSeed[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const [url, ...rest] = line.trim().split(/[\t ]+/);
    if (url === undefined || url === '' || url.startsWith('#')) continue;
    const comment = rest.findIndex((word) => word.startsWith('#'));
    const words = comment < 0 ? rest : rest.slice(0, comment);
    try {
      seeds.push({ url: parseSeed(url), ...notesOf(words, keys) });
    } catch (error) {
      throw new CrawlstreamError('INVALID_SEED', `${name} line ${at + 1}: ${(error as Error).message}`, error);
    }
  }
  return seeds;
}

function notesOf(words: readonly string[], keys: readonly string[]): SeedNotes {
  const notes: [string, string][] = [];
  for (const word of words) {
    const equals = word.indexOf('=');
    if (equals < 1) throw unsaid(word);
    notes.push([word.slice(0, equals), word.slice(equals + 1)]);
  }
  const said = seedNotes(notes, keys);
  if (typeof said === 'string')
    throw unsaid(words.find((word) => said.startsWith(word.slice(0, word.indexOf('=')))) ?? said, said);
  return said;
}

function unsaid(word: string, why = ''): CrawlstreamError {
  const nutch = why.startsWith('nutch.') ? ` (${why})` : '';
  const remedy = `write one URL per line; ${notesAllowed} may follow, then # and a comment`;
  return new CrawlstreamError('INVALID_SEED', `${JSON.stringify(word)} after the URL: ${remedy}${nutch}`);
}
