/** Opens stores on disk on demand, and closes them together. */
import { openStateStore } from '../../runtime/store/open-store.ts';
import type { StateStore, StoreOptions } from '../../runtime/store/store.ts';

export type OpenStore = (path: string, options?: StoreOptions) => Promise<StateStore>;

export async function withStores<T>(act: (open: OpenStore) => Promise<T>): Promise<T> {
  const stores: StateStore[] = [];
  try {
    return await act(async (path, options) => {
      const store = await openStateStore(path, options);
      stores.push(store);
      return store;
    });
  } finally {
    for (const store of stores) await store.close();
  }
}
