/** What a partition's checkpoint says of visits to come, read beside whoever owns it: as of the checkpoint, seconds ago. */
import { loadDueRow } from '../../../topology/frontier/recrawl/due-rows.ts';
import { RecrawlState } from '../../../topology/frontier/recrawl/recrawl-state.ts';
import type { StateStore } from '../../runtime/store/store.ts';

const range = { gte: Buffer.from('d'), lt: Buffer.from('e') };

export async function storedSchedule(store: Pick<StateStore, 'scan'>): Promise<RecrawlState> {
  const recrawl = new RecrawlState();
  for await (const [key, value] of store.scan(range)) loadDueRow(recrawl, key, value);
  return recrawl;
}
