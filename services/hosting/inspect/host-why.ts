/** Why a host waits, from the answer of its frontier. */
import type { HostAnswer } from '../../../topology/frontier/ask/queries.ts';
import type { HostFacts } from '../../../topology/frontier/changes/changes.ts';
import type { Policy } from '../../../topology/policy/policy.ts';
import type { CrawlObstacle } from './crawl-obstacle.ts';
import { nothingToFetch, whyItWaits } from './host-status.ts';

/** With -1 for facts that are not set, as the frontier has them. */
export function hostFactsOf({ facts }: Pick<HostAnswer, 'facts'>): HostFacts {
  const { crawlDelayMs, ownDelayMs, pagesMax, ownBudget } = facts;
  const unset = {
    ...{ crawlDelayMs: crawlDelayMs ?? -1, ownDelayMs: ownDelayMs ?? -1 },
    ...{ pagesMax: pagesMax ?? -1, ownBudget: ownBudget ?? -1 },
  };
  return { ...facts, ...unset };
}

type Answered = Pick<HostAnswer, 'facts' | 'frontQueues' | 'again' | 'leases' | 'parallel' | 'refresh'>;

export function whyHostWaits(
  policy: Policy,
  hostKey: string,
  answer: Answered,
  nowMs: number,
  obstacle: CrawlObstacle | null,
): string {
  const { leases, parallel } = answer;
  const hostSlots = { own: parallel.own ?? -1, most: parallel.leases };
  const host = { facts: hostFactsOf(answer), leasesOut: leases.map(({ id }) => id), hostSlots, nowMs };
  return whyItWaits(policy, hostKey, host, nothingToFetch(answer), obstacle);
}
