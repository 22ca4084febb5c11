/**
 * What the owners of a process count and time, over all of its partitions. It is for metrics only, and no decision uses
 * it.
 */
import type { DeadLetter, DeadLetterReason } from '../../../schemas/types.ts';
import { Distribution, secondsBounds, waitBounds } from '../../runtime/metrics/distribution.ts';
import type { RestoreProgress } from '../restore/restore.ts';

export interface FrontierMeters {
  readonly stepSeconds: Distribution;
  readonly commitSeconds: Distribution;
  /** Time from an input's append until its decision is durable. */
  readonly latencySeconds: Distribution;
  /** Commits that became durable. */
  commits: number;
  commitBytes: number;
  /** Dead letters, by reason. */
  readonly deadLetters: Partial<Record<DeadLetterReason, number>>;
  /** Leases whose task is published. */
  granted: number;
  /** Restores that take a while, as last reported, by partition. */
  readonly restores: Map<number, RestoreProgress>;
}

export function createMeters(): FrontierMeters {
  return {
    stepSeconds: new Distribution(secondsBounds),
    commitSeconds: new Distribution(secondsBounds),
    latencySeconds: new Distribution(waitBounds),
    commits: 0,
    commitBytes: 0,
    granted: 0,
    // A counter that begins with its first letter would hide that one from rates.
    deadLetters: { undecodable: 0, misrouted: 0, parseKilled: 0, unknown: 0 },
    restores: new Map(),
  };
}

/** A commit is durable. `latencyMs`: since the oldest of its inputs was appended; undefined: it had none. */
export function meterCommit(
  meters: FrontierMeters,
  bytes: number,
  tookMs: number,
  latencyMs: number | undefined,
): void {
  meters.commits += 1;
  meters.commitBytes += bytes;
  meters.commitSeconds.observe(tookMs / 1000);
  if (latencyMs !== undefined) meters.latencySeconds.observe(Math.max(0, latencyMs) / 1000);
}

export function meterLetters({ deadLetters }: FrontierMeters, letters: readonly Pick<DeadLetter, 'reason'>[]): void {
  for (const { reason } of letters) deadLetters[reason] = (deadLetters[reason] ?? 0) + 1;
}
