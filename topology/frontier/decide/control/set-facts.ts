/** Changes facts of a host at an order, with what follows from them: its hold, and when it may be contacted next. */
import type { HostFacts } from '../../changes/changes.ts';
import { newHostFacts } from '../../changes/changes.ts';
import type { Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import { delaysOf, heldByLimit } from '../politeness.ts';
import { decideSitemapsHeld } from '../sitemaps.ts';
import { moveWait } from './move-waits.ts';

export function setFacts(decision: Decision, hostKey: string, change: Partial<HostFacts>): void {
  const before = decision.state.hosts.get(hostKey)?.facts ?? newHostFacts;
  const facts = { ...before, ...change };
  const caps = decision.policy?.hostSettings(hostKey) ?? {};
  const { pages } = withPages(decision, decision.state.hosts.get(hostKey), facts);
  const hold = heldByLimit(caps, { ...facts, pages });
  decision.emit({ kind: 'host', hostKey, facts: { ...facts, hold } });
  if (hold !== before.hold) decideSitemapsHeld(decision, hostKey);
}

/** Sets a host's own delay, also for a wait that has begun. */
export function setDelay(
  decision: Decision,
  hostKey: string,
  change: Pick<HostFacts, 'ownDelayMs' | 'ownDelayIsLeast'>,
): void {
  const { state, policy } = decision;
  const host = state.hosts.get(hostKey);
  // In a served crawl, the time of the last contact is kept, and not when the next may be.
  if (host === undefined || policy === null || state.pull.on) return setFacts(decision, hostKey, change);
  const settings = policy.hostSettings(hostKey);
  const from = delaysOf(settings, host.facts);
  const to = delaysOf(settings, { ...host.facts, ...change });
  // The longest wait so far counts for a whole domain (hosts/domain-pace.ts): a shorter delay is that of the next wait.
  const isShared = policy.config.politenessKey === 'domain';
  setFacts(decision, hostKey, change);
  if (!isShared || to.politeMs >= from.politeMs) moveWait(decision, state.hosts.get(hostKey)!, from, to);
}

/** The basis of limits: in a served crawl, pages are the URLs that its clients have done. */
export function withPages(
  { state }: Decision,
  host: Host | undefined,
  facts: HostFacts = host?.facts ?? newHostFacts,
): HostFacts {
  return state.pull.on && host !== undefined ? { ...facts, pages: state.pull.doneOf(host.id) } : facts;
}
