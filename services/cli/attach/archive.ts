/** The archive as a consumer of `responses`: WARC files in `DATA/archive/`, or on their way from there to S3. */
import { join } from 'node:path';
import { archiveLimits } from '../../../topology/consumer-limits.ts';
import { openArchiver } from '../../archive/archiver.ts';
import { createUploads } from '../../archive/uploads.ts';
import type { Positions } from '../../runtime/consumer/positions.ts';
import { groupPositions, ownPositions } from '../../runtime/consumer/positions.ts';
import { openS3Objects } from '../../runtime/objects/s3-objects.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import { productVersion } from '../terminal/version.ts';
import type { AttachContext, Attached } from './attach.ts';
import { attach } from './attach.ts';

export interface ArchiveFlags {
  /** `s3://bucket/prefix`. Absent: files stay in the data folder. */
  readonly archiveTo?: string;
  /** MiB. Absent: archiveLimits.fileBytes. */
  readonly archiveFileMb?: number;
}

export async function attachArchive(context: AttachContext, flags: ArchiveFlags): Promise<Attached> {
  const { log, manifest, clock } = context;
  // Before anything is made: credentials that are missing are said at once.
  const objects = flags.archiveTo === undefined ? undefined : await openS3Objects(flags.archiveTo);
  const folder = context.part('archive');
  const store = await openStateStore(join(folder, 'state'), { writeBufferBytes: 4 << 20 });
  try {
    const archiver = await openArchiver({
      folder,
      store,
      crawl: manifest.crawl,
      version: productVersion,
      fileBytesMax: flags.archiveFileMb === undefined ? archiveLimits.fileBytes : flags.archiveFileMb << 20,
      onFile: () => uploads?.start(),
    });
    const uploads = objects && createUploads(folder, objects, clock, archiver.files);
    uploads?.start();
    const group = groupPositions(log, `${manifest.crawl}.archive`);
    return await attach(context, {
      name: 'archive',
      topics: ['responses'],
      handle: archiver.handle,
      positions: context.shared ? furthest(archiver.positions, group) : ownPositions(archiver.positions, group),
      // A batch that failed half-way is begun again from the checkpoint, by the next start.
      retriesMs: [],
      finish: async () => {
        await archiver.finish();
        await uploads?.settled();
      },
      close: async () => {
        await store.close();
        objects?.close();
      },
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Another archiver may have gone on where this one left off, and back. */
function furthest(own: Positions, group: Positions): Positions {
  return {
    load: async (topic, partition) => {
      const positions = await Promise.all([own.load(topic, partition), group.load(topic, partition)]);
      const known = positions.filter((position) => position !== undefined);
      return known.length === 0 ? undefined : Math.max(...known);
    },
    save: group.save,
  };
}
