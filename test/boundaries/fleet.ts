/** Many crawls in one process. */
import type { fleetLimits } from '../../topology/fleet/fleet-limits.ts';
import { fleetLimits as limits } from '../../topology/fleet/fleet-limits.ts';
import { learnContact, newHostTimes, readyAtMs } from '../../topology/fleet/host-times.ts';
import { type BoundaryTable, cutAt, tuning } from './boundary.ts';

/** What a host's next contact waits for after one that took so long, where crawls keep once that. */
function adaptiveMs(tookMs: number): number {
  const host = newHostTimes(0);
  const contact = { delayMs: 1e9, tookMs, crawlDelayMs: 0, isAnswered: true, isPressure: false, retryAfterMs: 0 };
  learnContact(host, contact, 0);
  return readyAtMs(host, { delayMs: 0, delayFactor: 1, crawlDelayMs: 0 }, 0) - 1;
}

export const fleetBoundaries: BoundaryTable<typeof fleetLimits> = {
  hostDelayMs: tuning('a default, which may be set otherwise'),
  turnsOfShares: tuning('whose turn it is at a host, never how soon the host is contacted'),
  requestsOwed: tuning('whose turn it is after a while without wishes, never how soon a host is contacted'),
  requestCostMs: tuning('what a request counts beside its time'),
  backOffMs: tuning('the same steps as a crawl of its own takes'),
  adaptiveDelayMaxMs: cutAt(limits.adaptiveDelayMaxMs, adaptiveMs),
  forgetMs: tuning('when a host is forgotten that binds nobody any more'),
  sweepAtLeast: tuning('how often somebody looks for such hosts'),
};
