/**
 * Decisions by time alone: leases expire (at no cost if no fetcher had taken them), and the queues of dead hosts are
 * given up, a slice at each step.
 */

import type { UrlRecord } from '../../changes/changes.ts';
import type { Entry } from '../../changes/entry.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import type { Host, Lease } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import { giveSlotBack } from '../leases/host-slots.ts';
import { politeDelayMs } from '../politeness.ts';
import { decideSitemapsFailed } from '../sitemaps.ts';
import { noteExpired, type ResolvedTo } from '../trace-events.ts';
import { giveUp } from './give-up.ts';
import { putBack } from './put-back.ts';
import { expirePage } from './visits.ts';

/** Ends leases past their deadline by more than the clocks may differ. */
export function decideExpiries(decision: Decision): void {
  const { state, nowMs, policy } = decision;
  if (policy === null) return;
  for (const id of state.leases.deadlines.takeUpTo(nowMs - frontierLimits.clockSkewMs)) {
    const lease = state.leases.get(id)!;
    const isUntaken = !state.leases.taken.has(id);
    lease.entries.forEach((entry, index) => {
      if (entry === null) return;
      const isRevisit = lease.pages.has(index);
      const to = isUntaken ? returnUrl(decision, lease, index, entry) : expireUrl(decision, lease, index, entry);
      if (policy.tracing !== null) noteExpired(decision, policy.tracing, lease, entry, isRevisit, to);
    });
    const { host } = lease;
    decision.emit({ kind: 'release', leaseId: lease.id, expired: true });
    const size = lease.entries.length;
    const { facts } = host;
    const ownSlot = giveSlotBack(decision, policy, host, facts, lease.deadlineMs);
    const delayedMs = ownSlot ? 0 : lease.deadlineMs + politeDelayMs(policy.hostSettings(host.key), facts);
    const readyAtMs = Math.max(facts.readyAtMs, delayedMs);
    // A quarter each time, down to single URLs. A lease without URLs is no evidence about lease sizes, nor is one
    // that no fetcher began.
    const saysNothing = size === 0 || isUntaken;
    const leaseMax = saysNothing ? facts.leaseMax : Math.max(1, Math.floor(size / 4));
    decision.emit({ kind: 'host', hostKey: host.key, facts: { ...facts, readyAtMs, leaseMax } });
    if (isUntaken) decision.tally('untaken');
    else decideSitemapsFailed(decision, policy, host);
  }
}

/** No fetcher began the lease, so the URL returns as if the lease had not been granted. */
function returnUrl(decision: Decision, lease: Lease, index: number, entry: Entry): ResolvedTo {
  putBack(decision, lease, index, entry);
  return 'again';
}

/** Decides the next place of the URL. */
function expireUrl(decision: Decision, lease: Lease, index: number, entry: Entry): ResolvedTo {
  if (lease.pages.has(index)) {
    expirePage(decision, lease, index);
    return 'again';
  }
  // The URL is to blame only if it was alone on the lease.
  const expiries = lease.entries.length === 1 ? entry.expiries + 1 : entry.expiries;
  if (expiries >= frontierLimits.expiriesMax) {
    giveUp(decision, lease, index, { ...entry, expiries }, 'leaseExpired', 'unknown', 0, 'its leases expired');
    return 'dead';
  }
  const disposition = { to: 'again', dueAtMs: 0, entry: { ...entry, expiries } } as const;
  decision.emit({ kind: 'resolve', leaseId: lease.id, index, disposition, record: null });
  return 'again';
}

/**
 * Dead-letters URLs of hosts that were dead before this step, at most a slice of them. `dying`: their URLs in front
 * queues, already read.
 */
export function decideBurials(decision: Decision, dying: ReadonlyMap<number, readonly Entry[]>): void {
  const { state } = decision;
  let left = frontierLimits.abandonsPerStep;
  for (const [id, entries] of dying) {
    const host = state.hosts.at(id);
    for (let next = 0; left > 0 && state.abandoning.has(id); left--) {
      const first = host.queue.again[0]?.entry ?? entries[next++];
      if (first === undefined) break;
      abandon(decision, host, first);
    }
  }
}

function abandon(decision: Decision, host: Host, first: Entry): void {
  // If a host answered for URLs, its robots.txt was read, so later failures are the host's.
  const answered = host.facts.fetched > 0;
  decision.deadLetters.push({
    reason: answered ? 'hostUnreachable' : 'robotsUnreachable',
    sourceTopic: 'discovered',
    sourcePartition: decision.identity.partition,
    sourceOffset: -1,
    url: first.url,
    hostKey: host.key,
    attempts: first.attempts,
    // There is no answer for a URL that was never requested.
    lastOutcome: answered ? '' : 'robotsUnreachable',
    status: 0,
    depth: first.depth,
    detail: `${host.key} stayed unreachable for its whole retry schedule`,
    atMs: decision.nowMs,
    original: Buffer.alloc(0),
    tags: decision.state.tagSets.tagsOf(first.tags),
  });
  decision.emit({ kind: 'abandon', hostKey: host.key, record: abandoned(first, decision.nowMs) });
}

/** The record of a URL of an unreachable host. */
export function abandoned({ url, attempts, depth, tags, spelling }: Entry, atMs: number): UrlRecord {
  const nothing = { httpStatus: 0, etag: '', lastModified: '', contentHash: '', soft404: false };
  const record = { ...nothing, url, status: 'dead', outcome: 'robotsUnreachable', atMs, attempts, depth } as const;
  return { ...record, ...(tags !== undefined && { tags }), ...(spelling !== undefined && { spelling }) };
}
