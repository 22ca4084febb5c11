/**
 * Reads a partition's present state beside its owner. It uses the checkpoint in the folder and the later commits if it
 * can, else snapshots and the changelog.
 */

import { readLeases } from '../../../topology/frontier/checkpoint/read-rows.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import { bringUp } from '../../frontier/open/bring-up.ts';
import { rebuild } from '../../frontier/open/rebuild.ts';
import { keptCheckpoint, type StartingStates } from '../../frontier/open/starting-states.ts';
import { runJob } from '../../frontier/restore/job-runner.ts';
import { changelogTopic } from '../../frontier/restore/restore.ts';
import { createOverlayStore } from '../../runtime/store/overlay-store.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { printNotice, printRestore } from '../progress/restore-text.ts';
import { identityOf, type StateSource, withCheckpoint, withScratch } from './state-source.ts';

/** `store`: rows of the state, as long as `act` runs. */
export function withCurrentState<T>(
  source: StateSource,
  partition: number,
  act: (state: FrontierState, store: StateStore) => Promise<T>,
  repository?: StartingStates['repository'],
): Promise<T> {
  const identity = identityOf(source, partition);
  const options = { ...source, identity, repository, onNotice: printNotice };
  return withCheckpoint(source, partition, async (checkpoint) => {
    const { end: to } = await source.log.offsets(changelogTopic(identity.crawl), partition);
    if (checkpoint !== undefined) {
      const store = createOverlayStore(checkpoint);
      const { state: kept } = await keptCheckpoint({ ...options, store });
      // All later commits are held in memory: an owner limits them by writing its checkpoint.
      const saveBytes = Number.POSITIVE_INFINITY;
      const state = kept && (await bringUp(kept, none(), { ...options, store, to, saveBytes }));
      if (state !== undefined) {
        await runJob(store, readLeases(state));
        return act(state, store);
      }
    }
    return withScratch(async (store) => act(await rebuild({ ...options, store, to, onProgress: printRestore }), store));
  });
}

/** No other starting state is tried, since the caller can rebuild the state. */
async function* none(): AsyncGenerator<never> {}
