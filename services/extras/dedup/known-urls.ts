/** Every URL that the dedup has a row of. */
import type { StateStore } from '../../runtime/store/store.ts';
import { pageRange, urlOfPage } from './rows.ts';

export async function* knownUrls(store: Pick<StateStore, 'scan'>): AsyncGenerator<string> {
  for await (const [key] of store.scan(pageRange)) yield urlOfPage(key);
}
