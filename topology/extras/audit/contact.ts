/** A request that reached a host, or tried to, with all its bounds: an audit compares it with its neighbours. */
import type { Pace } from './orders.ts';
import type { Place, Violation, ViolationKind } from './violation.ts';

export interface Contact {
  readonly place: Place;
  /** The host of the URL, with its port if the URL has one. */
  readonly host: string;
  readonly url: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly status: number;
  /** The pause that the response requested, ms from its end; 0: none. */
  readonly retryAfterMs: number;
  readonly fetcherId: string;
  /** `leases`: all fetchers together, since they share a host by its leases. A renderer is a separate client. */
  readonly client: string;
  /** The lease's number in its partition; all requests of a lease have the same. */
  readonly leaseId: number;
  readonly pace: Pace;
  /** The Crawl-delay of the robots.txt that the request went by, ms; 0: none. */
  readonly crawlDelayMs: number;
}

/** Allowed difference of clocks, and delay of orders, ms. */
export interface Tolerance {
  /** Difference between the clocks of two fetchers. */
  readonly skewMs: number;
  /** Time until an order, or a fact that one lease has learnt, is known everywhere. */
  readonly noticeMs: number;
}

export function broken(
  { place, host, url, startMs }: Pick<Contact, 'place' | 'host' | 'url' | 'startMs'>,
  kind: ViolationKind,
  source: string,
  measuredMs: number | null = null,
  boundMs: number | null = null,
): Violation {
  return { kind, host, url, ...place, atMs: startMs, measuredMs, boundMs, source };
}
