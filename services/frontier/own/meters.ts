/** Counts and times of the owners in a process, over all of its partitions. For metrics only; no decision uses them. */
import type { DeadLetter, DeadLetterReason, Task } from '../../../schemas/types.ts';
import { type GrantSource, grantSources } from '../../../topology/frontier/decide/grant-sources.ts';
import type { Step } from '../../../topology/frontier/decide/step.ts';
import { Distribution, daysBounds, secondsBounds, waitBounds } from '../../runtime/metrics/distribution.ts';
import type { RestoreProgress } from '../restore/restore.ts';
import { DiscoveryWaits } from './discovery-waits.ts';

export interface FrontierMeters {
  readonly stepSeconds: Distribution;
  readonly commitSeconds: Distribution;
  /** Time from an input's append until its decision is durable. */
  readonly decisionSeconds: Distribution;
  /** Time from the discovery of a link until a fetcher first has its URL, for a sample of URLs. */
  readonly latencySeconds: Distribution;
  readonly waits: DiscoveryWaits;
  /** Commits that became durable. */
  commits: number;
  commitBytes: number;
  /** Number of dead letters, by reason. */
  readonly deadLetters: Partial<Record<DeadLetterReason, number>>;
  /** Leases with a published task. */
  granted: number;
  /** URLs on those leases, by the queue they came from. */
  readonly grantedFrom: Record<GrantSource, number>;
  /** Last report of restores that take a while, by partition. */
  readonly restores: Map<number, RestoreProgress>;
}

export function createMeters(): FrontierMeters {
  const latencySeconds = new Distribution(daysBounds);
  return {
    stepSeconds: new Distribution(secondsBounds),
    commitSeconds: new Distribution(secondsBounds),
    decisionSeconds: new Distribution(waitBounds),
    latencySeconds,
    waits: new DiscoveryWaits(latencySeconds),
    commits: 0,
    commitBytes: 0,
    granted: 0,
    grantedFrom: Object.fromEntries(grantSources.map((source) => [source, 0])) as Record<GrantSource, number>,
    // Each counter must exist before its first dead letter, or rates would not show that one.
    deadLetters: { undecodable: 0, misrouted: 0, parseKilled: 0, unknown: 0 },
    restores: new Map(),
  };
}

/** Meters a durable commit. `decisionMs`: time since its oldest input was appended; undefined: it had no input. */
export function meterCommit(
  meters: FrontierMeters,
  step: Pick<Step, 'commit' | 'timed'>,
  tookMs: number,
  decisionMs: number | undefined,
): void {
  meters.commits += 1;
  meters.commitBytes += step.commit.length;
  meters.waits.admitted(step.timed);
  meters.commitSeconds.observe(tookMs / 1000);
  if (decisionMs !== undefined) meters.decisionSeconds.observe(Math.max(0, decisionMs) / 1000);
}

/** Meters leases with a published task. */
export function meterGranted(
  meters: FrontierMeters,
  tasks: readonly Task[],
  { grantedFrom }: Pick<Step, 'grantedFrom'>,
): void {
  meters.granted += tasks.length;
  for (const [source, count] of grantedFrom) meters.grantedFrom[source] += count;
  for (const task of tasks) meters.waits.granted(task);
}

export function meterDeadLetters({ deadLetters }: FrontierMeters, added: readonly Pick<DeadLetter, 'reason'>[]): void {
  for (const { reason } of added) deadLetters[reason] = (deadLetters[reason] ?? 0) + 1;
}
