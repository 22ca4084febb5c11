/** A request that reached a host, or tried to, with all that binds it: what an audit holds against its neighbours. */
import type { Pace } from './orders.ts';
import type { Place, Violation, ViolationKind } from './violation.ts';

export interface Contact {
  readonly place: Place;
  /** Of the URL, with its port where that is named. */
  readonly host: string;
  readonly url: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly status: number;
  /** Asked for by the response, ms from its end; 0: nothing. */
  readonly retryAfterMs: number;
  readonly fetcherId: string;
  /** `leases`: all fetchers together, for a host is theirs by lease. A renderer is one by itself, beside them. */
  readonly client: string;
  /** Of its partition; the same for all requests of a lease. */
  readonly leaseId: number;
  readonly pace: Pace;
  /** Of the robots.txt that it went by, ms; 0: none. */
  readonly crawlDelayMs: number;
}

/** How clocks and news may lag, ms. */
export interface Tolerance {
  /** Between the clocks of two fetchers. */
  readonly skewMs: number;
  /** Until an order, or what one lease learns, is known everywhere. */
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
