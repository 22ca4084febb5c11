/**
 * Frames of a journal: one write of one store each.
 *
 *   length u32, CRC-32 of what follows u32, store 8 bytes, then for each row: key length u32, value length + 1 u32 (0: the
 *   key is deleted), key, value
 *
 * A frame that was cut off by a power cut, or was never written whole, ends what a file holds.
 */
import { crc32 } from 'node:zlib';
import type { StoreOp } from '../store.ts';

export const storeIdBytes = 8;
const headBytes = 8;

/** A write without rows says that the store was closed: nothing of it is missing there. */
export function frameOf(store: Buffer, ops: readonly StoreOp[]): Buffer[] {
  const parts: Buffer[] = [store];
  let length = storeIdBytes;
  for (const { key, value } of ops) {
    const head = Buffer.allocUnsafe(8);
    head.writeUInt32BE(key.length, 0);
    head.writeUInt32BE(value === null ? 0 : value.length + 1, 4);
    parts.push(head, bufferOf(key));
    length += 8 + key.length;
    if (value === null || value.length === 0) continue;
    parts.push(bufferOf(value));
    length += value.length;
  }
  let sum = 0;
  for (const part of parts) sum = crc32(part, sum);
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32BE(length, 0);
  head.writeUInt32BE(sum, 4);
  return [head, ...parts];
}

export interface Frame {
  /** In hexadecimal. */
  readonly store: string;
  readonly ops: readonly StoreOp[];
}

/** Of a file, as far as it is whole. */
export function* framesIn(file: Buffer): Generator<Frame> {
  for (let at = 0; at + headBytes + storeIdBytes <= file.length; ) {
    const length = file.readUInt32BE(at);
    const body = file.subarray(at + headBytes, at + headBytes + length);
    if (length < storeIdBytes || body.length < length || crc32(body) !== file.readUInt32BE(at + 4)) return;
    yield { store: body.toString('hex', 0, storeIdBytes), ops: opsIn(body.subarray(storeIdBytes)) };
    at += headBytes + length;
  }
}

function opsIn(rows: Buffer): StoreOp[] {
  const ops: StoreOp[] = [];
  for (let at = 0; at < rows.length; ) {
    const [keyBytes, valueBytes] = [rows.readUInt32BE(at), rows.readUInt32BE(at + 4)];
    const valueAt = at + 8 + keyBytes;
    const end = valueAt + Math.max(0, valueBytes - 1);
    ops.push({ key: rows.subarray(at + 8, valueAt), value: valueBytes === 0 ? null : rows.subarray(valueAt, end) });
    at = end;
  }
  return ops;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
