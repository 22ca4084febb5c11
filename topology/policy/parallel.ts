/**
 * Hosts that may be on several leases at once: those of one's own site, or of one that has agreed to it.
 *
 * What it means for a host's pace is said in frontier/hosts/host-slots.ts.
 */
import { compileSuffixSet } from '../url/suffix-set.ts';
import { parallelLimits } from './limits.ts';

export interface ParallelRule {
  /** Domains with their subdomains; `*`: all hosts. The first rule that names a host holds for it. */
  readonly hosts: readonly string[];
  /** Leases a host may be on at once, 1 to `parallelLimits.leasesMax`. */
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
