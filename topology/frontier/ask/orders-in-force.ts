/**
 * Restores the events of `control` if it was lost: the policy, and orders of operators and webmasters for hosts, from
 * the state. Deciding these events again changes nothing. Payments, keys of signatures that were set on a running
 * crawl, and crawl ids of pull clients are not in the state, so they are lost with `control`.
 */
import { blankControl } from '../../../schemas/blank.ts';
import type { Control } from '../../../schemas/types.ts';
import type { HostFacts, HostHold } from '../changes/changes.ts';
import { leastDelay, ofWebmaster, trapPayload } from '../decide/control-payloads.ts';
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

/**
 * The newest orders on `control`, in the order of their offsets. An order in force that is the newest of its kind there
 * need not be sent again.
 */
export class StatedOrders {
  readonly #newest = new Map<string, Control>();

  take(event: Control): void {
    const subject = subjectOf(event);
    if (subject === null) return;
    // Of policies, the newest version is in force, and of one version the first.
    const before = this.#newest.get(subject);
    if (event.kind === 'policy' && before !== undefined && event.version <= before.version) return;
    this.#newest.set(subject, event);
  }

  has(order: Control): boolean {
    const newest = this.#newest.get(subjectOf(order) ?? '');
    return newest !== undefined && contents.every((field) => newest[field] === order[field]);
  }
}

const contents = ['kind', 'version', 'amount', 'payload'] as const;

/** Orders of one subject replace each other. null: the event is no order that lasts. */
function subjectOf({ kind, hostKey, payload }: Control): string | null {
  switch (kind) {
    case 'policy':
      return kind;
    case 'hostDelay':
    case 'hostLimit':
    case 'hostLeases':
    case 'budget':
      return `${kind} ${hostKey}`;
    case 'blockHost':
    case 'releaseHost':
      return `hold ${hostKey}`;
    case 'purge':
      return payload === '' ? `hold ${hostKey}` : null;
    case 'trap':
    case 'releaseTrap':
      return `trap ${hostKey} ${trapPayload(payload)?.pattern ?? ''}`;
    default:
      return null;
  }
}

function* ordersOf({ hold, ownDelayMs, ownDelayIsLeast, pagesMax, ownBudget }: HostFacts): Generator<Order> {
  const held = ofHold[hold];
  if (held !== undefined) yield held;
  const payload = ownDelayIsLeast ? leastDelay : '';
  if (ownDelayMs >= 0) yield { kind: 'hostDelay', amount: ownDelayMs, payload };
  if (pagesMax >= 0) yield { kind: 'hostLimit', amount: pagesMax };
  if (ownBudget >= 0) yield { kind: 'budget', amount: ownBudget };
}
