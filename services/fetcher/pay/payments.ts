/** Pays for pages that answer 402. An extra offers this. */
import type { Control } from '../../../schemas/types.ts';
import type { Quote } from '../../../topology/fetch/quote.ts';
import type { PayPolicy } from '../../../topology/policy/pay-config.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { Hooks } from '../hooks/run-hooks.ts';
import type { HttpResponse } from '../http/client.ts';

export type OpenPayments = (options: PaymentsOptions) => Payments;

export interface Payments {
  /** An event of partition 0 of `control`. */
  take(event: Control): void;
  pay(page: PricedPage, send: SendPaid): Promise<PaidFor>;
}

export interface PricedPage {
  readonly url: string;
  readonly hostKey: string;
  readonly quote: Quote;
}

/** Makes one more request for the page, with these headers beside the usual ones. null: nothing was sent. */
export type SendPaid = (headers: Readonly<Record<string, string>>) => Promise<HttpResponse | null>;

export type PaidFor =
  | { readonly response: HttpResponse; readonly paid: string }
  /** Why it is not. `paid`: counted as spent all the same; empty: nothing was. */
  | { readonly response: null; readonly why: string; readonly paid: string };

export interface PaymentsOptions {
  readonly log: Pick<Log, 'append'>;
  readonly codec: RecordCodec;
  readonly crawl: string;
  /** Of plugins, one of which pays. */
  readonly hooks: Hooks;
  readonly policy: () => PayPolicy | 'none' | undefined;
  readonly by: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
