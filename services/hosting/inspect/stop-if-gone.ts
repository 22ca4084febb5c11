/** Long reads that nobody waits for any more end. */
import { invalid } from '../../../topology/errors.ts';
import type { Log } from '../../runtime/log/log.ts';

/** `signal`: aborted when the caller leaves. */
export function stopIfGone(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw invalid('the caller left before the answer');
}

/** Reads of a log that end before the next piece once the caller has left. */
export function readsUntilGone(
  log: Pick<Log, 'offsets' | 'reader'>,
  signal: AbortSignal | undefined,
): Pick<Log, 'offsets' | 'reader'> {
  return {
    offsets: (topic, partition) => log.offsets(topic, partition),
    reader() {
      const reader = log.reader();
      const poll = reader.poll.bind(reader);
      reader.poll = async (options) => {
        stopIfGone(signal);
        return poll(options);
      };
      return reader;
    },
  };
}
