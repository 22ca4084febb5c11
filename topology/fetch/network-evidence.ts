/**
 * Decides whether our own network is away. The evidence is the answers of hosts: if the network is away, many unrelated
 * hosts fall silent, and none answers.
 *
 * Targets are registrable domains and addresses. A failure is charged to its host as soon as another host has answered
 * since the request began, or since the look-up of its name. If others have just answered, their next answer is waited
 * for. Otherwise hosts that have answered before (witnesses) are probed, some at first, then all.
 * If one answers, the failure is its host's. If none answers, and `silentTargetsLeast` targets are silent by then, or
 * the system reports it, the failure is our network's. So one answering host is enough, however many others are made up
 * or dead.
 *
 * Pure: time is an argument, ms.
 */
import type { Fault } from './fault.ts';
import { networkLimits } from './network-limits.ts';

/** An origin that has answered, and how it is asked again. */
export interface Witness {
  readonly origin: string;
  readonly hostKey: string;
  /** Delay between two requests to this target, ms. */
  readonly delayMs: number;
}

interface Answered {
  readonly target: string;
  readonly atMs: number;
}

export class NetworkEvidence {
  /** Targets that answered, the newest last. */
  readonly #witnesses = new Map<string, Witness>();
  /** The targets that answered first; they are never removed. */
  readonly #first = new Set<string>();
  /** Targets that have not answered since the last answer of any host. */
  readonly #silent = new Set<string>();
  /** The last two different targets that answered, with the times. */
  #newest: Answered | undefined;
  #before: Answered | undefined;

  answered(target: string, witness: Witness, atMs: number): void {
    this.#witnesses.delete(target);
    this.#witnesses.set(target, witness);
    if (this.#first.size < networkLimits.firstWitnesses) this.#first.add(target);
    if (this.#witnesses.size > networkLimits.witnessesMax) this.#forgetOldest();
    this.#silent.clear();
    if (this.#newest?.target !== target) this.#before = this.#newest;
    this.#newest = { target, atMs };
  }

  #forgetOldest(): void {
    for (const target of this.#witnesses.keys()) {
      if (this.#first.has(target)) continue;
      this.#witnesses.delete(target);
      return;
    }
  }

  silent(target: string): void {
    this.#silent.add(target);
  }

  /** True if this process has had an answer from any host. */
  get hasWitnesses(): boolean {
    return this.#witnesses.size > 0;
  }

  /** More than are away together by chance. */
  get areManySilent(): boolean {
    return this.#silent.size >= networkLimits.silentTargetsLeast;
  }

  /** Has another target answered since? */
  hasOtherAnswered(target: string, sinceMs: number): boolean {
    const other = this.#newest?.target === target ? this.#before : this.#newest;
    return other !== undefined && other.atMs >= sinceMs;
  }

  /**
   * Targets to probe: those that answered last, except targets known to be silent.
   *
   * `isAway`: if all targets are silent, they are probed again. `skip`: number of targets probed before. `most`:
   * number of targets at most.
   */
  witnesses(
    isAway = false,
    skip = 0,
    most: number = networkLimits.askedAtOnce,
  ): readonly (readonly [target: string, witness: Witness])[] {
    const all = [...this.#witnesses].reverse();
    const fresh = all.filter(([target]) => !this.#silent.has(target));
    const usable = fresh.length === 0 && isAway ? all : fresh;
    const from = usable.length === 0 ? 0 : skip % usable.length;
    return [...usable.slice(from), ...usable.slice(0, from)].slice(0, most);
  }

  /**
   * Once the witnesses are silent, too. `isProven`: something has answered this crawl, now or in an earlier run. A
   * crawl with only wrong seeds ends, unless the system or the name servers show that the fault is ours.
   */
  isOurs(fault: Fault, isProven: boolean): boolean {
    if (isProven || this.hasWitnesses) return this.areManySilent || fault === 'network';
    return this.areManySilent && (fault === 'network' || fault === 'resolver');
  }
}
