/**
 * Variants of pages at the frontier: once a host's pages have shown that a value of its URLs does not matter
 * (policy/traps/variants.ts), URLs with another value count as the URL with the value of the trap.
 *
 * A link to a variant is a link to that URL. A variant that waits is moved into the trap's queue, and that URL is
 * admitted in its place if it is new. Nothing is lost: once the trap is released, the variants are fetched.
 */
import type { Policy } from '../../../policy/policy.ts';
import { isPlacePattern, withValues } from '../../../policy/traps/places.ts';
import { trapLimits } from '../../../policy/traps/trap-limits.ts';
import { asOneVariant } from '../../../policy/traps/traps.ts';
import { frontQueueCount } from '../../../url/front-queue.ts';
import type { Entry } from '../../changes/entry.ts';
import { readArena } from '../../queues/queue-row.ts';
import { seenVerdicts } from '../../seen/seen-test.ts';
import type { Host } from '../../state/state.ts';
import type { ActiveTrap } from '../../state/traps-state.ts';
import type { Decision } from '../decision.ts';
import { Admission } from './admission.ts';

/** The URL that a normal URL of a host counts as; null: itself. */
export function variantOf({ state }: Decision, hostKey: string, url: string): string | null {
  const traps = state.traps.active.get(hostKey);
  if (traps === undefined) return null;
  const folded = asOneVariant(traps, url);
  return folded === url ? null : folded;
}

/** Folds the variants that wait in memory; those that are on disk only are fetched. */
export function foldQueued(decision: Decision, policy: Policy, host: Host, trap: ActiveTrap): void {
  if (!isPlacePattern(trap.pattern)) return;
  const { state } = decision;
  const admission = new Admission(decision, policy.config);
  for (const { seq, entry } of waitingInMemory(decision, host)) {
    const url = withValues(entry.url, trap.pattern);
    if (url === entry.url) continue;
    const fingerprint = state.identityOf(host.key, url);
    const [hi, lo] = [fingerprint[0]!, fingerprint[1]!];
    const seen = admission.holds(host.key, hi, lo) ? seenVerdicts.seen : state.seen.test(hi, lo);
    if (seen === seenVerdicts.unknown) continue;
    const { frontQueue } = entry;
    const { spelling: _, ...plain } = entry;
    if (seen === seenVerdicts.new) admission.add(host.key, false, { ...plain, url }, hi, lo);
    const waiting = { ...entry, frontQueue: trap.frontQueue };
    decision.emit({ kind: 'lower', hostKey: host.key, frontQueue, seq, entry: waiting });
  }
  admission.flush();
}

interface Waiting {
  readonly seq: number;
  readonly entry: Entry;
}

function waitingInMemory({ state }: Decision, host: Host): readonly Waiting[] {
  const { frontQueues } = state.queues;
  const { arena, list } = frontQueues;
  const waiting: Waiting[] = [];
  for (let number = 0; number < frontQueueCount; number++) {
    const frontQueue = list.find(host.id, number);
    if (frontQueue === 0) continue;
    let { first: pointer, from: seq } = frontQueues.extent(frontQueue);
    for (; pointer !== 0 && seq < frontQueues.extent(frontQueue).tail; pointer = arena.next(pointer), seq++) {
      if (waiting.length === trapLimits.sweptMax) return waiting;
      if (frontQueues.isGone(frontQueue, seq)) continue;
      waiting.push({ seq, entry: readArena(arena, pointer, host.key, number) });
    }
  }
  return waiting;
}
