/**
 * Hosts that may have several leases at once: the crawler's own sites, or sites that have agreed to it.
 *
 * frontier/hosts/host-slots.ts says what this means for a host's delay. A rule may keep the delay for the whole host:
 * then each lease waits as many times the delay as the host has leases, and starts in any of them are a delay apart.
 */
import { withoutPort } from '../url/host-key.ts';
import { compileSuffixSet } from '../url/suffix-set.ts';
import { bounded } from './bounded.ts';
import { parallelLimits, waitLimits } from './limits.ts';
import type { HostSettings } from './overlay-config.ts';

/** `lease`: the delay follows each request of a lease. `host`: the same, and starts of all leases are a delay apart. */
export const parallelDelays = ['lease', 'host'] as const;

export interface ParallelRule {
  /** Domains with their subdomains; `*`: all hosts. The first rule that names a host applies to it. */
  readonly hosts: readonly string[];
  /** Most leases of a host at once, 1 to 64 (`parallelLimits.leasesMax`). */
  readonly leases: number;
  /**
   * `lease`: the delay runs in each lease, so two leases request twice as often. `host`: requests of all leases start at
   * least a delay apart, so only slow responses overlap. Absent: `lease`.
   */
  readonly delay?: (typeof parallelDelays)[number] | undefined;
}

/** Leases a host may be on at once. */
export type LeasesOf = (hostname: string) => number;

export function compileParallel(rules: readonly ParallelRule[]): LeasesOf {
  const ruleOf = compileRules(rules);
  return (hostname) => Math.min(ruleOf(hostname)?.leases ?? 1, parallelLimits.leasesMax);
}

/** Hosts with remembered settings. */
const hostsKept = 65_536;

type Leased = HostSettings & { readonly leases?: number | undefined };

/** Settings of hosts with the delay of one lease, where a rule keeps the delay for the whole host. */
export function withHostDelays(
  rules: readonly ParallelRule[],
  settingsOf: (hostKey: string) => Leased,
): (hostKey: string) => HostSettings {
  if (!rules.some(({ delay }) => delay === 'host')) return settingsOf;
  const ruleOf = compileRules(rules);
  const hosts = bounded<HostSettings>(hostsKept);
  return (hostKey) =>
    hosts(hostKey, () => {
      const settings = settingsOf(hostKey);
      const rule = ruleOf(withoutPort(hostKey));
      if (rule?.delay !== 'host') return settings;
      const leases = Math.min(settings.leases ?? rule.leases, parallelLimits.leasesMax);
      return { ...settings, delayMs: Math.min(settings.delayMs * leases, waitLimits.waitMsMax) };
    });
}

function compileRules(rules: readonly ParallelRule[]): (hostname: string) => ParallelRule | undefined {
  if (rules.length === 0) return () => undefined;
  const compiled = rules.map((rule) => ({
    rule,
    all: rule.hosts.includes('*'),
    names: compileSuffixSet(rule.hosts),
  }));
  return (hostname) => compiled.find(({ all, names }) => all || names.match(hostname) !== null)?.rule;
}
