/**
 * The facts of hosts, in columns: 22 bytes a host.
 *
 * Facts that differ between hosts have their own columns. The rest is nearly always one of a few combinations (no
 * failure, no Crawl-delay …), so hosts share a *profile*. Facts that fit neither, such as those of a dead host, are
 * stored unchanged.
 */
import type { HostFacts } from '../changes/changes.ts';
import { newHostFacts } from '../changes/changes.ts';
import { fitted } from '../storage/columns.ts';

type Profile = Omit<HostFacts, 'readyAtMs' | 'fetched' | 'pages' | 'fetchMs' | 'deadUntilMs' | 'bytes'>;

/** Profile number of hosts with facts that are stored unchanged. */
const rareProfile = 0xffff;
/** Most combinations; further ones count as rare. This bounds the memory that hostile answers can use. */
const profilesMax = 16_384;
const columnMax = 0xffff_ffff;

export class FactsTable {
  #readyAtMs = new Float64Array(0);
  #fetched = new Uint32Array(0);
  #pages = new Uint32Array(0);
  #fetchMs = new Uint32Array(0);
  #profile = new Uint16Array(0);
  /** Null if no policy has capped bytes. */
  #bytes: Float64Array<ArrayBuffer> | null = null;
  readonly #profiles: Profile[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #rare = new Map<number, HostFacts>();
  /** Whether any host may have an own budget. It only narrows the search for deferred URLs. */
  hasOwnBudgets = false;

  constructor() {
    this.#numberOf(newHostFacts);
  }

  /** Initialises the facts of a new host. */
  fit(host: number): void {
    this.#readyAtMs = fitted(this.#readyAtMs, host);
    this.#fetched = fitted(this.#fetched, host);
    this.#pages = fitted(this.#pages, host);
    this.#fetchMs = fitted(this.#fetchMs, host);
    this.#profile = fitted(this.#profile, host);
    if (this.#bytes !== null) this.#bytes = fitted(this.#bytes, host);
  }

  get(host: number): HostFacts {
    const number = this.#profile[host]!;
    if (number === rareProfile) return this.#rare.get(host)!;
    const profile = this.#profiles[number]!;
    // Copied field by field, in the order of `newHostFacts`: a tenth of the cost of spreads, and this runs several
    // times a page.
    return {
      readyAtMs: this.#readyAtMs[host]!,
      crawlDelayMs: profile.crawlDelayMs,
      ownDelayMs: profile.ownDelayMs,
      ownDelayIsLeast: profile.ownDelayIsLeast,
      pagesMax: profile.pagesMax,
      ownBudget: profile.ownBudget,
      fetched: this.#fetched[host]!,
      pages: this.#pages[host]!,
      fetchMs: this.#fetchMs[host]!,
      failures: profile.failures,
      throttles: profile.throttles,
      returns: profile.returns,
      leaseMax: profile.leaseMax,
      hold: profile.hold,
      deferredOpen: profile.deferredOpen,
      deadUntilMs: 0,
      bytes: this.#bytes === null ? 0 : this.#bytes[host]!,
      serverErrors: profile.serverErrors,
    };
  }

  set(host: number, facts: HostFacts): void {
    const { readyAtMs, fetched, pages, fetchMs, deadUntilMs, bytes, ownBudget } = facts;
    if (ownBudget >= 0) this.hasOwnBudgets = true;
    const fits = deadUntilMs === 0 && fetched <= columnMax && pages <= columnMax && fetchMs <= columnMax;
    const number = fits ? this.#numberOf(facts, this.#profile[host]!) : rareProfile;
    if (this.#profile[host] === rareProfile && number !== rareProfile) this.#rare.delete(host);
    this.#profile[host] = number;
    if (number === rareProfile) this.#rare.set(host, facts);
    this.#readyAtMs[host] = readyAtMs;
    this.#fetched[host] = fetched;
    this.#pages[host] = pages;
    this.#fetchMs[host] = fetchMs;
    if (bytes > 0) this.#bytes ??= new Float64Array(this.#fetchMs.length);
    if (this.#bytes !== null) this.#bytes[host] = bytes;
  }

  pages(host: number): number {
    return this.#pages[host]!;
  }

  readyAtMs(host: number): number {
    return this.#readyAtMs[host]!;
  }

  ownDelayMs(host: number): number {
    const number = this.#profile[host]!;
    return number === rareProfile ? this.#rare.get(host)!.ownDelayMs : this.#profiles[number]!.ownDelayMs;
  }

  /** -1: none. */
  ownBudget(host: number): number {
    const number = this.#profile[host]!;
    return number === rareProfile ? this.#rare.get(host)!.ownBudget : this.#profiles[number]!.ownBudget;
  }

  deferredOpen(host: number): boolean {
    const number = this.#profile[host]!;
    return number === rareProfile ? this.#rare.get(host)!.deferredOpen : this.#profiles[number]!.deferredOpen;
  }

  hold(host: number): HostFacts['hold'] {
    const number = this.#profile[host]!;
    return number === rareProfile ? this.#rare.get(host)!.hold : this.#profiles[number]!.hold;
  }

  deadUntilMs(host: number): number {
    return this.#profile[host] === rareProfile ? this.#rare.get(host)!.deadUntilMs : 0;
  }

  /** `likely`: the profile to look at first. */
  #numberOf(facts: HostFacts, likely = rareProfile): number {
    const one = this.#profiles[likely];
    if (one !== undefined && isOf(one, facts)) return likely;
    const key = names.map((name) => facts[name]).join(' ');
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.#profiles.length >= profilesMax) return rareProfile;
    const { readyAtMs: _, fetched: _f, pages: _p, fetchMs: _m, deadUntilMs: _d, bytes: _b, ...profile } = facts;
    this.#numbers.set(key, this.#profiles.length);
    return this.#profiles.push(profile) - 1;
  }
}

function isOf(profile: Profile, facts: HostFacts): boolean {
  for (const name of names) if (profile[name] !== facts[name]) return false;
  return true;
}

const columns: readonly string[] = ['readyAtMs', 'fetched', 'pages', 'fetchMs', 'deadUntilMs', 'bytes'];
const names = Object.keys(newHostFacts).filter((name) => !columns.includes(name)) as (keyof Profile)[];
