import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tablesOf } from '../../../../services/runtime/store/level-manifest.ts';
import { openLevelStore } from '../../../../services/runtime/store/level-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

const put = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ key: Buffer.from(`k${from + i}`), value: Buffer.alloc(500, from + i) }));
const tablesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ldb'))
    .map((name) => Number.parseInt(name, 10));

function manifestOf(folder: string): Buffer {
  return readFileSync(join(folder, readFileSync(join(folder, 'CURRENT'), 'utf8').trim()));
}

describe('a reader beside the writer of a LevelDB folder', () => {
  it('a reader beside the writer of a LevelDB folder ignores tables that the writer is making', async () => {
    const folder = temporaryFolder();
    const writer = await openLevelStore(folder);
    await writer.write(put(0, 100));
    // Tables that no manifest names yet, under each of the numbers that come next.
    const made = Array.from({ length: 20 }, (_, i) => join(folder, `${String(i + 5).padStart(6, '0')}.ldb`));
    for (const file of made) writeFileSync(file, 'a table in the making');
    const reader = await openLevelStore(folder, { readOnly: true });
    assert.equal((await reader.get(Buffer.from('k99')))?.[0], 99);
    for (const file of made) assert.equal(readFileSync(file, 'utf8'), 'a table in the making', file);
    await reader.close();
    await writer.close();
  });

  it('a reader beside the writer of a LevelDB folder sees every row while tables come and go, at any moment', async () => {
    const folder = temporaryFolder();
    const writer = await openLevelStore(folder, { writeBufferBytes: 20_000 });
    let written = 0;
    let writing = true;
    const work = (async () => {
      for (; writing; written += 10) {
        await writer.write(put(written % 2000, 10));
        // A table every four writes, some hundred times as often as a busy crawl, with a moment between bursts.
        await sleep(written % 200 === 0 ? 100 : 1);
      }
    })();
    for (let round = 0; round < 15; round++) {
      const before = Math.min(written, 2000);
      const reader = await openLevelStore(folder, { readOnly: true });
      let rows = 0;
      for await (const _ of reader.scan({ gte: Buffer.from('k'), lt: Buffer.from('l') })) rows++;
      assert.ok(rows >= before, `${rows} of ${before}`);
      await reader.close();
    }
    writing = false;
    await work;
    await writer.close();
    // Nothing of a reader's was written over the writer's: it opens, and has it all.
    const again = await openLevelStore(folder);
    let rows = 0;
    for await (const [, value] of again.scan({ gte: Buffer.from('k'), lt: Buffer.from('l') })) {
      assert.equal(value.length, 500);
      rows++;
    }
    assert.equal(rows, Math.min(written, 2000));
    await again.close();
  });
});

it('a manifest lists the tables in use', async () => {
  const folder = temporaryFolder();
  const store = await openLevelStore(folder, { writeBufferBytes: 20_000 });
  for (let i = 0; i < 200; i++) await store.write(put((i * 37) % 500, 10));
  await store.close();
  // Opened and closed, so that what a compaction left behind is gone; one that begins meanwhile leaves something again.
  const look = async () => {
    await (await openLevelStore(folder)).close();
    return { named: tablesOf(manifestOf(folder)), there: tablesIn(folder) };
  };
  let { named, there } = await look();
  for (let tries = 1; named.size !== there.length && tries < 20; tries++) ({ named, there } = await look());
  assert.deepEqual([...named].sort(), there.sort());
  assert.ok(named.size > 0);
  const whole = manifestOf(folder);
  for (let cut = 0; cut < whole.length; cut++) {
    for (const table of tablesOf(whole.subarray(0, cut))) assert.ok(table > 0);
  }
});
