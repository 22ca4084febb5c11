/** Cuts acknowledged records off a partition's end on a broker's disk, as a power cut does before they were synced. */
import { readdir, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';

/** The broker is down. Batches that begin at `from` or later are gone; a batch is never cut in two. */
export async function cutLog(partitionFolder: string, from: number): Promise<void> {
  const [segment, ...more] = (await readdir(partitionFolder)).filter((name) => name.endsWith('.log'));
  if (segment === undefined || more.length > 0) throw new Error(`${partitionFolder} has no segment, or several`);
  const path = join(partitionFolder, segment);
  const bytes = await readFile(path);
  let at = 0;
  while (at + 12 <= bytes.length && bytes.readBigInt64BE(at) < BigInt(from)) at += 12 + bytes.readInt32BE(at + 8);
  if (at >= bytes.length) throw new Error(`${path} holds nothing from ${from} on`);
  await truncate(path, at);
}
