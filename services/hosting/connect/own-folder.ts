/** Data folders of processes with a crawl on Kafka: checkpoints of partitions, and consumers' state. */
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { adoptDataFolder, type DataFolder, readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';

/** The folder of this process, which is made if it does not exist. */
export function ownFolder(flags: Pick<KafkaFlags, 'data'>, manifest: Manifest): Promise<DataFolder> {
  return adoptDataFolder(ownFolderPath(flags, manifest.crawl), manifest);
}

export function ownFolderPath({ data }: Pick<KafkaFlags, 'data'>, crawl: string): string {
  return data ?? join('crawl-data', crawl);
}

/** The manifest in the folder of this process; undefined: there is none. */
export async function keptManifest(flags: Pick<KafkaFlags, 'data'>, crawl: string): Promise<Manifest | undefined> {
  try {
    return (await readDataFolder(ownFolderPath(flags, crawl))).manifest;
  } catch (error) {
    if (error instanceof CrawlstreamError) return undefined;
    throw error;
  }
}

/** An existing folder, which must be of this crawl; null: none is named. */
export async function namedFolder(
  { data }: Pick<KafkaFlags, 'data'>,
  { crawl, fingerprintKey }: Manifest,
): Promise<DataFolder | null> {
  if (data === undefined) return null;
  const folder = await readDataFolder(data);
  if (folder.manifest.fingerprintKey === fingerprintKey) return folder;
  const message = `--data ${folder.path} belongs to another crawl (${folder.manifest.crawl}): give a data folder of crawl ${crawl}`;
  throw new CrawlstreamError('DATA_FOLDER_FOREIGN', message);
}
