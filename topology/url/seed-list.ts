/**
 * A list of seeds, one a line: a URL as people type it, then, after a blank, what is said of it.
 *
 *   https://example.org/            priority=0
 *   example.com                     # https:// is understood, and this is a comment
 *
 * `priority` is the front queue its seed waits in, 0 first to 7 last, before any score; absent, the policy decides.
 */

import { CrawlstreamError } from '../errors.ts';
import { frontQueueCount } from './front-queue.ts';
import { parseSeed } from './seed.ts';

export interface ListedSeed {
  readonly url: string;
  /** -1: not said. */
  readonly priority: number;
}

/** Throws INVALID_SEED with the line and what to write instead. `name` of the list, for messages. */
export function parseSeedList(text: string, name: string): ListedSeed[] {
  const seeds: ListedSeed[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const [url, ...rest] = line.trim().split(/[\t ]+/);
    if (url === undefined || url === '' || url.startsWith('#')) continue;
    const comment = rest.findIndex((word) => word.startsWith('#'));
    const words = comment < 0 ? rest : rest.slice(0, comment);
    try {
      seeds.push({ url: parseSeed(url), priority: priorityOf(words) });
    } catch (error) {
      throw new CrawlstreamError('INVALID_SEED', `${name} line ${at + 1}: ${(error as Error).message}`, error);
    }
  }
  return seeds;
}

function priorityOf(words: readonly string[]): number {
  let priority = -1;
  for (const word of words) {
    const [, digits] = /^priority=(\d+)$/.exec(word) ?? [];
    if (digits === undefined || Number(digits) >= frontQueueCount) {
      const remedy = `write one URL a line; priority=0 (first) to priority=${frontQueueCount - 1} may follow, and # and a comment`;
      throw new CrawlstreamError('INVALID_SEED', `${JSON.stringify(word)} after the URL: ${remedy}`);
    }
    priority = Number(digits);
  }
  return priority;
}
