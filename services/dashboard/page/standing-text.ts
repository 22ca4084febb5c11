/** How a crawl stands, in words. */
import type { Standing } from '../status.ts';

export const standingTexts: Readonly<Record<Standing, string>> = {
  empty: 'waiting for a first URL',
  restoring: 'restoring',
  running: 'crawling',
  quiet: 'nothing moves',
  idle: 'not running',
  paused: 'paused',
  done: 'ended: nothing is left to do',
  quotaSpent: 'ended: page quota spent',
  stopped: 'ended: stopped',
};

export function isEnded(standing: Standing): boolean {
  return standing === 'done' || standing === 'quotaSpent' || standing === 'stopped';
}
