/**
 * Keeps the newest row of each key from rows in order of time (null: the key was removed), and returns them in the
 * order of the keys. It uses a store on disk, so that memory does not grow with the crawl.
 */
import { openScratchFolder } from '../disk/scratch-folder.ts';
import { openStateStore } from '../store/open-store.ts';
import type { StoreOp } from '../store/store.ts';
import type { Row } from './table.ts';

const batchRows = 500;
const everyKey = { gte: Uint8Array.of(0x4b), lt: Uint8Array.of(0x4c) };

/** `folder`: a folder with room for a second copy of the rows. */
export async function* newestRows(
  rows: AsyncIterable<readonly [key: string, row: Row | null]>,
  folder: string,
): AsyncGenerator<Row> {
  const place = await openScratchFolder(folder, '.crawlstream-export-');
  try {
    const store = await openStateStore(place.path);
    try {
      let batch = new Map<string, StoreOp>();
      for await (const [key, row] of rows) {
        batch.set(key, { key: Buffer.from(`K${key}`), value: row && Buffer.from(JSON.stringify(row)) });
        if (batch.size < batchRows) continue;
        await store.write([...batch.values()]);
        batch = new Map();
      }
      await store.write([...batch.values()]);
      for await (const [, value] of store.scan(everyKey)) yield JSON.parse(value.toString());
    } finally {
      await store.close();
    }
  } finally {
    await place.remove();
  }
}
