/**
 * The data that the frontier keeps of a URL for a client of the pull API or the lease API: when it was first put, and
 * the client's metadata.
 *
 *   seconds since the Unix epoch (LEB128), then the metadata unchanged
 *
 * The metadata belongs to the client: it is stored and returned byte for byte, and never parsed here.
 */
import { ByteReader } from '../storage/bytes.ts';

/** Bytes of the last second that was written: nearly all URLs of a step share them. */
let [lastSecond, lastBytes] = [-1, Buffer.alloc(0)];

export function payloadOf(createdSec: number, metadata: Uint8Array): Buffer {
  const head = createdSec === lastSecond ? lastBytes : secondBytes(createdSec);
  const payload = Buffer.allocUnsafe(head.length + metadata.length);
  head.copy(payload);
  payload.set(metadata, head.length);
  return payload;
}

/** The payload of text that a client sent with a link (`payload` in schemas/discovered.avsc). */
export function payloadOfText(nowMs: number, text: string): Buffer {
  return payloadOf(Math.floor(nowMs / 1000), Buffer.from(text));
}

/** Empty: there is no payload. */
export function textOfPayload(payload: Uint8Array | undefined): string {
  return payload === undefined ? '' : Buffer.from(metadataOf(payload)).toString();
}

/** 0: unknown. */
export function createdSecOf(payload: Uint8Array | undefined): number {
  return payload === undefined ? 0 : new ByteReader(payload).uint();
}

export function metadataOf(payload: Uint8Array | undefined): Uint8Array {
  if (payload === undefined) return nothing;
  const reader = new ByteReader(payload);
  reader.uint();
  return payload.subarray(reader.at);
}

function secondBytes(second: number): Buffer {
  const bytes: number[] = [];
  let left = second;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  bytes.push(left);
  [lastSecond, lastBytes] = [second, Buffer.from(bytes)];
  return lastBytes;
}

const nothing = new Uint8Array(0);
