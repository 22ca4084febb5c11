/** A crawl of a fleet, as its process has it. */
import type { CrawlFile, Wish } from './crawl-file.ts';
import type { CrawlState } from './fleet-schemas.ts';
import type { RunningCrawl } from './running-crawl.ts';
import type { Turned } from './turns.ts';

export interface Entry extends Turned {
  file: CrawlFile;
  state: CrawlState;
  running: RunningCrawl | undefined;
  writing: Promise<void>;
  /** Resolves once nothing of it runs. */
  over: Promise<void>;
}

/** State of a crawl that does not run. */
const restStates: Readonly<Record<Wish, CrawlState>> = { running: 'failed', paused: 'paused', ended: 'ended' };

/** A hold outlives what its owner wants of it, but for its end. */
export function restStateOf({ wish, hold }: CrawlFile): CrawlState {
  return hold !== null && wish !== 'ended' ? 'held' : restStates[wish];
}

export function restingEntry(file: CrawlFile): Entry {
  const state = restStateOf(file);
  const [turn, writing, over] = [Promise.resolve(), Promise.resolve(), Promise.resolve()];
  return { file, state, running: undefined, turn, writing, over };
}

/** A kill left it without its newest change. One of before there were changes has none, and gets none. */
export function isUnnoted({ wish, changes }: CrawlFile): boolean {
  const last = changes.at(-1)?.kind;
  return last !== undefined && last !== wish && last !== 'ended';
}
