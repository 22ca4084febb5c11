/**
 * Frames of a journal: one write of one store each.
 *
 *   length u32, CRC-32 of what follows u32, store 8 bytes, then for each row: key length u32, value length + 1 u32 (0: the
 *   key is deleted), key, value
 *
 * Frames without rows do nothing. A file begins with two of them: one with `beginMark` or `turnMark` as its store,
 * and one with the file's own random group mark. The group mark is repeated before the frames of each sync:
 * everything before it was synced. So a frame that is not complete ends a file if no group follows: a power cut, or a
 * full disk, removed writes that were not acknowledged. If a group follows, or the next file begins with `turnMark`,
 * the writes were acknowledged, and the file is damaged. The group mark is random, because strangers may choose
 * stored bytes. Files of 0.3.0 have none of this.
 */
import { crc32 } from 'node:zlib';
import type { StoreOp } from '../store.ts';

export const storeIdBytes = 8;
const headBytes = 8;

export const beginMark = Buffer.alloc(storeIdBytes);
/** The previous file was synced to its end, and this one follows it. */
export const turnMark = Buffer.alloc(storeIdBytes, 0xff);

/** A write without rows records that the store was closed: it lacks nothing from before. */
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
  // Of no bytes at no address, zlib's sum is 0, whatever came before.
  for (const part of parts) if (part.length > 0) sum = crc32(part, sum);
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32BE(length, 0);
  head.writeUInt32BE(sum, 4);
  return [head, ...parts];
}

export const markFrame = (mark: Buffer) => Buffer.concat(frameOf(mark, []));
const markFrameBytes = headBytes + storeIdBytes;

export interface Frame {
  /** In hexadecimal. */
  readonly store: string;
  readonly ops: readonly StoreOp[];
}

export interface FileFrames {
  readonly frames: readonly Frame[];
  /** True if it begins with `turnMark`. */
  readonly isTurned: boolean;
  /** Offset of its first incomplete frame. Undefined: all are complete. */
  readonly tornAt: number | undefined;
  /** True if the torn part had been synced. */
  readonly isDamaged: boolean;
}

export function readFrames(file: Buffer): FileFrames {
  const frames: Frame[] = [];
  const first = bodyAt(file, 0);
  const isTurned = first?.equals(turnMark) === true;
  const hasGroups = isTurned || first?.equals(beginMark) === true;
  const isGroupWhole = hasGroups && bodyAt(file, markFrameBytes)?.length === storeIdBytes;
  const group = isGroupWhole ? file.subarray(markFrameBytes, 2 * markFrameBytes) : undefined;
  for (let at = 0; at < file.length; ) {
    const body = bodyAt(file, at);
    if (body === undefined) {
      const isDamaged = group !== undefined && file.indexOf(group, at + 1) >= 0;
      return { frames, isTurned, tornAt: at, isDamaged };
    }
    frames.push({ store: body.toString('hex', 0, storeIdBytes), ops: opsIn(body.subarray(storeIdBytes)) });
    at += headBytes + body.length;
  }
  return { frames, isTurned, tornAt: undefined, isDamaged: false };
}

function bodyAt(file: Buffer, at: number): Buffer | undefined {
  if (at + headBytes + storeIdBytes > file.length) return undefined;
  const length = file.readUInt32BE(at);
  const body = file.subarray(at + headBytes, at + headBytes + length);
  const isWhole = length >= storeIdBytes && body.length === length && crc32(body) === file.readUInt32BE(at + 4);
  return isWhole ? body : undefined;
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
