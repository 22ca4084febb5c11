import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderDocuments } from '../../../../services/extras/fleet/documents/folder-documents.ts';
import { noteLeastWait, readLeastWaits } from '../../../../services/extras/fleet/least-waits.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

test('each change of the minimum delay is stored with its time, and an unchanged start adds none', async () => {
  const fleet = temporaryFolder();
  assert.deepEqual(await readLeastWaits(folderDocuments(fleet)), []);
  for (const [sinceMs, ms] of [
    [10, 1_000],
    [20, 1_000],
    [30, 250],
    [40, 1_000],
  ] as const)
    await noteLeastWait(folderDocuments(fleet), { sinceMs, ms });
  assert.deepEqual(await readLeastWaits(folderDocuments(fleet)), [
    { sinceMs: 10, ms: 1_000 },
    { sinceMs: 30, ms: 250 },
    { sinceMs: 40, ms: 1_000 },
  ]);
});

test('a damaged file is named, with the remedy, and not overwritten', async () => {
  const fleet = temporaryFolder();
  await writeFile(join(fleet, 'least-waits.json'), '{"format":1,"waits":[{"ms":"x"}]}');
  const says = {
    code: 'DATA_FOLDER_FOREIGN',
    message: /least-waits\.json cannot be read .*: restore it from a backup, or delete it/,
  };
  await assert.rejects(readLeastWaits(folderDocuments(fleet)), says);
  await assert.rejects(noteLeastWait(folderDocuments(fleet), { sinceMs: 1, ms: 1 }), says);
});
