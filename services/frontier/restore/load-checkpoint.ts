/** A partition's checkpoint, from its store into a state; and its end. */

import {
  checkpointVersion,
  loaded,
  loadRanges,
  loadRow,
  metaKey,
} from '../../../topology/frontier/checkpoint/checkpoint.ts';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import type { FingerprintKey } from '../../../topology/frontier/state/state.ts';
import { FrontierState } from '../../../topology/frontier/state/state.ts';
import type { StateStore } from '../../runtime/store/store.ts';

/** Undefined if the store has no checkpoint, or one of an older release: the changelog replaces it. */
export async function loadCheckpoint(
  store: Pick<StateStore, 'get' | 'scan'>,
  key: FingerprintKey,
  seen?: SeenConfig,
): Promise<FrontierState | undefined> {
  const meta = await store.get(metaKey);
  if (meta === undefined || meta[0]! < checkpointVersion) return undefined;
  const state = new FrontierState(key, seen);
  loadRow(state, metaKey, meta);
  for (const range of loadRanges) for await (const [row, value] of store.scan(range)) loadRow(state, row, value);
  loaded(state);
  return state;
}

/** Deletes the position's row first: a kill on the way leaves only rows that do not count. */
export async function clearCheckpoint(store: StateStore): Promise<void> {
  if ((await store.get(metaKey)) !== undefined) await store.write([{ key: metaKey, value: null }]);
  const all = { gte: Buffer.from([0]), lt: Buffer.from([0xff]) };
  let rows = [];
  for await (const [key] of store.scan(all)) {
    rows.push({ key, value: null });
    if (rows.length < 10_000) continue;
    await store.write(rows);
    rows = [];
  }
  if (rows.length > 0) await store.write(rows);
}
