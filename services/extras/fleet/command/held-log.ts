/** A log that a process may change only while no other process can own the fleet. */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Log } from '../../../runtime/log/log.ts';

export function heldLog(log: Log, isHeld: () => boolean): Log {
  const refusal = () => {
    const message =
      'the brokers did not answer for too long, so another process may have taken over this fleet; this process is a standby now';
    return new CrawlstreamError('OWNERSHIP_LOST', message);
  };
  const deleteTopics: Log['deleteTopics'] = async (names) => {
    if (!isHeld()) throw refusal();
    await log.deleteTopics?.(names);
  };
  return {
    ...log,
    deleteTopics,
    append: (records, options) => (isHeld() ? log.append(records, options) : Promise.reject(refusal())),
  };
}
