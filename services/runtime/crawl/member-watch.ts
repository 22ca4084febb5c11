/** Checks from time to time whether a group has members: for notes, which must not wait for brokers. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log/log.ts';

export interface MemberWatch {
  /** The latest known number; null: unknown, or this user may not ask. */
  readonly members: number | null;
  stop(): Promise<void>;
}

/** Often enough for a line within half a minute; a group drops a member that died 10 s after. ms */
const lookEveryMs = 3_000;

export function watchMembers(log: Pick<Log, 'membersOf'>, group: string, clock: Clock): MemberWatch {
  const stopping = new AbortController();
  let members: number | null = null;
  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        members = (await log.membersOf(group)).length;
      } catch (error) {
        // While a broker is away, or a rebalance lasts, the last known members stay.
        if (!(error instanceof CrawlstreamError && error.retriable)) return;
      }
      await clock.sleepUntil(clock.nowMs() + lookEveryMs, stopping.signal);
    }
  };
  const running = run();
  return {
    get members() {
      return members;
    },
    stop() {
      stopping.abort();
      return running;
    },
  };
}
