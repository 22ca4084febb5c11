/**
 * A partition's state as its changelog has it now, read beside its owner: from the checkpoint in its folder and what
 * came after it, if that is usable, and otherwise from snapshots and the changelog.
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
import { printNotice, printRestore } from '../terminal/restore-text.ts';
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
      // All that comes after it lies in memory: as much as an owner lets come between two writes of its checkpoint.
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

/** No other starting state is tried, since the caller has another way. */
async function* none(): AsyncGenerator<never> {}
