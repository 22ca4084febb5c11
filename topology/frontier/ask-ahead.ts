/**
 * Asks the seen test about links before they are decided, so that one pass over its runs answers for many of them.
 *
 * A lookup begins once all waiting links were asked about: a late question would cost another pass. Links are processed
 * in slices, since normalising and hashing a hundred thousand at once would pause the partition.
 */
import type { Discovered } from '../../schemas/types.ts';
import type { Policy } from '../policy/policy.ts';
import { frontierLimits } from './frontier-limits.ts';
import type { FrontierState } from './state/state.ts';

/** A waiting record; null if it could not be decoded. */
interface Waiting {
  readonly record: unknown;
}

export class AskAhead {
  /** Links in the records that wait. */
  links = 0;
  /** Number of waiting records that were checked, under this version of the policy. */
  #looked = 0;
  #policyVersion = -1;
  #forgets = 0;

  offered({ record }: Waiting): void {
    this.links += linksIn(record);
  }

  /** Call when the first waiting records have been decided. */
  taken(records: readonly Waiting[]): void {
    for (const { record } of records) this.links -= linksIn(record);
    this.#looked = Math.max(0, this.#looked - records.length);
  }

  /** True once everything that waits was asked about. */
  look(state: FrontierState, policy: Policy, waiting: readonly Waiting[]): boolean {
    const { seen, policyVersion } = state;
    if (!seen.asks) return true;
    if (this.#policyVersion !== policyVersion || this.#forgets !== seen.forgets) this.#looked = 0;
    this.#policyVersion = policyVersion;
    this.#forgets = seen.forgets;
    if (waiting.length === 0) seen.dropQuestions();
    for (let left: number = frontierLimits.askLinksPerStep; left > 0 && this.#looked < waiting.length; this.#looked++) {
      const { record } = waiting[this.#looked]!;
      if (record === null) continue;
      for (const { depth, hop, links } of (record as Discovered).groups) {
        for (const { url } of links) askAbout(state, policy, url, depth, hop);
      }
      left -= linksIn(record);
    }
    return this.#looked === waiting.length;
  }
}

function askAbout(state: FrontierState, policy: Policy, given: string, depth: number, hop: number): void {
  const verdict = policy.admit(given, depth, hop);
  if (!verdict.ok) return;
  const fingerprint = state.identityOf(verdict.hostKey, verdict.url);
  state.seen.ask(fingerprint[0]!, fingerprint[1]!);
}

function linksIn(record: unknown): number {
  return record === null ? 0 : (record as Discovered).groups.reduce((sum, { links }) => sum + links.length, 0);
}
