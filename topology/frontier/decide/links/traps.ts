/**
 * Traps at the frontier: a new URL in a trap is admitted into the trap's front queue, where it waits for an operator.
 * Admissions and fetches may reveal new traps. Nothing is lost: an operator can release the trap, and its URLs
 * continue.
 *
 * URLs admitted before the trap was detected stay in their queue: a few dozen at most, because a chain is detected as
 * it grows. Variants of pages are many by then, so those of the queue are folded as well (variants.ts).
 */

import { isPlacePattern } from '../../../policy/traps/places.ts';
import type { TrapEvent } from '../../../policy/traps/step.ts';
import type { Trap } from '../../../policy/traps/summary.ts';
import type { TrapConfig } from '../../../policy/traps/trap-config.ts';
import { noticeTrap, trapOf } from '../../../policy/traps/traps.ts';
import type { ActiveTrap } from '../../state/traps-state.ts';
import type { Decision } from '../decision.ts';

/** The trap of a URL that is about to be admitted; null: none, or no room for another trap. */
export function trapAt(decision: Decision, config: TrapConfig, hostKey: string, url: string): ActiveTrap | null {
  const { traps } = decision.state;
  const trap = trapOf(config, traps.active.get(hostKey), url);
  return trap === null || 'frontQueue' in trap ? trap : setTrap(decision, hostKey, trap);
}

/** Asked after the change that holds the event. */
export function noticeTraps(
  decision: Decision,
  config: TrapConfig,
  hostKey: string,
  events: readonly TrapEvent[],
): void {
  const { traps } = decision.state;
  const summary = traps.summary(hostKey);
  if (summary === undefined) return;
  for (const event of events) {
    const trap = noticeTrap(config, summary, event, traps.of(hostKey));
    if (trap !== null) setTrap(decision, hostKey, trap);
  }
}

/** null: the host has as many traps as it may; the URLs of this one are crawled. */
export function setTrap(decision: Decision, hostKey: string, trap: Trap): ActiveTrap | null {
  const { state } = decision;
  const queue = state.hosts.get(hostKey)?.queue;
  const frontQueue = state.traps.freeFrontQueue(hostKey, (number) => (queue?.sizeOf(number) ?? 0) === 0);
  if (frontQueue === undefined) {
    decision.tally('trapsBeyond');
    return null;
  }
  const active = { ...trap, frontQueue };
  decision.emit({ kind: 'trap', hostKey, ...active });
  const host = state.hosts.get(hostKey);
  if (host !== undefined && isPlacePattern(trap.pattern)) decision.unfolded.push(host.id);
  return active;
}
