/** The schedule of revisits in a partition's checkpoint, read while another process may own it: some seconds old. */
import { loadDueRow } from '../../../topology/frontier/recrawl/due-rows.ts';
import { RecrawlState } from '../../../topology/frontier/recrawl/recrawl-state.ts';
import type { StateStore } from '../../runtime/store/store.ts';

const range = { gte: Buffer.from('d'), lt: Buffer.from('e') };

export async function storedSchedule(store: Pick<StateStore, 'scan'>): Promise<RecrawlState> {
  const recrawl = new RecrawlState();
  for await (const [key, value] of store.scan(range)) loadDueRow(recrawl, key, value);
  return recrawl;
}
