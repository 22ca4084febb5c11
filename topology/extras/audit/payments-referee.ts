/**
 * Checks that money was spent only where a policy allowed it, from `control` and `results` alone: each payment against
 * the prices and sums of the policies in force then, and each paid answer against the payments.
 *
 * Sums are in billionths of the currency. An amount that cannot be read is more than any policy allows.
 */
import type { Control, Outcome } from '../../../schemas/types.ts';
import type { Place, Violation } from './violation.ts';

export interface PaymentCounts {
  /** Made, or not known not to be. */
  readonly payments: number;
  /** By currency, in billionths. */
  readonly spent: ReadonlyMap<string, bigint>;
  /** Answers of 402, paid for or not. */
  readonly asked: number;
}

export interface PaymentsReferee {
  /** An event of partition 0 of `control`, in order. */
  note(event: Control, place: Place): void;
  /** An outcome on `results`, after all events. */
  answer(outcome: Outcome, atMs: number, place: Place): void;
  /** Call it after the last record of both topics. */
  end(): PaymentCounts;
}

interface Allowed {
  readonly atMs: number;
  readonly currency: string;
  readonly total: bigint;
  readonly page: bigint;
  readonly host: bigint;
  readonly hosts: readonly string[] | null;
}

interface Offered {
  readonly host: string;
  readonly url: string;
  readonly price: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly atMs: number;
  readonly place: Place;
  withdrawn: boolean;
}

const nothing: Omit<Allowed, 'atMs'> = { currency: '', total: 0n, page: 0n, host: 0n, hosts: null };

export function createPaymentsReferee(noticeMs: number, onViolation: (violation: Violation) => void): PaymentsReferee {
  const policies: Allowed[] = [];
  const offers = new Map<string, Offered>();
  let asked = 0;

  const object = ({ host, url, atMs, place }: Pick<Offered, 'host' | 'url' | 'atMs' | 'place'>, source: string) =>
    onViolation({ ...place, kind: 'payment', host, url, atMs, measuredMs: null, boundMs: null, source });

  /** A policy takes its time to get around: any that was in force within it may have been gone by. */
  const inForce = (atMs: number): readonly Allowed[] => {
    const settled = policies.findLastIndex((one) => one.atMs <= atMs - noticeMs);
    return policies.slice(Math.max(0, settled)).filter((one) => one.atMs <= atMs);
  };

  const judge = () => {
    const sums = new Map<string, bigint>();
    const paid = new Set<string>();
    for (const one of offers.values()) {
      if (one.withdrawn) continue;
      const ofHost = `${one.currency} ${one.host}`;
      sums.set(one.currency, (sums.get(one.currency) ?? 0n) + one.amount);
      sums.set(ofHost, (sums.get(ofHost) ?? 0n) + one.amount);
      const rules = inForce(one.atMs).filter(
        ({ currency, hosts }) => currency === one.currency && (hosts === null || hosts.some(names(one.host))),
      );
      const fits = (limit: 'total' | 'page' | 'host', sum: bigint) => rules.some((rule) => sum <= rule[limit]);
      if (rules.length === 0) object(one, `${one.price} was offered, but the policy in force allows no payment`);
      else if (!fits('page', one.amount)) object(one, `${one.price} was offered, above the price limit of a page`);
      else if (!fits('total', sums.get(one.currency)!)) object(one, `${one.price} was offered, above the total budget`);
      else if (!fits('host', sums.get(ofHost)!)) object(one, `${one.price} was offered, above the budget of the host`);
      if (paid.has(one.url)) object(one, `${one.price} was offered for a page that was already paid for`);
      paid.add(one.url);
    }
    return sums;
  };

  return {
    note({ kind, id, hostKey, atMs, payload }, place) {
      if (kind === 'policy') policies.push({ atMs, ...allowedBy(payload) });
      if (kind !== 'payment') return;
      const { state, url, price } = fieldsOf(payload);
      if (state === 'withdrawn' && offers.has(id)) offers.get(id)!.withdrawn = true;
      if (state !== 'offered' || offers.has(id)) return;
      const [currency = '', amount = ''] = `${price}`.split(' ');
      const money = { price: `${price}`, currency, amount: billionths(amount) ?? 10n ** 30n };
      offers.set(id, { host: hostKey, url: `${url}`, ...money, atMs, place, withdrawn: false });
    },
    answer({ url, status, price, paid }, atMs, place) {
      if (status === 402 || price !== '' || paid !== '') asked += 1;
      if (paid === '') return;
      const known = [...offers.values()].some((one) => one.url === url && one.price === paid && !one.withdrawn);
      const host = new URL(url).host;
      if (!known) object({ host, url, atMs, place }, `${paid} was offered, but no payment is recorded`);
    },
    end() {
      const sums = judge();
      const spent = new Map([...sums].filter(([key]) => !key.includes(' ')));
      return { payments: [...offers.values()].filter(({ withdrawn }) => !withdrawn).length, spent, asked };
    },
  };
}

function names(host: string): (domain: string) => boolean {
  const name = host.replace(/:\d+$/, '');
  return (domain) => name === domain || name.endsWith(`.${domain}`);
}

/** A policy that is unreadable, or has no payment limits, allows no payment. */
function allowedBy(payload: string): Omit<Allowed, 'atMs'> {
  const pay = fieldsOf(payload)['pay'];
  if (typeof pay !== 'object' || pay === null) return nothing;
  const { currency, total, page, host = total, hosts = null } = pay as Readonly<Record<string, unknown>>;
  return {
    currency: `${currency}`,
    total: billionths(`${total}`) ?? 0n,
    page: billionths(`${page}`) ?? 0n,
    host: billionths(`${host}`) ?? 0n,
    hosts: hosts as readonly string[] | null,
  };
}

function fieldsOf(payload: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(payload) ?? {}) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

function billionths(amount: string): bigint | null {
  const [, whole, part = ''] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(amount) ?? [];
  return whole === undefined ? null : BigInt(whole + part.padEnd(9, '0'));
}
