/** Commands for one queue, or for all of them. A command for a queue that does not exist yet applies once it does. */

import type { HostFacts } from '../../changes/changes.ts';
import { newHostFacts } from '../../changes/changes.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import type { Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import type { QueueCall } from './calls.ts';
import { isThere } from './find-known.ts';
import { endIfEmpty, holdAtLimit } from './puts.ts';

/** Returns true once it is done; false if the commit is full. */
export function decideOrder(decision: Decision, call: QueueCall): boolean {
  const { state } = decision;
  const { order } = call;
  switch (order.kind) {
    case 'delay':
      setFacts(decision, order.key, { ownDelayMs: order.delayMs });
      return true;
    case 'block':
      decision.emit({ kind: 'blockQueue', hostKey: order.key, untilMs: order.untilMs });
      return true;
    case 'limit':
      setFacts(decision, order.key, { pagesMax: order.done === 0 ? -1 : order.done });
      holdAtLimit(decision, state.hosts.get(order.key)!);
      return true;
    case 'drop': {
      const host = state.hosts.get(order.key);
      if (host !== undefined) call.gone = drop(decision, host);
      return true;
    }
    case 'dropAll':
      for (; call.next < state.hosts.size; call.next++) {
        if (decision.bytes >= frontierLimits.commitBytesSoft) return false;
        call.gone += drop(decision, state.hosts.at(call.next));
      }
      return true;
    case 'forget':
      return forget(decision, call, order);
  }
}

/** Deletes a queue and its settings; returns how many URLs it had. */
function drop(decision: Decision, host: Host): number {
  const { key: hostKey, facts: before } = host;
  const { pull } = decision.state;
  const facts = { ...before, ...unset, hold: before.hold === 'limit' ? '' : before.hold } as const;
  if (Object.keys(facts).some((name) => facts[name as keyof HostFacts] !== before[name as keyof HostFacts]))
    decision.emit({ kind: 'host', hostKey, facts });
  if (pull.marksOf(host.id).blockedUntilMs > 0) decision.emit({ kind: 'blockQueue', hostKey, untilMs: 0 });
  const urls = pull.urlsOf(host.id);
  if (urls > 0) decision.emit({ kind: 'dropQueue', hostKey });
  return urls;
}

const { readyAtMs, ownDelayMs, pagesMax } = newHostFacts;
const unset = { readyAtMs, ownDelayMs, pagesMax };

function setFacts(decision: Decision, hostKey: string, change: Partial<HostFacts>): void {
  const facts = { ...(decision.state.hosts.get(hostKey)?.facts ?? newHostFacts), ...change };
  decision.emit({ kind: 'host', hostKey, facts });
}

/**
 * Forgets URLs. A URL that has left its known place is not changed, because it was put, leased or reported meanwhile.
 */
function forget(decision: Decision, call: QueueCall, { key, urls }: QueueCall['order'] & { kind: 'forget' }): boolean {
  const { state } = decision;
  const host = state.hosts.get(key);
  if (host === undefined) return true;
  for (; call.next < urls.length; call.next++) {
    if (decision.bytes >= frontierLimits.commitBytesSoft) return false;
    const { from, entry } = urls[call.next]!;
    if (!isThere(state, host, { from, entry })) continue;
    decision.emit({ kind: 'known', hostKey: key, from, to: 'forgotten', dueAtMs: 0, entry });
    if (from.in === 'lease') endIfEmpty(decision, from.a);
    call.gone += 1;
  }
  holdAtLimit(decision, host);
  return true;
}
