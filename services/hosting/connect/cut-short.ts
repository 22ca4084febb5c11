/**
 * Ends work that waits for brokers: the log is closed, so that each of its calls returns.
 *
 * This is as safe as a kill at any point. A write without an ack counts as not written, and unfinished leases expire.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Log } from '../../runtime/log/log.ts';

/** Runs `act`; once the signal aborts, the log is closed. Throws STORE_CLOSED if the signal was aborted before. */
export async function cutShort<T>(
  signal: AbortSignal | undefined,
  log: Pick<Log, 'close'>,
  act: () => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw new CrawlstreamError('STORE_CLOSED', 'stopped before it started');
  const cut = () => void log.close().catch(() => {});
  signal?.addEventListener('abort', cut, { once: true });
  try {
    return await act();
  } finally {
    signal?.removeEventListener('abort', cut);
  }
}

/** True for an error caused by a cut, or by unreachable brokers. */
export function isCutShort(error: unknown): error is CrawlstreamError {
  return error instanceof CrawlstreamError && (error.code === 'STORE_CLOSED' || error.retriable);
}

/** Runs a process until it is stopped. From then on absent brokers do not delay it. */
export async function untilStopped(signal: AbortSignal, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!signal.aborted || !isCutShort(error)) throw error;
  }
}
