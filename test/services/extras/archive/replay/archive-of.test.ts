import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { archiveOf } from '../../../../../services/extras/archive/replay/archive-of.ts';
import { openDataFolder } from '../../../../../services/runtime/data-folder/data-folder.ts';
import type { ManifestFacts } from '../../../../../services/runtime/data-folder/manifest.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';

const defaults: ManifestFacts = {
  crawl: 'crawl',
  partitions: 1,
  keyMode: 'host',
  pslHash: 'abc',
  seenKeyVersion: 1,
  fingerprintVersion: 1,
};

test('a replay of a crawl without an archive is refused with the option that makes one', async () => {
  const data = join(temporaryFolder(), 'data');
  await assert.rejects(archiveOf(data), { code: 'INVALID_ARGUMENT', message: /data folder \S+ does not exist/ });
  await openDataFolder(
    data,
    {},
    { defaults, createdBy: '0.1.0', clock: { nowMs: () => 0, sleepUntil: async () => {} } },
  );
  await assert.rejects(archiveOf(data), {
    code: 'INVALID_ARGUMENT',
    message: /^there is no archive in \S+data: .*, as in \S.* crawl --data \S+data --with archive$/,
  });
  mkdirSync(join(data, 'archive'));
  assert.equal(await archiveOf(data), join(data, 'archive'));
});
