/** Time of a partition's next step without input. */
import type { Policy } from '../policy/policy.ts';
import { nextHopAtMs } from './decide/leases/robots-hops.ts';
import { nextRefillAtMs } from './decide/links/budgets.ts';
import type { FrontierState } from './state/state.ts';

/** When a lease ends: `graceMs` after its deadline, and not before `notBeforeMs`. */
export interface Expiry {
  readonly graceMs: number;
  readonly notBeforeMs: number;
}

/** `demand`: leases that could be granted. Returns ms; undefined: never. */
export function wakeAtMs(state: FrontierState, policy: Policy | null, demand: number, expiry: Expiry) {
  if (state.abandoning.size > 0 || state.budgets.looks || state.shares.drained.size > 0) return state.nowMs;
  if (state.recrawl.retiming?.done === false) return state.nowMs;
  const grants = demand > 0 && policy?.config.paused !== true;
  const quotaOut = policy?.config.pageQuota != null && state.quotaLeft <= 0;
  const { firstMs } = state.leases.deadlines;
  return earliest(
    grants && !quotaOut ? (state.clock.ready > 0 ? state.nowMs : state.clock.nextReadyAtMs) : undefined,
    grants && !quotaOut ? state.domainPace.parked.nextAtMs : undefined,
    grants ? nextHopAtMs(state, policy) : undefined,
    nextRefillAtMs(state, policy),
    firstMs === undefined ? undefined : Math.max(firstMs + expiry.graceMs, expiry.notBeforeMs),
  );
}

function earliest(...times: (number | undefined)[]): number | undefined {
  let first: number | undefined;
  for (const time of times) if (time !== undefined && (first === undefined || time < first)) first = time;
  return first;
}
