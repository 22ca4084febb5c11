import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { openLevelStore } from '../../../../services/runtime/store/level-store.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

test('a log on LevelDB gives the disk space of trimmed records back, although nothing more is written', async () => {
  const folder = temporaryFolder();
  const bytes = () =>
    readdirSync(folder).reduce(
      (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  const store = await openLevelStore(folder, { writeBufferBytes: 1 << 18 });
  const log = await openEmbeddedLog(store, new SystemClock(), { segmentBytes: 1 << 19, tailBytes: 0 });
  await log.createTopics([{ name: 't', partitions: 1, retention: 'time' }]);
  const values = Array.from({ length: 300 }, () => randomBytes(20_000));
  for (const value of values) await log.append([{ topic: 't', partition: 0, key: null, value }]);
  assert.ok(bytes() > 6e6);
  await log.trim('t', 0, 290);
  const deadline = Date.now() + 30_000;
  while (bytes() > 1.5e6 && Date.now() < deadline) await sleep(20);
  assert.ok(bytes() <= 1.5e6, `${bytes()} bytes are left of 10 records with 20,000 bytes each`);
  const reader = log.reader();
  reader.seek('t', 0, 290);
  const left = await reader.poll({ maxBytes: 1e6, waitMs: 0 });
  assert.deepEqual(
    left.map(({ value }) => value),
    values.slice(290),
  );
  await log.close();
  await store.close();
});
