/**
 * A partition's view as a state of one position, also while its owner writes it.
 *
 * A view that is being written has hosts ahead of its position (topology/frontier/view/save-view.ts): good to go on from,
 * but not to be counted or compared. It is brought on to the position of the furthest of them, in memory above it.
 */
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import { createOverlayStore } from '../../runtime/store/overlay-store.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { loadView } from './load-view.ts';
import { type Restore, restore } from './restore.ts';

export interface SettledView extends Pick<Restore, 'log' | 'identity' | 'clock'> {
  /** It is only read. */
  readonly store: StateStore;
  readonly key: FrontierState['key'];
}

/** Undefined where there is no view. Throws what `restore` throws where the changelog does not go on from it. */
export async function settledView(options: SettledView): Promise<FrontierState | undefined> {
  const state = await loadView(options.store, options.key);
  if (state?.isAhead) {
    const store = createOverlayStore(options.store);
    // All of it lies in memory: as much as an owner does while it writes its view.
    const saveBytes = Number.POSITIVE_INFINITY;
    await restore({ ...options, state, store, to: state.ahead.until, saveBytes });
  }
  return state;
}
