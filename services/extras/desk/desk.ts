/**
 * The page for webmasters: a verified owner of a host sees our visits to it, and can slow, pause or remove the host, by
 * events on `control` that are limited to that host.
 *
 * The service stores nothing: its secret verifies what it gave out, and `control` has the orders. A kill between an
 * order and its receipt leaves the order. The same order again changes nothing, and its receipt is equally valid.
 */

import type { Control } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { registrableDomain } from '../../../topology/url/registrable-domain.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Said } from '../../runtime/crawl/operator-events.ts';
import type { CrawlTopics, RequestRecord } from '../../runtime/crawl/requests.ts';
import { challengeFor, isAnswer } from './challenge.ts';
import { deskLimits } from './desk-limits.ts';
import { nameOfHost } from './host-name.ts';
import { deskName, type HostOrders, hostOrders } from './host-orders.ts';
import { createOneAtATime } from './one-at-a-time.ts';
import { eventsOf, type Order } from './orders.ts';
import { type Look, lookAtDns, lookAtFile, type Places } from './prove-host.ts';
import { createRates } from './rates.ts';
import type { Sealer } from './sealed.ts';
import { type Proven, provenNow, type Visit, withProof } from './visit.ts';

/** A crawl as the desk needs it. */
export interface DeskCrawl {
  readonly crawl: string;
  /** Events about the host on `control`, in order. `before`: an offset of its partition; absent: all. */
  events(hostKey: string, before?: number): Promise<readonly Control[]>;
  /** The policy's delay for the host, ms. */
  policyDelayMs(hostKey: string): Promise<number>;
  account(hostKey: string): Promise<HostAccount>;
  /** Resolves with the places of the records once they are durable. */
  send(make: (topics: CrawlTopics, said: Said) => readonly RequestRecord[], said: Said): Promise<readonly Place[]>;
  sign(receipt: DeskReceipt): Promise<string>;
}

/** On `control`. */
export interface Place {
  readonly partition: number;
  readonly offset: number;
}

export interface DeskReceipt {
  readonly receipt: 'crawlstream-desk-1';
  readonly crawl: string;
  readonly host: string;
  readonly order: Order['name'];
  /** For `delay`; null: withdraw the webmaster's delay. */
  readonly delayMs?: number | null;
  /** ISO 8601. */
  readonly at: string;
  readonly by: string;
  readonly proof: { readonly how: Proven['how']; readonly until: string };
  /** Partition and offset of the event. */
  readonly control: readonly string[];
}

/** Our visits to a host, from the crawl's records. */
export interface HostAccount {
  /** In words, for people. */
  readonly text: string;
  /** The newest, newest first. */
  readonly requests: readonly AccountRequest[];
  readonly copies: readonly {
    readonly hash: string;
    readonly url: string;
    readonly atMs: number;
    readonly status: number;
  }[];
}

export interface AccountRequest {
  readonly atMs: number;
  readonly url: string;
  readonly kind: string;
  /** 0: no answer. */
  readonly status: number;
  readonly bytes: number;
  readonly robotsHash: string;
  readonly userAgent: string;
}

export interface DeskOptions {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly sealer: Sealer;
  readonly places: Places;
  readonly of: DeskCrawl;
  /** Time for which a proof is valid before the host is checked again, ms. */
  readonly proofMs: number;
}

export interface OrdersInForce {
  readonly orders: HostOrders;
  readonly policyMs: number;
}

const minuteMs = 60_000;

export class Desk {
  readonly #options: DeskOptions;
  readonly #perMinute = createRates(minuteMs);
  readonly #perHour = createRates(60 * minuteMs);
  readonly #oneAtATime = createOneAtATime();
  readonly #accounts = new Map<string, { readonly untilMs: number; readonly account: Promise<HostAccount> }>();
  #looking = 0;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  get crawl(): string {
    return this.#options.of.crawl;
  }

  /** True if another call from this address is within the limit. */
  takesCall(caller: string): boolean {
    return this.#perMinute.take(`call ${caller}`, deskLimits.callsPerMinute, this.#nowMs);
  }

  /** The line that this visitor is to publish at the host. */
  challenge({ visitor }: Visit, hostKey: string): string {
    const { sealer } = this.#options;
    return challengeFor(sealer, { crawl: this.crawl, hostKey, visitor }, this.#nowMs);
  }

  proven(visit: Visit, hostKey: string): Proven | undefined {
    return provenNow(visit, hostKey, this.#nowMs);
  }

  /** The visit with the proof, or why there is none. Throws RATE_LIMITED. */
  async prove(
    visit: Visit,
    hostKey: string,
    how: Proven['how'],
    caller: string,
  ): Promise<{ readonly visit: Visit | null; readonly look: Look }> {
    const { sealer, places, proofMs } = this.#options;
    const { proofsPerMinute, proofsOfHostPerMinute, proofsAtOnce } = deskLimits;
    const isWithin =
      this.#perMinute.take(`proof ${caller}`, proofsPerMinute, this.#nowMs) &&
      this.#perMinute.take(`proof of ${hostKey}`, proofsOfHostPerMinute, this.#nowMs) &&
      this.#looking < proofsAtOnce;
    if (!isWithin) throw tooMany('too many verification attempts: try again in a minute');
    const asked = { crawl: this.crawl, hostKey, visitor: visit.visitor };
    const isIt = (text: string) => isAnswer(sealer, asked, text, this.#nowMs);
    this.#looking += 1;
    try {
      const look = await (how === 'dns' ? lookAtDns : lookAtFile)(places, hostKey, isIt);
      if (look.problem !== null) return { visit: null, look };
      return { visit: withProof(visit, { hostKey, how, untilMs: this.#nowMs + proofMs }), look };
    } finally {
      this.#looking -= 1;
    }
  }

  /** `hostKey`: a host with a valid proof. */
  async inForce(hostKey: string): Promise<OrdersInForce> {
    const { of } = this.#options;
    return this.#oneAtATime(async () => {
      const [events, policyMs] = [await of.events(hostKey), await of.policyDelayMs(hostKey)];
      return { orders: hostOrders(events, hostKey, this.#nowMs), policyMs };
    });
  }

  /** `hostKey`: a host with a valid proof. */
  account(hostKey: string): Promise<HostAccount> {
    const kept = this.#accounts.get(hostKey);
    if (kept !== undefined && kept.untilMs > this.#nowMs) return kept.account;
    for (const [other, { untilMs }] of this.#accounts) if (untilMs <= this.#nowMs) this.#accounts.delete(other);
    const account = this.#oneAtATime(() => this.#options.of.account(hostKey));
    this.#accounts.set(hostKey, { untilMs: this.#nowMs + deskLimits.accountMs, account });
    account.catch(() => this.#accounts.delete(hostKey));
    return account;
  }

  /** `proof`: a valid proof of the host. Throws INVALID_ARGUMENT and RATE_LIMITED. */
  async order(proof: Proven, order: Order): Promise<{ readonly receipt: DeskReceipt; readonly signed: string }> {
    const { of } = this.#options;
    const { hostKey } = proof;
    if (proof.untilMs <= this.#nowMs)
      throw new CrawlstreamError('INVALID_ARGUMENT', 'your verification of this host has expired: verify it again');
    const name = nameOfHost(hostKey);
    const domain = registrableDomain(name) ?? name;
    if (!this.#perHour.take(domain, deskLimits.ordersOfDomainPerHour, this.#nowMs))
      throw tooMany(`too many orders for hosts of ${domain} in the last hour: try again later`);
    return this.#oneAtATime(async () => {
      const [events, policyMs] = [await of.events(hostKey), await of.policyDelayMs(hostKey)];
      const atMs = this.#nowMs;
      const make = eventsOf(order, hostKey, { orders: hostOrders(events, hostKey, atMs), policyMs });
      const said = { by: deskName(hostKey), atMs };
      const sent = await of.send(make, said);
      await this.#checkOvertaken(order, hostKey, policyMs, sent[0]!.offset);
      const receipt: DeskReceipt = {
        receipt: 'crawlstream-desk-1',
        ...{ crawl: this.crawl, host: hostKey, order: order.name },
        ...(order.name === 'delay' && { delayMs: order.delayMs }),
        ...{ at: new Date(atMs).toISOString(), by: said.by },
        proof: { how: proof.how, until: new Date(proof.untilMs).toISOString() },
        control: sent.map(({ partition, offset }) => `${partition}:${offset}`),
      };
      return { receipt, signed: await of.sign(receipt) };
    });
  }

  /**
   * An operator's order between this service's check and the new order takes precedence: the new order then has no
   * effect (topology/frontier/decide/control), and no receipt.
   */
  async #checkOvertaken(order: Order, hostKey: string, policyMs: number, offset: number): Promise<void> {
    const orders = hostOrders(await this.#options.of.events(hostKey, offset), hostKey, this.#nowMs);
    eventsOf(order, hostKey, { orders: { ...orders, recent: 0 }, policyMs });
  }

  get #nowMs(): number {
    return this.#options.clock.nowMs();
  }
}

/** Answered as 429. */
export class TooManyError extends Error {
  override readonly name = 'TooManyError';
}

function tooMany(message: string): TooManyError {
  return new TooManyError(message);
}
