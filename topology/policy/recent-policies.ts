/**
 * Policies that were read lately, by their text. The start of a crawl reads its policy about seven times, with all its
 * patterns each time, and crawls of a fleet often share a policy.
 *
 * All readers of a text get the same object, so it is frozen.
 */
import type { PolicyConfig } from './policy.ts';
import { recentPolicyLimits } from './recent-policy-limits.ts';

export class RecentPolicies {
  /** The least recently read one first. */
  readonly #kept = new Map<string, PolicyConfig>();
  #chars = 0;

  /** Returns the policy of a text. `read`: parses and checks a text that was not read lately. */
  get(json: string, read: (json: string) => PolicyConfig): PolicyConfig {
    const config = this.#kept.get(json) ?? frozen(read(json));
    if (this.#kept.delete(json)) this.#chars -= json.length;
    const { policiesMax, charsMax } = recentPolicyLimits;
    if (json.length > charsMax) return config;
    this.#kept.set(json, config);
    this.#chars += json.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= policiesMax && this.#chars <= charsMax) break;
      this.#kept.delete(oldest);
      this.#chars -= oldest.length;
    }
    return config;
  }
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
