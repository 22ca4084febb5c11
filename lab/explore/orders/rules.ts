/** The rules of the worlds `desk` and `forget`, computed from the orders alone. */
import type { Control } from '../../../schemas/types.ts';
import { isOfWebmaster, leastDelayPayload, purgePayload } from '../../../topology/frontier/decide/control-payloads.ts';
import { Violation } from '../engine/explore.ts';
import { delayMs, deskOrders, forgetOrders, host } from './setting.ts';
import type { OrdersWorld } from './world.ts';

export const deskWorld: OrdersWorld = {
  orders: deskOrders,
  kills: 1,
  /** A webmaster never shortens the operator's delay, and never ends the operator's block. */
  check({ decider }, orders) {
    const facts = decider.copy.hosts.get(host);
    if (facts === undefined) return;
    const { leastMs, hold } = askedOf(orders);
    const inForceMs = Math.max(facts.ownDelayMs, facts.ownDelayIsLeast ? delayMs : -1);
    if (inForceMs < leastMs) throw new Violation(`desk: the host's own delay is ${inForceMs} ms, not ${leastMs} ms`);
    if (facts.hold !== hold) throw new Violation(`desk: the host is held for "${facts.hold}", not for "${hold}"`);
  },
  checkGrant(task, orders) {
    const { leastMs, hold } = askedOf(orders);
    if (hold !== '') throw new Violation(`desk: lease ${task.leaseId} is granted though the host is ${hold}`);
    if (task.delayMs < leastMs) throw new Violation(`desk: a task has the delay ${task.delayMs} ms, not ${leastMs} ms`);
  },
};

/** The operator's order counts over the webmaster's, whichever came first. */
function askedOf(orders: readonly Control[]) {
  let [operatorsMs, webmastersMs, isBlocked, isPaused] = [-1, -1, false, false];
  for (const { kind, amount, payload } of orders) {
    if (kind === 'hostDelay') {
      const theirs = leastDelayPayload(payload) !== null;
      if (!theirs) [operatorsMs, webmastersMs] = [amount, -1];
      else webmastersMs = amount;
    } else {
      const isOn = kind === 'blockHost';
      if (!isOfWebmaster(payload)) [isBlocked, isPaused] = [isOn, false];
      else if (!isBlocked) isPaused = isOn;
    }
  }
  const hold = isBlocked ? 'blocked' : isPaused ? 'paused' : '';
  return { leastMs: Math.max(operatorsMs, webmastersMs), hold };
}

export const forgetWorld: OrdersWorld = {
  orders: forgetOrders,
  kills: 1,
  /** Purged URLs neither wait nor are leased. Pages counted before stay counted. */
  check({ decider }, orders) {
    const { urls, isHostGone } = purgedBy(orders);
    const { queued, retrying, deferred, leased } = decider.copy.counters;
    const most = isHostGone ? 0 : 2 - urls.size;
    if (queued + retrying + deferred + leased > most)
      throw new Violation(
        `forget: ${queued} URLs are queued, ${retrying} retrying, ${deferred} deferred and ${leased} leased, of ${most} that may be`,
      );
  },
  checkGrant(task, orders) {
    const { url } = task.urls[0]!;
    const { urls, isHostGone } = purgedBy(orders);
    if (isHostGone || urls.has(url)) throw new Violation(`forget: ${url} is leased after its purge`);
  },
};

function purgedBy(orders: readonly Control[]) {
  const urls = new Set<string>();
  let isHostGone = false;
  for (const { kind, payload } of orders) {
    if (kind === 'releaseHost') isHostGone = false;
    const purged = kind === 'purge' ? purgePayload(payload) : null;
    if (purged?.url === '') isHostGone = true;
    else if (purged !== null) urls.add(purged.url);
  }
  return { urls, isHostGone };
}
