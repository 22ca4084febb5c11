/**
 * The orders that a crawl was given, by time: policies by version, operators' delays, slots and blocks by host. Read
 * from `control` alone.
 *
 * An order must reach a partition before leases follow it: of the orders within the `noticeMs` before a lease, the
 * milder one counts. Only the fields that concern pacing are read, each by its name.
 */
import type { Control } from '../../../schemas/types.ts';
import { type OverlayOrders, overlaidPace, robotsReason } from './overlay-orders.ts';

/** The orders for a host at a moment. */
export interface Pace {
  /** Time from completion to start, ms. */
  readonly delayMs: number;
  /** Multiple of the last request's duration, up to a cap in ms. */
  readonly factor: number;
  readonly factorCapMs: number;
  /** Most simultaneous leases of the host. */
  readonly hostSlots: number;
  /** The author of the order. */
  readonly source: string;
  /** True if the hosts of a domain share the wait. */
  readonly ofDomain?: boolean;
}

export interface Orders {
  note(event: Control): void;
  /** The orders for a lease of the host that was granted at this time, under this policy version. */
  paceOf(host: string, grantedAtMs: number, policyVersion: number): Pace;
  /**
   * The reason why a host's robots.txt need not be requested at `atMs`, under a policy that was current then or shortly
   * before; null: it must be.
   */
  robotsReason(host: string, atMs: number): string | null;
  /** Time of the order for the block in force at `atMs`; null: there is none. */
  blockedSince(host: string, atMs: number): number | null;
}

interface PolicyOrders {
  readonly delayMs: number;
  readonly factor: number;
  readonly factorCapMs: number;
  readonly parallel: readonly { readonly hosts: readonly string[]; readonly leases: number }[];
  readonly overlays: readonly OverlayOrders[];
  readonly ofDomain: boolean;
}

interface Dated {
  readonly atMs: number;
  readonly amount: number;
  /** A webmaster ordered it: the policy's delay applies if it is longer. */
  readonly least?: true;
}

/** Orders by host: every order of a kind, in order of time. */
type Ledger = Map<string, Dated[]>;

export function createOrders(noticeMs: number): Orders {
  return new RecordedOrders(noticeMs);
}

class RecordedOrders implements Orders {
  readonly #noticeMs: number;
  readonly #policies = new Map<number, PolicyOrders>();
  /** Policy versions by time, for records that name no version. */
  readonly #versions: { readonly atMs: number; readonly version: number }[] = [];
  readonly #delays: Ledger = new Map();
  readonly #hostSlots: Ledger = new Map();
  readonly #blocks: Ledger = new Map();
  /** Webmasters' own, which an operator's release ends too. */
  readonly #pauses: Ledger = new Map();
  /** The present delays, in the order of `control`. */
  readonly #newestDelays = new Map<string, Omit<Dated, 'atMs'>>();

  constructor(noticeMs: number) {
    this.#noticeMs = noticeMs;
  }

  #versionAt(ms: number) {
    return (this.#versions.findLast(({ atMs }) => atMs <= ms - this.#noticeMs) ?? this.#versions[0])?.version ?? 0;
  }

  /** The orders that may be in force at `atMs`; -1: the policy decides. */
  #inForce(ledger: Ledger, host: string, atMs: number): Omit<Dated, 'atMs'>[] {
    const list = ledger.get(host) ?? [];
    const settled = list.findLast((one) => one.atMs <= atMs - this.#noticeMs) ?? { amount: -1 };
    return [settled, ...list.filter((one) => one.atMs > atMs - this.#noticeMs && one.atMs <= atMs)];
  }

  readonly note: Orders['note'] = (event) => {
    const { kind, hostKey, atMs, amount } = event;
    if (kind === 'policy' && !this.#policies.has(event.version)) {
      this.#policies.set(event.version, policyOrders(event.payload));
      this.#versions.splice(this.#versions.findLastIndex((one) => one.atMs <= atMs) + 1, 0, {
        atMs,
        version: event.version,
      });
    }
    if (kind === 'hostDelay') {
      const before = this.#newestDelays.get(hostKey) ?? { amount: -1 };
      const now = delayAfter(before, amount, payloadOf(event.payload));
      this.#newestDelays.set(hostKey, now);
      if (now !== before) enter(this.#delays, hostKey, { atMs, ...now });
    }
    if (kind === 'hostLeases') enter(this.#hostSlots, hostKey, { atMs, amount });
    if (kind === 'blockHost' || kind === 'releaseHost') {
      const isTheirs = payloadOf(event.payload)['webmaster'] === true;
      const order = { atMs, amount: kind === 'blockHost' ? 1 : 0 };
      if (!isTheirs) enter(this.#blocks, hostKey, order);
      if (isTheirs || kind === 'releaseHost') enter(this.#pauses, hostKey, order);
    }
  };

  readonly paceOf: Orders['paceOf'] = (host, grantedAtMs, policyVersion) => {
    const version = policyVersion || this.#versionAt(grantedAtMs);
    const policy = this.#policies.get(version) ?? nothingOrdered;
    const overlaid = overlaidPace(policy.overlays, host);
    const policyMs = overlaid.delayMs ?? policy.delayMs;
    const ordered = this.#inForce(this.#delays, host, grantedAtMs);
    const delayMs = Math.min(
      ...ordered.map(({ amount, least }) => (amount < 0 ? policyMs : least ? Math.max(amount, policyMs) : amount)),
    );
    const allowed = this.#inForce(this.#hostSlots, host, grantedAtMs).map(({ amount }) =>
      amount < 0 ? (overlaid.leases ?? hostSlotsByPolicy(policy, host)) : amount,
    );
    const by = overlaid.name === undefined ? '' : `, overlay ${overlaid.name}`;
    const byOperator = ordered.some(({ amount, least }) => amount >= (least ? policyMs : 0));
    return {
      delayMs,
      factor: overlaid.delayFactor ?? policy.factor,
      factorCapMs: policy.factorCapMs,
      hostSlots: Math.max(1, ...allowed),
      ...(policy.ofDomain && { ofDomain: true }),
      source: byOperator ? 'the delay that an operator set for the host' : `policy ${version}${by}`,
    };
  };

  readonly robotsReason: Orders['robotsReason'] = (host, atMs) => {
    const settled = this.#versions.findLastIndex((one) => one.atMs <= atMs - this.#noticeMs);
    for (const { version, atMs: sinceMs } of this.#versions.slice(Math.max(0, settled))) {
      const reason = sinceMs > atMs ? null : robotsReason(this.#policies.get(version)!.overlays, host);
      if (reason !== null) return reason;
    }
    return null;
  };

  readonly blockedSince: Orders['blockedSince'] = (host, atMs) => {
    const since = [this.#blocks, this.#pauses].flatMap((ledger) => {
      const newest = ledger.get(host)?.findLast((one) => one.atMs <= atMs);
      return newest?.amount === 1 ? [newest.atMs] : [];
    });
    return since.length === 0 ? null : Math.min(...since);
  };
}

/** The same event is on every partition, and may be there twice: amounts of the same moment count once. */
function enter(ledger: Ledger, host: string, order: Dated): void {
  const list = ledger.get(host) ?? [];
  ledger.set(host, list);
  const at = list.findLastIndex((one) => one.atMs <= order.atMs);
  if (list[at]?.atMs === order.atMs && list[at]?.amount === order.amount) return;
  list.splice(at + 1, 0, order);
}

/** Applies a delay order. A webmaster's order may only raise an operator's delay, and withdraws only a webmaster's. */
function delayAfter(
  before: Omit<Dated, 'atMs'>,
  amount: number,
  { least, instead }: Readonly<Record<string, unknown>>,
): Omit<Dated, 'atMs'> {
  if (least !== true) return { amount };
  if (amount >= 0) return before.least || before.amount <= amount ? { amount, least: true } : before;
  return before.least ? { amount: typeof instead === 'number' ? instead : -1 } : before;
}

function payloadOf(payload: string): Readonly<Record<string, unknown>> {
  try {
    return payload === '' ? {} : ((JSON.parse(payload) as Readonly<Record<string, unknown>> | null) ?? {});
  } catch {
    return {};
  }
}

/** A request that follows a policy which is not on record is not bound by any. */
const nothingOrdered: PolicyOrders = {
  delayMs: 0,
  factor: 0,
  factorCapMs: 0,
  parallel: [],
  overlays: [],
  ofDomain: false,
};

/** A policy that cannot be read never came into force. */
function policyOrders(payload: string): PolicyOrders {
  let policy: Record<string, unknown>;
  try {
    policy = JSON.parse(payload) as Record<string, unknown>;
  } catch {
    return nothingOrdered;
  }
  const number = (name: string) => (typeof policy[name] === 'number' ? (policy[name] as number) : 0);
  return {
    delayMs: number('delayMs'),
    factor: number('delayFactor'),
    factorCapMs: number('delayFactorCapMs'),
    parallel: (policy['parallel'] ?? []) as PolicyOrders['parallel'],
    overlays: (policy['overlays'] ?? []) as PolicyOrders['overlays'],
    ofDomain: policy['politenessKey'] === 'domain',
  };
}

/** The first rule that names the host, one of its domains, or all. */
function hostSlotsByPolicy({ parallel }: PolicyOrders, host: string): number {
  const name = host.replace(/:\d+$/, '');
  const names = (domain: string) => domain === '*' || name === domain || name.endsWith(`.${domain}`);
  return parallel.find(({ hosts }) => hosts.some(names))?.leases ?? 1;
}
