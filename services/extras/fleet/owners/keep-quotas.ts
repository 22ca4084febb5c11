/** Adds up the usage of owners regularly, and holds or resumes their crawls, until the signal. */
import type { Clock } from '../../../runtime/clock.ts';
import type { Fleet } from '../fleet.ts';
import { ownerLimits } from './owner-limits.ts';
import type { Quotas } from './quotas.ts';

export interface Keeping {
  readonly fleet: Pick<Fleet, 'list' | 'hold'>;
  readonly quotas: Quotas;
  readonly clock: Clock;
  say(text: string): void;
}

export async function keepQuotas({ fleet, quotas, clock, say }: Keeping, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      quotas.look(fleet.list());
      await fleet.hold();
      await quotas.write();
    } catch (error) {
      // The disk may be full. The quotas in memory stay in force, and the next round writes again.
      say(`quotas of owners: ${(error as Error).message}`);
    }
    await clock.sleepUntil(clock.nowMs() + ownerLimits.lookMs, signal);
  }
}
