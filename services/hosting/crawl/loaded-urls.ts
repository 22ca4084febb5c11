/** Checks whether a folder has URLs without a seed, as after `load`. */
import { readChangelog } from '../../../topology/frontier/changes/changelog.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import { openReadOnlyLog } from '../../runtime/log/read-only.ts';
import { storeOf } from '../../runtime/store/open-store.ts';
import { logFolder } from '../connect/crawl-folder.ts';

export async function holdsUrls(folder: DataFolder, clock: Clock): Promise<boolean> {
  if ((await storeOf(logFolder(folder))) === undefined) return false;
  const { crawl, partitions } = folder.manifest;
  const topic = `${crawl}.frontier-changelog`;
  const log = await openReadOnlyLog(logFolder(folder), clock);
  try {
    for (let partition = 0; partition < partitions; partition++) {
      const newest = (await log.partitionsOf(topic)) > partition ? await log.last(topic, partition) : undefined;
      const commit = newest && readChangelog(newest.value);
      if (commit?.kind === 'commit' && commit.counters.admitted + commit.counters.scheduled > 0) return true;
    }
    return false;
  } finally {
    await log.close();
  }
}
