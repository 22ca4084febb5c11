/**
 * A partition's checkpoint as a state of one position, even while its owner writes it.
 *
 * A checkpoint that is being written has hosts ahead of its position
 * (topology/frontier/checkpoint/save-checkpoint.ts). A replay can continue from it, but it cannot be counted or
 * compared. So it is replayed, in memory, to the position of the host that is furthest ahead.
 */
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import { createOverlayStore } from '../../runtime/store/overlay-store.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { loadCheckpoint } from './load-checkpoint.ts';
import { type Restore, restore } from './restore.ts';

export interface SettledCheckpoint extends Pick<Restore, 'log' | 'identity' | 'clock'> {
  /** The store is only read. */
  readonly store: StateStore;
  readonly key: FrontierState['key'];
}

/** Undefined if there is no checkpoint. Throws the errors of `restore` if the changelog does not continue from it. */
export async function settledCheckpoint(options: SettledCheckpoint): Promise<FrontierState | undefined> {
  const state = await loadCheckpoint(options.store, options.key);
  if (state?.isAhead) {
    const store = createOverlayStore(options.store);
    // All of it is in memory: as much as an owner needs while it writes its checkpoint.
    const saveBytes = Number.POSITIVE_INFINITY;
    await restore({ ...options, state, store, to: state.ahead.until, saveBytes });
  }
  return state;
}
