/**
 * The next host by the rule (topology/README.md): among ready hosts a draw picks a front queue. In it, the
 * host that was served or found longest ago goes first. The product makes the draw, so one host of each front queue may
 * be next. Times are known, except for hosts that were checked while their window was closed.
 */
import type { NaiveHost } from './naive-host.ts';

export interface ReadyHost {
  readonly key: string;
  readonly host: NaiveHost;
  /** The front queue of the host. */
  readonly queue: number;
  /** Hosts are compared within a group: their domain, if domains take turns. */
  readonly group?: string;
  /** Start of its wait: not before, and not after. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** The ready hosts that may be the next. */
export function nextOf(ready: readonly ReadyHost[]): ReadyHost[] {
  return ready.filter((one) => !ready.some((other) => other.queue === one.queue && isSurelyBefore(other, one)));
}

function isSurelyBefore(a: ReadyHost, b: ReadyHost): boolean {
  if (a.group !== b.group) return false;
  if (a.toMs !== b.fromMs) return a.toMs < b.fromMs;
  return a.fromMs === a.toMs && b.fromMs === b.toMs && a.host.number < b.host.number;
}
