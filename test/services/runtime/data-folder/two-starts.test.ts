import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openDataFolder } from '../../../../services/runtime/data-folder/data-folder.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const defaults = { crawl: 'c', partitions: 1, keyMode: 'host', pslHash: 'x', seenKeyVersion: 1, fingerprintVersion: 1 };

test('processes that start a crawl in one new folder at once all use the keys on disk', async () => {
  for (let run = 0; run < 10; run++) {
    const folder = join(temporaryFolder(), 'data');
    const facts = { defaults: defaults as never, createdBy: 't', clock: new SystemClock() };
    const opened = await Promise.all([1, 2, 3].map(() => openDataFolder(folder, {}, facts)));
    const again = await openDataFolder(folder, {}, facts);
    for (const { manifest } of opened) assert.equal(manifest.fingerprintKey, again.manifest.fingerprintKey);
    assert.equal(opened.filter(({ isNew }) => isNew).length, 1);
    assert.deepEqual(readdirSync(folder), ['manifest.json']);
  }
});

test('of processes that start different crawls in one new folder at once, one gets the folder', async () => {
  for (let run = 0; run < 10; run++) {
    const folder = join(temporaryFolder(), 'data');
    const facts = { defaults: defaults as never, createdBy: 't', clock: new SystemClock() };
    const opened = await Promise.allSettled(
      [3, 4, 5].map((partitions) => openDataFolder(folder, { partitions }, facts)),
    );
    const made = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value.manifest.partitions] : []));
    const refused = opened.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []));
    assert.equal(made.length, 1);
    assert.deepEqual(refused, ['TOPIC_MISMATCH', 'TOPIC_MISMATCH']);
    assert.equal((await openDataFolder(folder, {}, facts)).manifest.partitions, made[0]);
  }
});
