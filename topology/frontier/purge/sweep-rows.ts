/**
 * Deletes the records of purged hosts' URLs from the checkpoint. Their rows are keyed by fingerprint, so all such
 * rows are read: 2 µs a row, some hundreds at a time, while the partition continues in between.
 *
 * The row of a URL that ended after the purge stays, because its host was released by then. After a crash, it runs
 * again from the changelog's purge on, and finds the remaining rows.
 */
import { hostKeyOf } from '../../url/host-key.ts';
import { readKnownUrl } from '../changes/url-record-bytes.ts';
import { ByteReader } from '../storage/bytes.ts';
import type { StoreJob } from '../storage/store-job.ts';
import type { Sweep } from './purge-state.ts';

/** Rows read at once: about a millisecond. */
const rowsPerRead = 512;
const [first, end] = [Buffer.from('u'), Buffer.from('v')];

export function* sweepRows(sweeps: readonly Sweep[]): StoreJob {
  if (sweeps.length === 0) return;
  const byHost = new Map<string, number>();
  for (const { hostKey, atMs } of sweeps) byHost.set(hostKey, Math.max(atMs, byHost.get(hostKey) ?? 0));
  for (let gte = first; ; ) {
    const reply = yield { scan: { gte, lt: end, limit: rowsPerRead } };
    const gone = [];
    for (let at = 0; at < reply.length; at += 2) {
      const key = bytesOf(reply[at]!);
      gte = Buffer.concat([key, Buffer.from([0])]);
      const { url, atMs } = readKnownUrl(new ByteReader(bytesOf(reply[at + 1]!)));
      const untilMs = byHost.get(hostKeyOf(url));
      if (untilMs !== undefined && atMs <= untilMs) gone.push({ key, value: null });
    }
    if (gone.length > 0) yield { write: gone };
    if (reply.length < 2 * rowsPerRead) return;
  }
}

function bytesOf(value: Uint8Array): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
