/**
 * Which host may go next, as the rule reads (topology/README.md): among ready hosts a draw picks a front queue, and in it
 * the host that was served or found longest ago goes first. The draw is the product's, so that one host of each
 * front queue may be next. Times are known but for hosts that were looked at while their window was closed.
 */
import type { NaiveHost } from './naive-host.ts';

export interface ReadyHost {
  readonly key: string;
  readonly host: NaiveHost;
  /** The front queue in which the host stands. */
  readonly queue: number;
  /** Hosts are compared within a group: their domain, if that is what takes turns. */
  readonly group?: string;
  /** Since when it waits: not before, and not after. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Hosts that may be the next, of those that are ready. */
export function nextOf(ready: readonly ReadyHost[]): ReadyHost[] {
  return ready.filter((one) => !ready.some((other) => other.queue === one.queue && isSurelyBefore(other, one)));
}

function isSurelyBefore(a: ReadyHost, b: ReadyHost): boolean {
  if (a.group !== b.group) return false;
  if (a.toMs !== b.fromMs) return a.toMs < b.fromMs;
  return a.fromMs === a.toMs && b.fromMs === b.toMs && a.host.number < b.host.number;
}
