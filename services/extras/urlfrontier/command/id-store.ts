/**
 * Options for the stores of crawl ids: the first crawl has the usual settings, and crawls that clients name have
 * small ones.
 */

import type { StoreOptions } from '../../../runtime/store/store.ts';
import { putLimits } from '../put-limits.ts';

/** `number`: 0 for the first crawl. */
export function idStoreOptions(number: number): StoreOptions {
  const { idOpenFiles: openFiles, idBufferBytes: writeBufferBytes, idCacheBytes: cacheBytes } = putLimits;
  return number === 0 ? {} : { openFiles, writeBufferBytes, cacheBytes };
}
