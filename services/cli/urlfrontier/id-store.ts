/** How the stores of crawl ids are opened: the first crawl's as any, those that clients name with little of everything. */

import type { StoreOptions } from '../../runtime/store/store.ts';
import { putLimits } from '../../urlfrontier/put-limits.ts';

/** `number`: 0 for the first crawl. */
export function idStoreOptions(number: number): StoreOptions {
  const { idOpenFiles: openFiles, idBufferBytes: writeBufferBytes, idCacheBytes: cacheBytes } = putLimits;
  return number === 0 ? {} : { openFiles, writeBufferBytes, cacheBytes };
}
