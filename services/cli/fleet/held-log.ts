/** A log to which a process appends only as long as nobody else can have what it holds. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Log } from '../../runtime/log/log.ts';

export function heldLog(log: Log, isHeld: () => boolean): Log {
  return {
    ...log,
    append(records, options) {
      if (isHeld()) return log.append(records, options);
      const message = 'the brokers have not answered for so long that another process may run this fleet by now';
      return Promise.reject(new CrawlstreamError('OWNERSHIP_LOST', message));
    },
  };
}
