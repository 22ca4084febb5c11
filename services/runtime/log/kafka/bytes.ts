/** Writing and reading the primitive types of Kafka's protocol, big-endian, lengths as the protocol guide gives them. */

/** A growing byte buffer; kafkajs accepts it as one of its encoders because of `buf` and `buffer`. */
export interface ByteWriter {
  readonly buf: Buffer;
  readonly buffer: Buffer;
  readonly length: number;
  reserve(bytes: number): void;
  int8(value: number): void;
  int16(value: number): void;
  int32(value: number): void;
  /** A whole number below 2^53; negative ones too. */
  int64(value: number): void;
  string(value: string | null): void;
  /** Zigzag, as record fields are. Whole numbers below 2^52. */
  varint(value: number): void;
  bytes(value: Uint8Array): void;
  /** Drops everything written from `length` on. */
  cutAt(length: number): void;
  /** Overwrites two bytes at `at`. */
  patchInt16(at: number, value: number): void;
  /** Overwrites four bytes at `at`. */
  patchInt32(at: number, value: number): void;
}

const two32 = 2 ** 32;

export function createByteWriter(initialBytes: number): ByteWriter {
  let buf = Buffer.allocUnsafe(initialBytes);
  let at = 0;
  const reserve = (bytes: number) => {
    if (at + bytes <= buf.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * buf.length, at + bytes));
    buf.copy(larger, 0, 0, at);
    buf = larger;
  };
  const writer: ByteWriter = {
    get buf() {
      return buf;
    },
    get buffer() {
      return buf.subarray(0, at);
    },
    get length() {
      return at;
    },
    reserve,
    int8: (value) => {
      reserve(1);
      at = buf.writeInt8(value, at);
    },
    int16: (value) => {
      reserve(2);
      at = buf.writeInt16BE(value, at);
    },
    int32: (value) => {
      reserve(4);
      at = buf.writeInt32BE(value, at);
    },
    int64: (value) => {
      reserve(8);
      buf.writeInt32BE(Math.floor(value / two32), at);
      at = buf.writeUInt32BE(((value % two32) + two32) % two32, at + 4);
    },
    string: (value) => {
      if (value === null) return writer.int16(-1);
      const length = Buffer.byteLength(value);
      writer.int16(length);
      reserve(length);
      at += buf.write(value, at);
    },
    varint: (value) => {
      reserve(10);
      let zigzag = value < 0 ? -2 * value - 1 : 2 * value;
      while (zigzag >= 0x80) {
        buf[at++] = (zigzag % 0x80) | 0x80;
        zigzag = Math.floor(zigzag / 0x80);
      }
      buf[at++] = zigzag;
    },
    bytes: (value) => {
      reserve(value.length);
      buf.set(value, at);
      at += value.length;
    },
    cutAt: (length) => {
      at = length;
    },
    patchInt16: (position, value) => {
      buf.writeInt16BE(value, position);
    },
    patchInt32: (position, value) => {
      buf.writeInt32BE(value | 0, position);
    },
  };
  return writer;
}

/** Number of bytes that `varint` writes. */
export function varintBytes(value: number): number {
  let zigzag = value < 0 ? -2 * value - 1 : 2 * value;
  let bytes = 1;
  for (; zigzag >= 0x80; zigzag = Math.floor(zigzag / 0x80)) bytes++;
  return bytes;
}

/** A cursor over received bytes. Reading past the end throws RangeError. */
export interface ByteReader {
  readonly bytes: Buffer;
  at: number;
}

export function int8(r: ByteReader): number {
  return r.bytes.readInt8(r.at++);
}
export function int16(r: ByteReader): number {
  r.at += 2;
  return r.bytes.readInt16BE(r.at - 2);
}
export function int32(r: ByteReader): number {
  r.at += 4;
  return r.bytes.readInt32BE(r.at - 4);
}
/** Exact below 2^53: offsets and times never come near. */
export function int64(r: ByteReader): number {
  r.at += 8;
  return r.bytes.readInt32BE(r.at - 8) * two32 + r.bytes.readUInt32BE(r.at - 4);
}
export function string(r: ByteReader): string {
  const length = int16(r);
  if (length < 0) return '';
  r.at += length;
  if (r.at > r.bytes.length) throw new RangeError('a string runs past the end');
  return r.bytes.toString('utf8', r.at - length, r.at);
}
export function varint(r: ByteReader): number {
  let value = 0;
  let scale = 1;
  for (let i = 0; i < 10; i++) {
    const byte = r.bytes[r.at++];
    if (byte === undefined) throw new RangeError('a number runs past the end');
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    scale *= 0x80;
  }
  throw new RangeError('a number of more than ten bytes');
}
/** `length` bytes, not copied; null for a negative length. */
export function slice(r: ByteReader, length: number): Buffer | null {
  if (length < 0) return null;
  r.at += length;
  if (r.at > r.bytes.length) throw new RangeError('bytes run past the end');
  return r.bytes.subarray(r.at - length, r.at);
}
/** An array with its length before it, 32 bits. */
export function array<T>(r: ByteReader, item: (r: ByteReader) => T): T[] {
  const items: T[] = [];
  for (let left = int32(r); left > 0; left--) items.push(item(r));
  return items;
}
