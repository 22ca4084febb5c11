/**
 * Scores queued URLs again when further links to them have been found, and moves them to the end of a better front
 * queue. None moves to a worse one, because the source of a URL (a seed, a redirect) is known only when it arrives.
 * Their places are found before the step, because queues are on disk. Only the first `growthUrlsPerStep` URLs of a
 * host are read; later ones get their turn when these are gone.
 */

import type { Policy } from '../../../policy/policy.ts';
import { frontQueueCount } from '../../../url/front-queue.ts';
import { type FoundPlace, isQueuedAt, readFrontQueue } from '../../checkpoint/read-rows.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import type { FrontierState, Host } from '../../state/state.ts';
import type { StoreJob } from '../../storage/store-job.ts';
import type { Decision } from '../decision.ts';
import { linkingDomains } from './budgets.ts';
import type { Growth } from './growth.ts';
import { queuedInputs } from './score-inputs.ts';

/** Queued URLs of a host below its first front queue. */
export interface Grown {
  readonly host: Host;
  readonly places: readonly FoundPlace[];
}

export function* readGrown(state: FrontierState, growth: Growth): StoreJob<Grown[]> {
  const grown: Grown[] = [];
  for (const { host, count } of growth.take(state)) {
    const places: FoundPlace[] = [];
    for (const { number, frontQueue } of host.queue.frontQueues()) {
      if (number === 0 || number >= frontQueueCount || places.length >= count) continue;
      for (const place of yield* readFrontQueue(state, frontQueue, count - places.length))
        places.push({ ...place, number });
    }
    grown.push({ host, places });
  }
  return grown;
}

export function decideGrowth(decision: Decision, grown: readonly Grown[]): void {
  const { policy, state } = decision;
  if (policy === null || !policy.scores) return;
  for (const { host, places } of grown) {
    if (state.abandoning.has(host.id)) continue;
    // Each URL that leaves the middle of a front queue is remembered until the head has passed its place.
    let left: number = frontierLimits.growthRaisesMax - holesOf(state, host);
    for (const { number, seq, entry } of places) {
      if (left <= 0 || decision.bytes >= frontierLimits.commitBytesSoft) break;
      const frontQueue = frontQueueNow(decision, policy, host, entry.url, entry.depth);
      if (frontQueue >= number || !isQueuedAt(state, host.id, number, seq)) continue;
      decision.emit({ kind: 'raise', hostKey: host.key, frontQueue: number, seq, entry: { ...entry, frontQueue } });
      left -= 1;
    }
  }
}

function frontQueueNow(decision: Decision, policy: Policy, host: Host, url: string, depth: number): number {
  const { state } = decision;
  const given = policy.givenQueueOf(url);
  if (given !== null) return given;
  const [hi, lo] = state.fingerprintOf(url);
  const held = state.cash.heldBy(hi!, lo!);
  if (policy.byCash) return state.cash.frontQueueOf(held, frontQueueCount - 1);
  const cash = policy.cash === null ? null : state.cash.shareOf(held);
  const linking = linkingDomains(decision, host.key);
  return policy.frontQueueOf(url, queuedInputs(url, depth, host.facts, state.inLinks.countOf(hi!, lo!), linking, cash));
}

function holesOf(state: FrontierState, host: Host): number {
  return host.queue
    .frontQueues()
    .reduce((sum, { frontQueue }) => sum + state.queues.frontQueues.goneCount(frontQueue), 0);
}
