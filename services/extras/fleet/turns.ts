/**
 * Actions on a crawl take turns. A call is judged when it arrives. By its turn, the crawl may be deleted, another crawl
 * may have its name, a quota may be used up, or a key may be revoked. So each call is judged again in its turn, in the
 * same tick in which its action begins.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';

export interface Turned {
  /** Settles when no action is under way. */
  turn: Promise<unknown>;
}

export async function inTurn<T>(one: Turned, act: () => Promise<T>): Promise<T> {
  const mine = one.turn.then(act);
  one.turn = mine.catch(() => {});
  return await mine;
}

/** Makes the error of a call about a crawl that does not exist, or was deleted. */
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
