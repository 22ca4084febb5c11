import { invalid } from '../../../topology/errors.ts';

/** Ends a long read that nobody waits for any more: `signal` is aborted. */
export function stopIfGone(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw invalid('the caller left before the answer');
}
