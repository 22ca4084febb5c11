/**
 * From a host and port to the addresses a connection may go to.
 *
 * Invariant: every address given out has passed the address guard (no loopback, private, link-local, metadata, …),
 * unless it came from `--resolve` or the guard is off. The guard runs on each answer, cached or new, literal or looked
 * up, and connections go to the very addresses given out: a name that changes its answer between check and connect
 * (DNS rebinding) gains nothing.
 */
import { isIP } from 'node:net';
import type { Clock } from '../../runtime/clock.ts';
import { requestLimits } from '../http/request-limits.ts';
import type { DnsLookup } from './dns-lookup.ts';
import { createFairLookup, type FairLookup } from './fair-lookup.ts';
import { KnownNames } from './known-names.ts';
import type { OverrideLookup } from './resolve-override.ts';

export type Resolution =
  | {
      readonly ok: true;
      /** At least one, best first. */
      readonly addresses: readonly string[];
      /** From `--resolve`: chosen by the user, so neither guarded nor paced by address. */
      readonly overridden: boolean;
    }
  | {
      readonly ok: false;
      readonly kind: 'dnsFailed' | 'blockedAddress';
      readonly detail: string;
      /** Error of a look-up without an answer. Absent: it was answered. */
      readonly code?: string;
    };

export interface Resolver {
  /**
   * Resolves a host and port; at once if the answer is cached. `hostname` as in a URL (an IPv6 literal may be in
   * brackets).
   */
  resolve(hostname: string, port: number): Resolution | Promise<Resolution>;
  /** Resolves a host and port without a look-up. Undefined: it needs one. */
  known(hostname: string, port: number): Resolution | undefined;
  /** When name servers were asked for the newest answer for the name, ms since the Unix epoch. Undefined: there is none. */
  askedAtMs(hostname: string): number | undefined;
  /** Names that wait until others have been looked up. */
  readonly waiting: number;
  /** Names that could not be looked up may be by now. */
  forgetFailures(): void;
  /** True if name servers answer for other names now. Null: too few are known. */
  resolvesOthers(hostname: string): Promise<boolean | null>;
  /**
   * Reports an address of the name without an answer: it comes last from now on. False: the name has no other address.
   */
  avoid(hostname: string, address: string): boolean;
}

export interface ResolverOptions {
  readonly clock: Clock;
  readonly lookup: DnsLookup;
  readonly overrides: OverrideLookup;
  /** True for an address that must not be connected to. */
  readonly isBlocked: (address: string) => boolean;
}

interface CachedAnswer {
  readonly addresses: readonly string[];
  readonly detail: string;
  readonly code?: string;
  readonly askedAtMs: number;
  readonly expiresMs: number;
}

export function createResolver(options: ResolverOptions): Resolver {
  const { clock, overrides, isBlocked } = options;
  const answers = new Map<string, CachedAnswer>();
  const underWay = new Map<string, Promise<CachedAnswer>>();

  const guarded = (hostname: string, answer: CachedAnswer): Resolution => {
    const { detail, code } = answer;
    if (answer.addresses.length === 0)
      return { ok: false, kind: 'dnsFailed', detail, ...(code !== undefined && { code }) };
    const allowed = answer.addresses.filter((address) => !isBlocked(address));
    if (allowed.length > 0) return { ok: true, addresses: allowed, overridden: false };
    return {
      ok: false,
      kind: 'blockedAddress',
      detail: `${hostname} is at ${answer.addresses[0]}, which is not public`,
    };
  };

  const fair = createFairLookup(options.lookup);
  const knownNames = new KnownNames(clock, options.lookup);
  const ask = async (hostname: string): Promise<CachedAnswer> => {
    const answer = await lookedUp(fair.lookup, hostname, clock);
    if (answer.code === undefined) knownNames.answered(hostname);
    if (answers.size >= requestLimits.dnsEntriesMax) answers.delete(answers.keys().next().value!);
    answers.set(hostname, answer);
    underWay.delete(hostname);
    return answer;
  };

  const known = (hostname: string, port: number): Resolution | undefined => {
    const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    const override = overrides(literal, port);
    if (override !== undefined) return { ok: true, addresses: [override], overridden: true };
    if (isIP(literal) !== 0) return guarded(literal, { addresses: [literal], detail: '', askedAtMs: 0, expiresMs: 0 });
    const answer = answers.get(hostname);
    return answer !== undefined && answer.expiresMs > clock.nowMs() ? guarded(hostname, answer) : undefined;
  };

  return {
    known,
    askedAtMs: (hostname) => answers.get(hostname)?.askedAtMs,
    get waiting() {
      return fair.waiting;
    },
    forgetFailures() {
      for (const [hostname, { addresses }] of answers) if (addresses.length === 0) answers.delete(hostname);
    },
    resolvesOthers: (hostname) => knownNames.answerOthers(hostname),
    avoid(hostname, address) {
      const answer = answers.get(hostname);
      const others = answer?.addresses.filter((other) => other !== address) ?? [];
      if (answer === undefined || !others.some((other) => !isBlocked(other))) return false;
      if (answer.addresses.includes(address)) answers.set(hostname, { ...answer, addresses: [...others, address] });
      return true;
    },
    resolve(hostname, port) {
      const resolution = known(hostname, port);
      if (resolution !== undefined) return resolution;
      answers.delete(hostname);
      let answer = underWay.get(hostname);
      if (answer === undefined) underWay.set(hostname, (answer = ask(hostname)));
      return answer.then((fresh) => guarded(hostname, fresh));
    },
  };
}

async function lookedUp(lookup: FairLookup['lookup'], hostname: string, clock: Clock): Promise<CachedAnswer> {
  const { addressesMax, dnsTtlMinMs, dnsTtlMaxMs, dnsNegativeTtlMs } = requestLimits;
  let askedAtMs = clock.nowMs();
  const failed = (detail: string) => {
    return { addresses: [], detail, askedAtMs, expiresMs: clock.nowMs() + dnsNegativeTtlMs };
  };
  try {
    const { addresses, ttlMs } = await lookup(hostname, () => (askedAtMs = clock.nowMs()));
    if (addresses.length === 0) return failed(`${hostname} has no address`);
    // IPv4 first: a crawler gains nothing from IPv6, and a broken IPv6 route costs a connect timeout per host.
    const inOrder = [...addresses.filter((one) => isIP(one) === 4), ...addresses.filter((one) => isIP(one) === 6)];
    const believedMs = Math.min(Math.max(ttlMs, dnsTtlMinMs), dnsTtlMaxMs);
    return { addresses: inOrder.slice(0, addressesMax), detail: '', askedAtMs, expiresMs: clock.nowMs() + believedMs };
  } catch (error) {
    const { code = 'EAI_AGAIN', message } = error as NodeJS.ErrnoException;
    return { ...failed(`looking up ${hostname}: ${message}`), code };
  }
}
