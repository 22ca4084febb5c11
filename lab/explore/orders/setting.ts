/**
 * The webs of the worlds `desk` and `forget`: a host with two pages, the first of which links to the second, and orders about it
 * that may come at any moment, in any order.
 */
import { blankControl } from '../../../schemas/blank.ts';
import type { Control } from '../../../schemas/types.ts';
import { hostOrders } from '../../../services/extras/desk/host-orders.ts';
import { leastDelay, ofWebmaster, takenBackDelay } from '../../../topology/frontier/decide/control-payloads.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';

export const startMs = 1_000_000;
export const delayMs = 1_000;
export const host = 'a.test';
export const firstUrl = 'http://a.test/first';
export const secondUrl = 'http://a.test/second';
export const seeds = [firstUrl] as const;

/** Of a page. */
export function linksOf(url: string): readonly string[] {
  return url === firstUrl ? [secondUrl, firstUrl] : [firstUrl];
}

export function policyEvent(): Control {
  const policy = { ...defaultPolicy(), delayMs, delayFactor: 0, retriesMs: [], urlsPerLeaseMax: 1 };
  return { ...blankControl, kind: 'policy', version: 1, payload: JSON.stringify(policy) };
}

export interface Order {
  readonly say: string;
  /** `before`: the orders that came before it. */
  event(before: readonly Control[]): Control;
}

const about = (say: string, eventOf: Partial<Control> | ((before: readonly Control[]) => Partial<Control>)): Order => ({
  say,
  event: (before) => {
    const event = typeof eventOf === 'function' ? eventOf(before) : eventOf;
    return { ...blankControl, hostKey: host, by: 'explored', ...event };
  },
});

export const operatorsDelayMs = 3_000;
export const webmastersDelayMs = 5_000;

/** Orders of a host's webmaster, beside the operator's. */
export const deskOrders = [
  about('the operator sets a delay of 3 s', { kind: 'hostDelay', amount: operatorsDelayMs }),
  about('the webmaster asks for a delay of 5 s', { kind: 'hostDelay', amount: webmastersDelayMs, payload: leastDelay }),
  about('the webmaster takes the delay back', (before) => {
    const { operatorDelayMs } = hostOrders(before, host, startMs);
    return { kind: 'hostDelay', amount: -1, payload: takenBackDelay(operatorDelayMs ?? -1) };
  }),
  about('the operator blocks the host', { kind: 'blockHost' }),
  about('the webmaster pauses the host', { kind: 'blockHost', payload: ofWebmaster }),
  about('the webmaster ends the pause', { kind: 'releaseHost', payload: ofWebmaster }),
] as const;

/** Orders to forget a page, and then its host, beside orders that bring URLs back. */
export const forgetOrders = [
  about('the second page is purged', { kind: 'purge', payload: JSON.stringify({ url: secondUrl }) }),
  about('the second page is put first', { kind: 'raise', payload: JSON.stringify({ url: secondUrl }) }),
  about('the operator blocks the host', { kind: 'blockHost' }),
  about('the operator releases the host', { kind: 'releaseHost' }),
  about('the host is purged', { kind: 'purge' }),
] as const;
