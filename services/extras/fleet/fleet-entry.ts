/** A crawl of a fleet in the memory of its process. */
import type { CrawlFile, Wish } from './crawl-file.ts';
import type { CrawlState } from './fleet-schemas.ts';
import type { RunningCrawl } from './running-crawl.ts';
import type { Turned } from './turns.ts';

export interface Entry extends Turned {
  file: CrawlFile;
  state: CrawlState;
  running: RunningCrawl | undefined;
  writing: Promise<void>;
  /** Resolves when nothing of the crawl runs. */
  over: Promise<void>;
}

/** States of crawls that do not run, by wish. */
const restStates: Readonly<Record<Wish, CrawlState>> = { running: 'failed', paused: 'paused', ended: 'ended' };

/** Returns the state of a crawl that does not run. A held crawl stays held, unless the wish is to end it. */
export function restStateOf({ wish, hold }: CrawlFile): CrawlState {
  return hold !== null && wish !== 'ended' ? 'held' : restStates[wish];
}

export function restingEntry(file: CrawlFile): Entry {
  const state = restStateOf(file);
  const [turn, writing, over] = [Promise.resolve(), Promise.resolve(), Promise.resolve()];
  return { file, state, running: undefined, turn, writing, over };
}

/**
 * True if a kill came before the newest change was noted. A crawl of a release that noted no changes has none, and gets
 * none.
 */
export function isUnnoted({ wish, changes }: CrawlFile): boolean {
  const last = changes.at(-1)?.kind;
  return last !== undefined && last !== wish && last !== 'ended';
}
