/** The seen test of a process. */
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';

export interface SeenFlags {
  readonly seen: SeenConfig['kind'];
  readonly seenMemory: number;
  readonly seenUrls: number;
  readonly seenErrors: number;
}

/** The share of one partition, as if this process had all of them. */
export function seenConfigOf(flags: SeenFlags, partitions: number): SeenConfig {
  return {
    kind: flags.seen,
    memoryBytes: Math.ceil((flags.seenMemory * 2 ** 20) / partitions),
    bloomUrls: Math.ceil(flags.seenUrls / partitions),
    bloomErrors: flags.seenErrors,
  };
}
