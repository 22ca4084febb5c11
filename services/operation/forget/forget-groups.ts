/** Finds the consumers of a crawl that have read the withdrawals. Each catches up itself, in its own process. */
import type { NotReached, Place } from '../../application/processor/holding.ts';
import type { Clock } from '../../runtime/clock.ts';
import { counted } from '../../runtime/counted.ts';
import type { Log, OffsetRange } from '../../runtime/log/log.ts';
import type { Follower } from './forget-held.ts';

/** A consumer that is at work is seconds behind. */
export const followPatienceMs = 30_000;
const lookEveryMs = 500;

export async function followedBy(
  log: Pick<Log, 'offsets' | 'committedAll'>,
  clock: Clock,
  { crawl, partitions }: { readonly crawl: string; readonly partitions: number },
  followers: readonly Follower[],
  /** 0 in a data folder, since no consumer runs there. */
  patienceMs: number,
): Promise<{ readonly followed: Place[]; readonly behind: NotReached[] }> {
  const all = Array.from({ length: partitions }, (_, partition) => partition);
  const ranges = new Map<string, OffsetRange[]>();
  for (const topic of new Set(followers.flatMap(({ follows }) => follows))) {
    ranges.set(topic, await Promise.all(all.map((one) => log.offsets(`${crawl}.${topic}`, one))));
  }
  /** Number of unread records; null: there is no such consumer. */
  const lagOf = async (name: string, follows: readonly string[]): Promise<number | null> => {
    let lag = 0;
    let isThere = false;
    for (const [topic, of] of ranges) {
      if (!follows.includes(topic)) continue;
      const committed = await log.committedAll(`${crawl}.${name}`, `${crawl}.${topic}`, all);
      if (committed.size > 0) isThere = true;
      for (const one of all) lag += Math.max(0, of[one]!.end - (committed.get(one) ?? of[one]!.start));
    }
    return isThere ? lag : null;
  };
  const untilMs = clock.nowMs() + patienceMs;
  const followed: Place[] = [];
  const behind: NotReached[] = [];
  for (const { name, follows, isExpected = false } of followers) {
    let lag = await lagOf(name, follows);
    while (lag !== null && lag > 0 && clock.nowMs() < untilMs) {
      await clock.sleepUntil(clock.nowMs() + lookEveryMs);
      lag = await lagOf(name, follows);
    }
    if (lag === 0) followed.push({ place: `group ${name}`, left: 0, more: { recordsNotRead: 0 } });
    else if (lag === null && isExpected)
      behind.push({ place: `group ${name}`, why: 'it has saved no position: run it, and then this command again' });
    else if (lag !== null)
      behind.push({ place: `group ${name}`, why: `it still has ${counted(lag, 'record')} to read` });
  }
  return { followed, behind };
}
