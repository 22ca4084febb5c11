/**
 * Tells Kafka's own tools, and those of others, how far a frontier is: what it has decided of its inputs is committed to
 * its group every few seconds.
 *
 * It is for them alone. Where a partition goes on is in its changelog, with what was decided, and no frontier reads what
 * stands here: offsets that somebody resets, or that expire, change nothing.
 */
import { CrawlstreamError } from '../../topology/errors.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log, Position } from '../runtime/log/log.ts';

export interface CommittedPositions {
  readonly log: Pick<Log, 'commit'>;
  readonly clock: Clock;
  readonly group: string;
  /** Of the partitions that this member owns, as of now. */
  positions(): readonly Position[];
  readonly signal: AbortSignal;
}

/** At a stop, brokers that do not answer by then are away: nobody waits for what nothing depends on. ms */
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

/** Before a member leaves: what it has decided since its last look, or tools see a lag for as long as it stays away. */
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
