/** The archive as a consumer of `responses`: WARC files in `DATA/archive/`, or on their way from there to S3. */
import { join } from 'node:path';
import { z } from 'zod';
import { topics } from '../../../topology/topics.ts';
import { text, wholeNumber } from '../../application/processor/option.ts';
import {
  declareProcessor,
  type OptionMeta,
  type ProcessorContext,
  type RunningProcessor,
} from '../../application/processor/processor.ts';
import { runConsumer } from '../../application/processor/run-consumer.ts';
import type { Positions } from '../../runtime/consumer/positions.ts';
import { groupPositions, ownPositions } from '../../runtime/consumer/positions.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import { openS3Objects } from '../../runtime/objects/s3-objects.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import { productVersion } from '../../runtime/version.ts';
import { archiveLimits } from './archive-limits.ts';
import { openArchiver } from './archiver.ts';
import { learnIndexes } from './known-indexes.ts';
import { createUploads } from './uploads.ts';

const options = z.object({
  archiveTo: text((place) => place !== '', 'give s3://bucket/prefix')
    .optional()
    .meta({
      value: '<s3://bucket/prefix>',
      about: 'move finished WARC files to S3; credentials are in AWS_* variables',
      reason: 'WARC files stay in the data folder',
    } satisfies OptionMeta),
  archiveFileMb: wholeNumber(1, 4096)
    .optional()
    .meta({
      value: '<n>',
      about: 'size in MB at which a WARC file is closed (default: 1024)',
      reason: 'the recommended size (WARC 1.1, annex C)',
    } satisfies OptionMeta),
  archiveKnown: z
    .string()
    .transform((text) => text.split(',').map((path) => path.trim()))
    .optional()
    .meta({
      value: '<files>',
      about: 'CDXJ indexes of other archives, comma-separated; known payloads become revisit records',
      reason: 'an archive can be read without another one',
    } satisfies OptionMeta),
  bodies: z
    .string()
    .optional()
    .meta({
      value: '<dir>',
      about: 'folder shared with fetchers (their --bodies), for bodies too large for a message',
      reason: 'a crawl in a data folder has one there',
    } satisfies OptionMeta),
  archiveOperator: z
    .string()
    .regex(/^[^\r\n]+$/, 'must be one line of text')
    .optional()
    .meta({
      value: '<name>',
      about: 'operator named in the first record of each WARC file',
      reason: 'the contact of the requests',
    } satisfies OptionMeta),
});

export const archive = declareProcessor({
  name: 'archive',
  does: 'write raw responses into WARC files',
  reads: ['responses', 'control'],
  writes: ['dead-letters'],
  stores: ['payloads met, the open file'],
  options,
  needs: 'responses',
  holds: {
    // It reads no pages.
    follows: ['control'],
    option: {
      flags: '--archive-to <place>',
      about: 's3://bucket/prefix where archives put their files (default: that of the data folder’s crawl)',
    },
    forget: async (at) => (await import('./forget/forget-archive.ts')).forgetArchives(at),
    remains: async (part, isPurged) => (await import('./forget/forget-archive.ts')).archivedCopies(part, isPurged),
  },
  storeMb: 128,
  start,
});

async function start(
  context: ProcessorContext,
  { archiveTo, archiveFileMb, archiveKnown, archiveOperator, bodies }: z.output<typeof options>,
): Promise<RunningProcessor> {
  const { log, manifest, clock } = context;
  // Checked before anything is made, so that missing credentials are reported at once.
  const objects = archiveTo === undefined ? undefined : await openS3Objects(archiveTo);
  const folder = context.part('archive');
  const store = await openStateStore(join(folder, 'state'), { writeBufferBytes: 4 << 20 });
  try {
    await learnIndexes(store, archiveKnown ?? []);
    const archiver = await openArchiver({
      folder,
      store,
      purges: await readPurges(log, context.codec, manifest),
      crawl: manifest.crawl,
      version: productVersion,
      operator: archiveOperator,
      bodies: bodies ?? context.part('bodies'),
      // On Kafka, another archiver may be behind: then a record lives no longer than its topic keeps it.
      orphanMs: context.shared ? topics.responses.kept!.days * 86_400_000 : 3_600_000,
      fileBytesMax: archiveFileMb === undefined ? archiveLimits.fileBytes : archiveFileMb << 20,
      onFile: () => uploads?.start(),
    });
    const uploads = objects && createUploads(folder, objects, clock, archiver.files);
    uploads?.start();
    const group = groupPositions(log, `${manifest.crawl}.archive`);
    return await runConsumer(context, {
      name: 'archive',
      topics: ['responses', 'control'],
      handle: archiver.handle,
      positions: context.shared ? furthest(archiver.positions, group) : ownPositions(archiver.positions, group),
      // After a batch that failed half-way, the next start begins again from the checkpoint.
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

/** Another archiver may have continued from here, and back. */
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
