/** Selects the traced URLs: a share of all, by their fingerprint, and all of some hosts. Part of the policy. */
import { z } from 'zod';
import { withoutPort } from '../url/host-key.ts';
import { compileSuffixSet } from '../url/suffix-set.ts';

export interface TraceConfig {
  /** Share of all URLs, 0 to 1. The URLs of a smaller share are also in a larger one. */
  readonly ratio: number;
  /** Trace all URLs of these hosts: domains with their subdomains; `*`: all. */
  readonly hosts: readonly string[];
}

export const traceSchema = z.strictObject({
  ratio: z.number().min(0).max(1),
  hosts: z.array(z.string().min(1)),
});

export interface Tracing {
  /** `lo`: the lower word of the URL's fingerprint. */
  traces(hostKey: string, lo: number): boolean;
}

/** null: nothing is traced. */
export function compileTracing(config: TraceConfig | undefined): Tracing | null {
  if (config === undefined || (config.ratio === 0 && config.hosts.length === 0)) return null;
  const below = config.ratio * 2 ** 32;
  const all = config.hosts.includes('*');
  const names = compileSuffixSet(config.hosts);
  return { traces: (hostKey, lo) => lo >>> 0 < below || all || names.match(withoutPort(hostKey)) !== null };
}
