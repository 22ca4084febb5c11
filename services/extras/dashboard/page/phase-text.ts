/** The phase of a crawl in words. */
import type { CrawlPhase } from '../status.ts';

export const phaseTexts: Readonly<Record<CrawlPhase, string>> = {
  empty: 'waiting for the first URL',
  restoring: 'restoring',
  running: 'crawling',
  quiet: 'no progress',
  idle: 'not running',
  silent: 'no sign of life',
  retrying: 'waiting for retries',
  paused: 'paused',
  held: 'waiting for blocked hosts',
  done: 'ended: nothing left to do',
  quotaSpent: 'ended: page quota spent',
  stopped: 'ended: stopped',
};

export function isEnded(phase: CrawlPhase): boolean {
  return phase === 'done' || phase === 'quotaSpent' || phase === 'stopped';
}
