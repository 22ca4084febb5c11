/**
 * Orders about one queue, or about all of them. An order about a queue that does not exist yet applies once it does.
 */

import type { HostFacts } from '../../changes/changes.ts';
import { newHostFacts } from '../../changes/changes.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import type { Decision } from '../decision.ts';
import type { QueueCall } from './calls.ts';
import { isThere } from './find-known.ts';
import { endIfEmpty, holdAtLimit } from './puts.ts';

/** True once it is done; false where the commit is full. */
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
      call.gone = host === undefined ? 0 : state.pull.urlsOf(host.id);
      if (call.gone > 0) decision.emit({ kind: 'dropQueue', hostKey: order.key });
      return true;
    }
    case 'dropAll':
      for (; call.next < state.hosts.size; call.next++) {
        if (decision.bytes >= frontierLimits.commitBytesSoft) return false;
        const urls = state.pull.urlsOf(call.next);
        if (urls > 0) decision.emit({ kind: 'dropQueue', hostKey: state.hosts.keys.keyOf(call.next) });
        call.gone += urls;
      }
      return true;
    case 'forget':
      return forget(decision, call, order);
  }
}

function setFacts(decision: Decision, hostKey: string, change: Partial<HostFacts>): void {
  const facts = { ...(decision.state.hosts.get(hostKey)?.facts ?? newHostFacts), ...change };
  decision.emit({ kind: 'host', hostKey, facts });
}

/** A URL that is no longer where it was seen is left alone: it was put, leased or reported meanwhile. */
function forget(decision: Decision, call: QueueCall, { key, urls }: QueueCall['order'] & { kind: 'forget' }): boolean {
  const { state } = decision;
  const host = state.hosts.get(key);
  if (host === undefined) return true;
  for (; call.next < urls.length; call.next++) {
    if (decision.bytes >= frontierLimits.commitBytesSoft) return false;
    const { from, entry } = urls[call.next]!;
    if (!isThere(state, host, { from, entry })) continue;
    decision.emit({ kind: 'known', hostKey: key, from, to: 'forgotten', dueAtMs: 0, entry });
    if (from.in === 'lease') endIfEmpty(decision, host, from.a);
    call.gone += 1;
  }
  holdAtLimit(decision, host);
  return true;
}
