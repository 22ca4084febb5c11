/** Frames of HTTP/2 (RFC 9113 §4) as bytes, for servers that send frames that no library would. */
import type { Field } from './situation.ts';

export const frameTypes = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, continuation: 9 } as const;
export const frameFlags = { endStream: 1, endHeaders: 4 } as const;

export function frameOf(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Each as 32 bits. */
export function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [n, value] of values.entries()) bytes.writeUInt32BE(value, 4 * n);
  return bytes;
}

/** Field lines without indexing or Huffman code (RFC 7541 §6.2.2). */
export function fieldBlock(fields: readonly Field[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), stringOf(name), stringOf(value)]));
}

/** RFC 7541 §5.1, §5.2. */
function stringOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.of(bytes.length), bytes]);
  const length = [127];
  let left = bytes.length - 127;
  for (; left >= 128; left = Math.floor(left / 128)) length.push((left % 128) | 128);
  return Buffer.concat([Buffer.from([...length, left]), bytes]);
}

/** The head of a response, split into frames of a size that every client accepts (RFC 9113 §4.2). */
export function headFrames(stream: number, block: Buffer, endsStream: boolean): Buffer {
  const frameMax = 16_384;
  const count = Math.max(1, Math.ceil(block.length / frameMax));
  const frames = Array.from({ length: count }, (_, n) => {
    const part = block.subarray(n * frameMax, (n + 1) * frameMax);
    const flags = (n === count - 1 ? frameFlags.endHeaders : 0) | (n === 0 && endsStream ? frameFlags.endStream : 0);
    return frameOf(n === 0 ? frameTypes.headers : frameTypes.continuation, flags, stream, part);
  });
  return Buffer.concat(frames);
}
