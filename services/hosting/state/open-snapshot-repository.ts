/** Opens the repository of a crawl's snapshots. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { changelogTopic } from '../../frontier/restore/restore.ts';
import { crawlIdOf } from '../../frontier/snapshots/manifest.ts';
import { createSnapshotRepository, type SnapshotRepository } from '../../frontier/snapshots/snapshot-repository.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import { openObjects } from '../../runtime/objects/open-objects.ts';
import { fingerprintKeyOf } from '../connect/crawl-folder.ts';
import { printNotice } from '../progress/restore-text.ts';
import type { StateSource } from './state-source.ts';

/** Snapshots to restore a partition from; the caller closes its objects. */
export async function openSnapshotRepository(place: string, manifest: Manifest): Promise<SnapshotRepository> {
  return createSnapshotRepository(await openObjects(place), crawlIdOf(fingerprintKeyOf(manifest)));
}

/** The repository at `place`; absent: the data folder's own. */
export async function withSnapshotRepository<T>(
  { folder, manifest }: Pick<StateSource, 'folder' | 'manifest'>,
  place: string | undefined,
  act: (repository: SnapshotRepository) => Promise<T>,
): Promise<T> {
  const where = place ?? folder?.part('snapshots');
  if (where === undefined) {
    const message = '--to is missing: give a folder, or s3://bucket/prefix';
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  const repository = await openSnapshotRepository(where, manifest);
  try {
    return await act(repository);
  } finally {
    repository.objects.close();
  }
}

/**
 * The snapshots from which a rebuild begins: those at `place`. If that is absent, it uses only the changelog if that is
 * complete, and otherwise the data folder's snapshots.
 */
export async function withSnapshots<T>(
  source: StateSource,
  partition: number,
  place: string | undefined,
  act: (found: { readonly repository?: SnapshotRepository; readonly onNotice: (text: string) => void }) => Promise<T>,
): Promise<T> {
  const { start } = await source.log.offsets(changelogTopic(source.manifest.crawl), partition);
  if (place === undefined && (start === 0 || source.folder === null)) return act({ onNotice: printNotice });
  return withSnapshotRepository(source, place, (repository) => act({ repository, onNotice: printNotice }));
}
