/** The policy in force for a fetcher; `control` may change it at any time. Before the first there is none. */
import type { HostSettings } from '../../topology/policy/overlay-config.ts';
import { hostSettingsOf } from '../../topology/policy/overlay-hosts.ts';
import type { PolicyConfig } from '../../topology/policy/policy.ts';
import { compileScope } from '../../topology/url/scope.ts';
import type { UsesPolicy } from '../../topology/usage/uses-policy.ts';

export interface PolicyInForce {
  readonly uses: UsesPolicy;
  readonly pay: PolicyConfig['pay'];
  readonly requisites: boolean;
  /** May any URL be asked for as it was found? Then links say how they were spelt. */
  readonly spellings: boolean;
  /** Is a page that names another URL as its canonical a redirect to it? */
  readonly canonicals: boolean;
  /** While true, nothing is fetched. */
  readonly paused: boolean;
  /** `delayMs`: 0 before the first policy. */
  settingsOf(hostKey: string): Pick<HostSettings, 'robotsNotAsked' | 'delayMs'>;
  outOfScope(url: string): boolean;
}

const nothingSaid: PolicyInForce = {
  uses: {},
  pay: undefined,
  requisites: false,
  spellings: false,
  canonicals: false,
  paused: false,
  settingsOf: () => ({ delayMs: 0 }),
  outOfScope: () => false,
};

/** `now` is that of the last policy followed. */
export function followPolicy(): { now: PolicyInForce; follow(policy: PolicyConfig): void } {
  return {
    now: nothingSaid,
    follow(policy) {
      const { scope, uses, usesBarred, requisites, pay, fetchAs, equivalences, overlays = [] } = policy;
      const verdict = compileScope(scope);
      this.now = {
        uses: { uses, usesBarred },
        pay,
        requisites: requisites === true,
        spellings: [fetchAs, ...overlays.map(({ set }) => set.fetchAs)].includes('firstSpelling'),
        canonicals: equivalences?.canonicals === true,
        paused: policy.paused === true,
        settingsOf: hostSettingsOf(policy),
        outOfScope: (url) => verdict(url) !== null,
      };
    },
  };
}
