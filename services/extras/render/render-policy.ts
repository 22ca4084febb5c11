/** The newest policy of the crawl, as far as a renderer follows it. */
import { hostSettingsOf } from '../../../topology/policy/overlay-hosts.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { policyLimits } from '../../../topology/policy/policy-limits.ts';
import type { UsesPolicy } from '../../../topology/usage/uses-policy.ts';

export class RenderPolicy {
  uses: UsesPolicy = {};
  wantsRequisites = false;
  #settingsOf: ReturnType<typeof hostSettingsOf> | undefined;

  set(policy: PolicyConfig): void {
    this.uses = policy;
    this.wantsRequisites = policy.requisites === true;
    this.#settingsOf = hostSettingsOf(policy);
  }

  /** Delay between two requests to a host, ms. */
  delayOf(hostKey: string): number {
    return this.#settingsOf?.(hostKey).delayMs ?? policyLimits.delayMs;
  }
}
