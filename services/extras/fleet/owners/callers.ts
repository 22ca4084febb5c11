/**
 * Callers of a fleet's API, identified by the key of a call: an owner, or the operator, who has CRAWLSTREAM_HTTP_TOKEN
 * and sees everything.
 *
 * Keys are found by their hashes, so that the time of a refusal reveals nothing about a key. Calls of an owner are
 * bounded by a bucket that fills steadily.
 */
import type { Clock } from '../../../runtime/clock.ts';
import { keyHashOf, type Owner } from './owner-file.ts';
import { ownerLimits } from './owner-limits.ts';

/** null: the operator. */
export type Caller = Owner | null;

export type Entry =
  | { readonly ok: true; readonly caller: Caller }
  | {
      readonly ok: false;
      readonly status: 401 | 429;
      /** undefined: the key is unknown. */
      readonly caller: Owner | undefined;
      readonly message: string;
      readonly waitS: number;
    };

const needsKey = 'this call needs the header Authorization: Bearer <key>';

interface Bucket {
  calls: number;
  atMs: number;
}

export class Callers {
  #byHash: ReadonlyMap<string, Owner> = new Map();
  readonly #operatorHash: string | undefined;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #buckets = new Map<string, Bucket>();

  /** `operatorToken` undefined: no caller is the operator. */
  constructor(owners: readonly Owner[], operatorToken: string | undefined, clock: Pick<Clock, 'nowMs'>) {
    this.setOwners(owners);
    this.#operatorHash = operatorToken === undefined ? undefined : keyHashOf(operatorToken);
    this.#clock = clock;
  }

  setOwners(owners: readonly Owner[]): void {
    this.#byHash = new Map(owners.map((owner) => [owner.keyHash, owner]));
  }

  /** True if the caller's key is still valid. */
  isIn(caller: Caller): boolean {
    return caller === null || this.#byHash.get(caller.keyHash)?.name === caller.name;
  }

  /** Admits or refuses a call. `bodyBytes`: size of its body, which costs time in the process of all crawls. */
  enter(authorization: string | undefined, bodyBytes = 0): Entry {
    const key = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    const hash = key === undefined ? undefined : keyHashOf(key);
    if (hash !== undefined && hash === this.#operatorHash) return { ok: true, caller: null };
    const owner = hash === undefined ? undefined : this.#byHash.get(hash);
    if (owner === undefined) return { ok: false, status: 401, caller: owner, message: needsKey, waitS: 0 };
    const waitMs = this.#take(owner, 1 + Math.floor(bodyBytes / ownerLimits.callBytes));
    if (waitMs === 0) return { ok: true, caller: owner };
    const waitS = Math.ceil(waitMs / 1_000);
    const message = `the limit of ${owner.callsPerMinute} calls per minute is reached: retry in ${waitS} s`;
    return { ok: false, status: 429, caller: owner, message, waitS };
  }

  /** Returns the ms until the call would be allowed. 0: it is allowed, and counts. */
  #take({ name, callsPerMinute }: Owner, wanted: number): number {
    const nowMs = this.#clock.nowMs();
    const most = Math.max(1, callsPerMinute * ownerLimits.burstShare);
    const everyMs = 60_000 / callsPerMinute;
    const before = this.#buckets.get(name) ?? { calls: most, atMs: nowMs };
    const calls = Math.min(most, before.calls + Math.max(0, nowMs - before.atMs) / everyMs);
    // A call that costs more than the bucket takes all of it.
    const cost = Math.min(wanted, most);
    const isAllowed = calls >= cost;
    this.#buckets.set(name, { calls: isAllowed ? calls - cost : calls, atMs: nowMs });
    return isAllowed ? 0 : (cost - calls) * everyMs;
  }
}
