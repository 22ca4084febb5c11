/**
 * Hosts that may have several leases at once: the crawler's own sites, or sites that have agreed to it.
 *
 * frontier/hosts/host-slots.ts says what this means for a host's delay.
 */
import { compileSuffixSet } from '../url/suffix-set.ts';
import { parallelLimits } from './limits.ts';

export interface ParallelRule {
  /** Domains with their subdomains; `*`: all hosts. The first rule that names a host applies to it. */
  readonly hosts: readonly string[];
  /** Most leases of a host at once, 1 to 64 (`parallelLimits.leasesMax`). */
  readonly leases: number;
}

/** Leases a host may be on at once. */
export type LeasesOf = (hostname: string) => number;

export function compileParallel(rules: readonly ParallelRule[]): LeasesOf {
  if (rules.length === 0) return () => 1;
  const compiled = rules.map(({ hosts, leases }) => ({
    leases: Math.min(leases, parallelLimits.leasesMax),
    all: hosts.includes('*'),
    names: compileSuffixSet(hosts),
  }));
  return (hostname) => compiled.find(({ all, names }) => all || names.match(hostname) !== null)?.leases ?? 1;
}
