import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createUploads } from '../../../../services/extras/archive/uploads.ts';
import type { ObjectStore } from '../../../../services/runtime/objects/objects.ts';
import { openS3Objects } from '../../../../services/runtime/objects/s3-objects.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { s3SkipReason, startS3 } from '../../../s3/server.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

/** Each wait is over at once, so that retries take no time. */
const clock = { nowMs: () => Date.UTC(2026, 0, 1), sleepUntil: async () => {} };
const skip = (await s3SkipReason()) ?? false;

/** A store that fails as planned, and then takes everything. */
function failing(...codes: ('DESTINATION_UNREACHABLE' | 'DESTINATION_REFUSED')[]) {
  const names: string[] = [];
  const objects: Pick<ObjectStore, 'putFile'> = {
    putFile: async (name) => {
      names.push(name);
      const code = codes.shift();
      if (code !== undefined) throw new CrawlstreamError(code, 'not now');
    },
  };
  return { names, objects };
}

async function finished(...names: string[]): Promise<string> {
  const folder = temporaryFolder();
  for (const name of names) {
    await writeFile(join(folder, `${name}.warc.gz`), `warc of ${name}`);
    await writeFile(join(folder, `${name}.cdxj`), `index of ${name}`);
  }
  return folder;
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith('.warc.gz')).map((name) => name.slice(0, -8));
}

describe('uploads of an archive', { timeout: 300_000 }, () => {
  it('uploads of an archive move whole files to a real S3 server, each with its index, and keep none here', {
    skip,
  }, async () => {
    const s3 = await startS3();
    Object.assign(process.env, s3.env);
    const folder = await finished('a', 'b');
    const objects = await openS3Objects(`s3://${await s3.bucket()}/some/prefix`);
    const uploads = createUploads(folder, objects, clock, () => filesIn(folder));
    uploads.start();
    await uploads.settled();
    const names = await objects.list('');
    assert.deepEqual(names, ['a.cdxj', 'a.warc.gz', 'b.cdxj', 'b.warc.gz']);
    const stored = await Promise.all(names.map(async (name) => (await objects.get(name))?.toString()));
    assert.deepEqual(stored, ['index of a', 'warc of a', 'index of b', 'warc of b']);
    assert.deepEqual(await readdir(folder), []);
    objects.close();
    await s3.stop();
  });

  it('uploads of an archive are retried while the store is busy, and a refused file stays', async () => {
    const folder = await finished('a');
    const busy = failing('DESTINATION_UNREACHABLE', 'DESTINATION_UNREACHABLE');
    const uploads = createUploads(folder, busy.objects, clock, () => filesIn(folder));
    uploads.start();
    await uploads.settled();
    assert.deepEqual(busy.names, ['a.cdxj', 'a.cdxj', 'a.cdxj', 'a.warc.gz']);
    assert.deepEqual(await readdir(folder), []);
    const kept = await finished('b');
    const refused = createUploads(kept, failing('DESTINATION_REFUSED').objects, clock, () => filesIn(kept));
    refused.start();
    await assert.rejects(refused.settled(), { code: 'DESTINATION_REFUSED' });
    assert.deepEqual((await readdir(kept)).sort(), ['b.cdxj', 'b.warc.gz']);
  });
});
