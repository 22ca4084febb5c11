/**
 * Restores the events of `control` if it was lost: the policy, and orders of operators and webmasters for hosts, from
 * the state. Deciding these events again changes nothing. Payments, keys of signatures that were set on a running
 * crawl, and crawl ids of pull clients are not in the state, so they are lost with `control`.
 */
import { blankControl } from '../../../schemas/blank.ts';
import type { Control } from '../../../schemas/types.ts';
import type { HostFacts, HostHold } from '../changes/changes.ts';
import { leastDelay, ofWebmaster } from '../decide/control-payloads.ts';
import type { ControlMessage } from '../decide/decision.ts';
import type { FrontierState } from '../state/state.ts';

type Order = Pick<Control, 'kind'> & Partial<Control>;

const ofHold: Readonly<Partial<Record<HostHold, Order>>> = {
  blocked: { kind: 'blockHost' },
  paused: { kind: 'blockHost', payload: ofWebmaster },
  purged: { kind: 'purge' },
};

export function ordersInForce(state: FrontierState, partition: number, by: string): ControlMessage[] {
  const { hosts, traps, policyJson, policyVersion, nowMs } = state;
  const messages: ControlMessage[] = [];
  const say = (order: Order) => messages.push({ partition, record: { ...blankControl, atMs: nowMs, by, ...order } });
  if (policyJson !== '') say({ kind: 'policy', version: policyVersion, payload: policyJson });
  for (const { id, key: hostKey, facts } of hosts.values()) {
    for (const order of ordersOf(facts)) say({ hostKey, ...order });
    const { own } = hosts.hostSlots.of(id);
    if (own >= 0) say({ kind: 'hostLeases', hostKey, amount: own });
  }
  for (const [hostKey, { trapped, released }] of traps.active) {
    const ordered = trapped.filter(({ reason }) => reason === 'operator');
    for (const { pattern, detail } of ordered)
      say({ kind: 'trap', hostKey, payload: JSON.stringify({ pattern, detail }) });
    for (const { pattern } of released) say({ kind: 'releaseTrap', hostKey, payload: JSON.stringify({ pattern }) });
  }
  return messages;
}

function* ordersOf({ hold, ownDelayMs, ownDelayIsLeast, pagesMax, ownBudget }: HostFacts): Generator<Order> {
  const held = ofHold[hold];
  if (held !== undefined) yield held;
  const payload = ownDelayIsLeast ? leastDelay : '';
  if (ownDelayMs >= 0) yield { kind: 'hostDelay', amount: ownDelayMs, payload };
  if (pagesMax >= 0) yield { kind: 'hostLimit', amount: pagesMax };
  if (ownBudget >= 0) yield { kind: 'budget', amount: ownBudget };
}
