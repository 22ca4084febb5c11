/**
 * A 128-bit sum over all entries ever queued, for the digest. Together with the start and end of each front queue, it
 * determines the content of the queues without reading them, in memory or on disk.
 */
import { type Entry, hopsOf } from '../changes/entry.ts';
import { MultisetSum } from '../storage/multiset-sum.ts';

export class QueuedSum {
  readonly sum = new MultisetSum();

  /** `hi`, `lo`: fingerprint of the URL's key; `number`: of the entry among all ever queued. */
  add(hi: number, lo: number, number: number, entry: Entry): void {
    const { url, depth, attempts, expiries, frontQueue, payload, spelling } = entry;
    const numbers =
      Math.imul(number, 0x9e3779b1) ^
      Math.imul(depth + 64 * frontQueue, 0x85ebca6b) ^
      url.length ^
      (payload === undefined ? 0 : foldOf(payload)) ^
      (spelling === undefined ? 0 : foldOf(Buffer.from(spelling)));
    const rare = Math.imul(hopsOf(entry) + 32 * (attempts + 32 * expiries), 0xc2b2ae35);
    this.sum.add((hi ^ numbers) >>> 0, (lo ^ rare ^ (numbers >>> 15)) >>> 0);
  }
}

/** FNV-1a, 32 bits. */
function foldOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash;
}
