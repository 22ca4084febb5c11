/**
 * What is done to a crawl is done in turn. A call that waits was judged when it came, and by its turn the crawl may be deleted,
 * another may have its name, a quota may be spent, a key may be taken back: so each call is judged again in its turn, in the
 * same tick in which it begins.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';

export interface Turned {
  /** Settles once nothing is being done. */
  turn: Promise<unknown>;
}

export async function inTurn<T>(one: Turned, act: () => Promise<T>): Promise<T> {
  const mine = one.turn.then(act);
  one.turn = mine.catch(() => {});
  return await mine;
}

/** A call is about a crawl that is not there, or not there any more. */
export function missingCrawl(name: string): Error {
  const message = `there is no crawl ${JSON.stringify(name)}: GET /v1/crawls lists those there are`;
  return Object.assign(new Error(message), { statusCode: 404, code: 'NOT_FOUND' });
}

export function isMissing(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === 'NOT_FOUND';
}

export function stopping(): CrawlstreamError {
  return new CrawlstreamError(
    'NOT_READY',
    'this process of the fleet is stopping: retry once it, or another process, runs the fleet',
  );
}
