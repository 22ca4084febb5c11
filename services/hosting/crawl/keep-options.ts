/** Options of a crawl on Kafka, kept in the folder of a process. */

import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import { type GivenOptions, writeRequest } from '../connect/crawl-folder.ts';

/** Stores the options of a crawl on Kafka in its folder. Its seeds and policy are on the topics. */
export function keepOptions(folder: DataFolder, options: GivenOptions): Promise<void> {
  return writeRequest(folder, { seeds: [], policy: null, options });
}
