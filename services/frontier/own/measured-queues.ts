/** The distribution of a partition's queued URLs, measured slice by slice by its owner. */
import { QueueSizes, type QueueSpread } from '../../../topology/frontier/ask/queue-sizes.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';

const looks = new WeakMap<FrontierState, QueueSizes>();

export function spreadOf(state: FrontierState): QueueSpread | undefined {
  let sizes = looks.get(state);
  if (sizes === undefined) looks.set(state, (sizes = new QueueSizes()));
  sizes.look(state.hosts, state.nowMs);
  return sizes.spread;
}
