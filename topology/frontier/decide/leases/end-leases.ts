/** Ends all leases, at a claim. */
import { unread } from '../../hosts/lease.ts';
import { leaveLease } from '../../state/apply-visit.ts';
import type { FrontierState } from '../../state/state.ts';

/**
 * The fetchers of all leases are gone. Their URLs return to the queues without costing an attempt, and each host
 * counts as contacted at `nowMs`, which is not before they died. Every leased entry must have been read.
 * `schedulesAgain`: as releases up to 0.3.0 did (changes/changelog.ts). They also did not count a Crawl-delay that was
 * found during the lease.
 */
export function endLeases(state: FrontierState, nowMs: number, schedulesAgain: true | undefined): void {
  for (const { id: leaseId, host, entries, delayMs, pages } of [...state.leases.values()]) {
    if (state.ahead.holds(host.id, state.changelog.offset)) continue;
    for (const [index, page] of pages) {
      const visit = { hostKey: host.key, leaseId, index, dueAtMs: nowMs, spent: false, proved: null, page } as const;
      if (schedulesAgain) state.apply({ kind: 'visit', ...visit });
      else leaveLease(state, visit, state.leases.get(leaseId)!);
    }
    entries.forEach((entry, index) => {
      if (entry === null) return;
      if (entry === unread) throw new Error(`URL ${index} of lease ${leaseId} ends before it is read`);
      const disposition = { to: 'again', dueAtMs: 0, entry } as const;
      state.apply({ kind: 'resolve', leaseId, index, disposition, record: null });
    });
    state.apply({ kind: 'release', leaseId, expired: false });
    const { facts, key: hostKey } = host;
    const waitMs = schedulesAgain ? delayMs : Math.max(delayMs, facts.crawlDelayMs);
    const readyAtMs = Math.max(facts.readyAtMs, nowMs + waitMs);
    state.apply({ kind: 'host', hostKey, facts: { ...facts, readyAtMs } });
  }
  // Hosts with rows that are ahead have already ended their visits; the schedule is of this position. The other hosts
  // wait for their pages again.
  for (const id of state.recrawl.endLeases(nowMs))
    if (!state.ahead.holds(id, state.changelog.offset)) state.settle(state.hosts.at(id));
  if (!schedulesAgain) state.counters.scheduled = state.recrawl.scheduled;
}
