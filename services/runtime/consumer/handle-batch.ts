/**
 * Passes a batch to its handler until it is handled: retries after growing pauses, then one by one, so that one bad
 * record does not block the others.
 *
 * - Records that fail alone are returned, to be dead-lettered.
 * - A URL to delete never becomes a dead letter, because its deletion was promised. If it fails alone, after the same
 * pauses again, the batch fails with an error that names it, no position passes it, and it is delivered again.
 * - A handler may see a record more than once, always after the same predecessors of its partition.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { AvroTopic } from '../../../topology/topics.ts';
import type { Clock } from '../clock.ts';
import { errorOf } from '../thrown.ts';
import type { Forgotten } from './forgotten.ts';
import type { Received } from './received.ts';

export interface Batch<T extends AvroTopic> {
  readonly records: readonly Received<T>[];
  /** URLs to delete; none of them is among the records. */
  readonly forgotten: readonly Forgotten[];
}

export interface Failed<T extends AvroTopic> {
  readonly received: Received<T>;
  readonly error: Error;
}

export interface Patience {
  readonly clock: Clock;
  /** Waits before the second, third, … attempt. */
  readonly retriesMs: readonly number[];
  /** `stop`: rethrow the error of the last attempt, and try nothing alone. */
  readonly whenFailed: 'deadLetter' | 'stop';
  /** Aborted: no further attempt; the last error is thrown. */
  readonly signal: AbortSignal;
  readonly onRetry: (error: Error) => void;
}

type Handle<T extends AvroTopic> = (batch: Batch<T>) => Promise<void> | void;

export async function handleBatch<T extends AvroTopic>(
  batch: Batch<T>,
  handle: Handle<T>,
  patience: Patience,
): Promise<readonly Failed<T>[]> {
  const { records, forgotten } = batch;
  const failure = await tryAgain(batch, handle, patience);
  if (failure === undefined) return [];
  if (patience.whenFailed === 'stop') throw failure;
  if (forgotten.length === 0 && records.length === 1) return [{ received: records[0]!, error: failure }];
  if (records.length + forgotten.length === 1) throw notForgotten(forgotten[0]!, failure);
  const failed: Failed<T>[] = [];
  for (const received of records) {
    // Records that were not tried yet stay uncommitted, so they are delivered again.
    if (patience.signal.aborted) throw failure;
    const error = await tryOnce({ records: [received], forgotten: [] }, handle);
    if (error !== undefined) failed.push({ received, error });
  }
  let unforgotten: Error | undefined;
  for (const one of forgotten) {
    if (patience.signal.aborted) throw failure;
    const error = await tryAgain({ records: [], forgotten: [one] }, handle, patience);
    if (error !== undefined) unforgotten ??= notForgotten(one, error);
  }
  if (unforgotten !== undefined) throw unforgotten;
  return failed;
}

/**
 * Returns the error of the last attempt; undefined: the batch is handled. Throws the error if the wait before the next
 * attempt was aborted.
 */
async function tryAgain<T extends AvroTopic>(
  batch: Batch<T>,
  handle: Handle<T>,
  { clock, retriesMs, signal, onRetry }: Patience,
): Promise<Error | undefined> {
  for (let attempt = 0; ; attempt++) {
    const failure = await tryOnce(batch, handle);
    const waitMs = retriesMs[attempt];
    if (failure === undefined || waitMs === undefined) return failure;
    onRetry(failure);
    await clock.sleepUntil(clock.nowMs() + waitMs, signal);
    if (signal.aborted) throw failure;
  }
}

async function tryOnce<T extends AvroTopic>(batch: Batch<T>, handle: Handle<T>): Promise<Error | undefined> {
  try {
    await handle(batch);
    return undefined;
  } catch (error) {
    return errorOf(error);
  }
}

function notForgotten({ url }: Forgotten, cause: Error): Error {
  const remedy = 'fix the cause and start it again; it continues with this URL';
  const code = cause instanceof CrawlstreamError ? cause.code : 'FORGET_FAILED';
  return new CrawlstreamError(code, `${url} could not be forgotten: ${cause.message}; ${remedy}`, cause);
}
