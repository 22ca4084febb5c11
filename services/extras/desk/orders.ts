/** Orders that a webmaster may give for their proven host: they can only make the crawl do less. */
import { invalid } from '../../../topology/errors.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import {
  leastDelayEvent,
  pauseEvent,
  purgeEvent,
  type Said,
  takeBackDelayEvent,
} from '../../runtime/crawl/operator-events.ts';
import type { CrawlTopics, RequestRecord } from '../../runtime/crawl/requests.ts';
import { deskLimits } from './desk-limits.ts';
import type { HostOrders } from './host-orders.ts';

export const orderNames = ['delay', 'pause', 'resume', 'remove'] as const;
export type OrderName = (typeof orderNames)[number];

export interface Order {
  readonly name: OrderName;
  /** ms; null: no own delay. For `delay` only. */
  readonly delayMs: number | null;
}

/** A form's fields. Throws INVALID_ARGUMENT. */
export function readOrder(fields: ReadonlyMap<string, string>): Order {
  const name = orderNames.find((one) => one === fields.get('order'));
  if (name === undefined) throw invalid(`order: send one of ${orderNames.join(', ')}`);
  if (name === 'remove' && fields.get('sure') !== 'yes')
    throw invalid('confirm: send sure=yes; removed pages cannot be restored');
  if (name !== 'delay') return { name, delayMs: null };
  const text = (fields.get('seconds') ?? '').trim();
  if (text === '') return { name, delayMs: null };
  const delayMs = Math.round(Number(text) * 1_000);
  if (!/^\d{1,9}(?:\.\d{1,3})?$/.test(text) || delayMs > crawlLimits.delayMsMax)
    throw invalid(
      `seconds: enter a number up to ${crawlLimits.delayMsMax / 1_000}, or leave it empty to remove your delay`,
    );
  return { name, delayMs };
}

/**
 * Throws INVALID_ARGUMENT for an order that a webmaster may not give, or not now. `policyMs`: the policy's delay for
 * the host.
 */
export function eventsOf(
  { name, delayMs }: Order,
  hostKey: string,
  { orders, policyMs }: { readonly orders: HostOrders; readonly policyMs: number },
): (topics: CrawlTopics, said: Said) => RequestRecord[] {
  if (orders.recent >= deskLimits.ordersPerHour)
    throw invalid(`${orders.recent} orders for ${hostKey} were given in the last hour: try again later`);
  if (orders.removed) throw invalid(`${hostKey} was already removed; only the operator of this crawl can add it again`);
  if (name === 'remove') return (topics, said) => purgeEvent(topics, said, hostKey, null);
  if (name === 'pause' || name === 'resume') {
    if (orders.paused === 'byOperator')
      throw invalid(`the operator of this crawl blocked ${hostKey}; only the operator can unblock it`);
    if (name === 'resume' && orders.paused === 'no')
      throw invalid(`${hostKey} is not paused on this page, so it cannot be resumed here`);
    return (topics, said) => pauseEvent(topics, said, hostKey, name === 'resume');
  }
  const { operatorDelayMs } = orders;
  if (delayMs === null) return (topics, said) => takeBackDelayEvent(topics, said, hostKey, operatorDelayMs ?? -1);
  const leastMs = Math.max(policyMs, operatorDelayMs ?? 0);
  if (delayMs < leastMs)
    throw invalid(`seconds: the crawl already waits ${leastMs / 1_000} s between requests; enter at least this number`);
  return (topics, said) => leastDelayEvent(topics, said, hostKey, delayMs);
}
