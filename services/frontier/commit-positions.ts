/**
 * Commits a frontier's positions in its inputs to its group every few seconds, for monitoring tools of Kafka and
 * others.
 *
 * Only such tools use them. A partition resumes from the positions in its changelog, so committed offsets that are
 * reset, or expire, have no effect.
 */
import { CrawlstreamError } from '../../topology/errors.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log, Position } from '../runtime/log/log.ts';

export interface CommittedPositions {
  readonly log: Pick<Log, 'commit'>;
  readonly clock: Clock;
  readonly group: string;
  /** Positions of the partitions that this member owns now. */
  positions(): readonly Position[];
  readonly signal: AbortSignal;
}

/** Longest wait for the last commit at a stop, ms: nothing depends on it. */
const lastMs = 3_000;
/** A look by a person, and half of what tools usually wait between two. ms */
const everyMs = 5_000;

/** Resolves once the signal aborts. What cannot be committed now is committed later. */
export async function commitPositions({ log, clock, group, positions, signal }: CommittedPositions): Promise<void> {
  const commits = new Map<string, number>();
  while (!signal.aborted) {
    const news = positions().filter(({ topic, partition, offset }) => commits.get(`${topic}/${partition}`) !== offset);
    try {
      await log.commit(group, news);
      for (const { topic, partition, offset } of news) commits.set(`${topic}/${partition}`, offset);
    } catch (error) {
      // A partition has moved, the group is rebalancing, the brokers are away, or the log is closed: the frontier's own
      // errors report themselves.
      if (!(error instanceof CrawlstreamError)) throw error;
      commits.clear();
    }
    await clock.sleepUntil(clock.nowMs() + everyMs, signal);
  }
}

/** Commits the last positions before a member leaves. Otherwise, tools would show a lag until it returns. */
export async function commitLast({ log, clock, group, positions }: Omit<CommittedPositions, 'signal'>): Promise<void> {
  const waiting = new AbortController();
  const committed = log.commit(group, positions()).catch((error) => {
    // Nothing depends on it, as above.
    if (!(error instanceof CrawlstreamError)) throw error;
  });
  try {
    await Promise.race([committed, clock.sleepUntil(clock.nowMs() + lastMs, waiting.signal)]);
  } finally {
    waiting.abort();
    committed.catch(() => {});
  }
}
