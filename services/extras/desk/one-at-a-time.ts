/** Work done one piece at a time; few callers wait, and others are asked to come back. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { deskLimits } from './desk-limits.ts';

export type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>;

/** Rejects with BUSY where too many wait. */
export function createOneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (work) => {
    if (waiting >= deskLimits.waitingMax)
      throw new CrawlstreamError('BUSY', 'too many requests are in progress: try again in a minute');
    waiting += 1;
    const before = last;
    const mine = (async () => {
      await before;
      return work();
    })();
    last = mine.catch(() => {}).finally(() => (waiting -= 1));
    return mine;
  };
}
