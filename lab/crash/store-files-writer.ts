/**
 * `store-files-writer.ts FOLDER COPIES SEED ROLLS`: writes numbered rows into a store, and copies its folder while it
 * has more than one write-ahead log, so that a power cut at that moment can be made of the copy. Prints a line for each
 * copy: its name, the newest write, and the newest write that was acknowledged as synced. Ends as after a kill.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openStateStore } from '../../services/runtime/store/open-store.ts';
import { Random } from './random.ts';

const [folder, copies, seed, rolls] = process.argv.slice(2) as [string, string, string, string];
const random = new Random(Number(seed));
const writeBufferBytes = [64 << 10, 256 << 10, 1 << 20][random.below(3)]!;
const store = await openStateStore(folder, { writeBufferBytes, compression: false });
const bytesMax = [200, 3000, writeBufferBytes >> 4, writeBufferBytes >> 2][random.below(4)]!;
const syncedEach = [7, 100, 1e9][random.below(3)]!;

const logsNow = () => readdirSync(folder).filter((name) => /^\d+\.log$/.test(name));
let synced = -1;
let copied = 0;
let newest = '';
let left = 0;
for (let number = 0; copied < Number(rolls) * 3; number++) {
  const rows = Array.from({ length: 1 + random.below(4) }, (_, row) => ({
    key: Buffer.from(`${number} ${row}`),
    value: Buffer.alloc(random.below(bytesMax), number),
  }));
  // Also the first synced write into a new log: its folder may have to be synced as well.
  const sync = number % syncedEach === syncedEach - 1 || (left > 0 && random.below(2) === 0);
  await store.write([...rows, { key: Buffer.from(`w${number}`), value: Buffer.alloc(0) }], { sync });
  if (sync) synced = number;
  // The range has no rows: it ends a log before it is full.
  if (number % 29 === 28) await store.free?.(Buffer.from('a'), Buffer.from('b'));
  const last = logsNow()
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .at(-1)!;
  // After a log began: the first writes into it.
  if (last !== newest) left = newest === '' ? 0 : 3;
  newest = last;
  if (left === 0) continue;
  left -= 1;
  copied += 1;
  const to = join(copies, `${copied}`);
  if (copyFolder(to)) writeSync(1, `${copied} ${number} ${synced}\n`);
}
process.kill(process.pid, 'SIGKILL');

/** Notes which writes were durable at this moment. False: the store changed it meanwhile. */
function copyFolder(to: string): boolean {
  mkdirSync(to, { recursive: true });
  const durable = readFileSync(process.env['SYNCED_LOG']!);
  const names = readdirSync(folder);
  const sizes = new Map(names.map((name) => [name, statSync(join(folder, name), { throwIfNoEntry: false })?.size]));
  try {
    for (const name of names) {
      copyFileSync(join(folder, name), join(to, name));
      const size = sizes.get(name)!;
      if (statSync(join(to, name)).size > size) truncateSync(join(to, name), size);
    }
  } catch {
    return false;
  }
  if (readdirSync(folder).sort().join() !== names.sort().join()) return false;
  writeDurable(`${to}.durable`, durable);
  return true;
}

function writeDurable(path: string, bytes: Buffer): void {
  copyFileSync(process.env['SYNCED_LOG']!, path);
  truncateSync(path, bytes.length);
}
