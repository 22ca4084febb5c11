/**
 * Hands a batch to its handler until it is dealt with: retries after growing pauses, then record by record, so that one
 * bad record does not hold up its neighbours. Records that fail alone are returned, to be dead-lettered.
 *
 * A handler may see a record more than once, always after the same predecessors of its partition.
 */
import type { AvroTopic } from '../../../topology/topics.ts';
import type { Clock } from '../clock.ts';
import type { Received } from './received.ts';

export interface Failed<T extends AvroTopic> {
  readonly received: Received<T>;
  readonly error: Error;
}

export interface Patience {
  readonly clock: Clock;
  /** Waits before the second, third, … attempt at a batch. */
  readonly retriesMs: readonly number[];
  /** `stop`: rethrow the error of the last attempt, and do not try records alone. */
  readonly whenFailed: 'deadLetter' | 'stop';
  /** Aborted: no further attempt; throws what the last one threw. */
  readonly signal: AbortSignal;
  readonly onRetry: (error: Error) => void;
}

export async function handleBatch<T extends AvroTopic>(
  batch: readonly Received<T>[],
  handle: (batch: readonly Received<T>[]) => Promise<void> | void,
  { clock, retriesMs, whenFailed, signal, onRetry }: Patience,
): Promise<readonly Failed<T>[]> {
  let failure: Error;
  for (let attempt = 0; ; attempt++) {
    try {
      await handle(batch);
      return [];
    } catch (error) {
      failure = error as Error;
    }
    const waitMs = retriesMs[attempt];
    if (waitMs === undefined) break;
    onRetry(failure);
    await clock.sleepUntil(clock.nowMs() + waitMs, signal);
    if (signal.aborted) throw failure;
  }
  // Without a record it is about what is to be forgotten, which no dead letter can stand for.
  if (whenFailed === 'stop' || batch.length === 0) throw failure;
  if (batch.length === 1) return [{ received: batch[0]!, error: failure }];
  const failed: Failed<T>[] = [];
  for (const received of batch) {
    // Records not yet tried stay uncommitted: they come again.
    if (signal.aborted) throw failure;
    try {
      await handle([received]);
    } catch (error) {
      failed.push({ received, error: error as Error });
    }
  }
  return failed;
}
