/** Flips a bit of a batch on a broker's disk, as a bad disk or memory does. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const headerBytes = 61;

/** Of the batch that holds `offset`, in its records. The broker is down, and was ended in good order. */
export async function flipBit(partitionFolder: string, offset: number): Promise<void> {
  const segment = (await readdir(partitionFolder)).find((name) => name.endsWith('.log'))!;
  const path = join(partitionFolder, segment);
  const bytes = await readFile(path);
  for (let at = 0; at + headerBytes <= bytes.length; at += 12 + bytes.readInt32BE(at + 8)) {
    const last = Number(bytes.readBigInt64BE(at)) + bytes.readInt32BE(at + 23);
    if (last < offset) continue;
    bytes[at + headerBytes + 12]! ^= 8;
    await writeFile(path, bytes);
    return;
  }
  throw new Error(`${path} holds nothing at ${offset}`);
}
