/**
 * Decodes content codings (RFC 9110 §8.4): gzip, deflate (with or without its zlib header), br, zstd.
 *
 * Servers write charsets, media types and words into Content-Encoding. A name of no coding leaves the bytes unchanged
 * (Fetch standard, "handle content codings"), and so does a coding that a text body does not have.
 *
 * Invariant: at most `bytesMax` bytes are returned and about as many are held meanwhile, for any input. The part of a
 * cut or damaged stream before the damage is kept, and the result is marked as truncated. Bytes after a whole stream do
 * not count as damage.
 */
import { isUtf8 } from 'node:buffer';
import {
  type BrotliDecompress,
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type Gunzip,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  constants as zlib,
} from 'node:zlib';
import { decodeZstd } from '../../runtime/zstd/decode.ts';
import { loadZstd } from '../../runtime/zstd/library.ts';
import { upToDamage } from './damaged-stream.ts';
import { requestLimits } from './request-limits.ts';

export interface Decoded {
  readonly body: Buffer;
  /** The limit was reached, or the stream ended early. */
  readonly truncated: boolean;
  /** The stream ended early, or is damaged from there on: this is the beginning of something unknown. Absent: it is not. */
  readonly broken?: boolean;
}

export type DecodeResult = Decoded | { readonly error: string };

/** Sent with every request; what `decodeBody` can undo. */
export const acceptEncoding = 'gzip, deflate, br, zstd';

/** Compressed bytes up to which the synchronous path is tried: its set-up is a fifth of a stream's (about 30 µs). */
const syncBytesMax = 64 * 1024;
/** Output the synchronous path may produce: about a millisecond of work. */
const syncOutputMax = 1024 * 1024;

/** Output between two turns of the event loop: below a millisecond, and few turns even for a bomb. */
const streamChunkBytes = 256 * 1024;

type Coding = 'gzip' | 'deflate' | 'deflate-raw' | 'br';

/**
 * `contentEncoding`: the values of all its fields, joined by commas; empty: no field. Returns small results at once.
 */
export function decodeBody(
  body: Buffer,
  contentEncoding: string,
  bytesMax: number,
): DecodeResult | Promise<DecodeResult> {
  if (contentEncoding === '' || body.length === 0) return cut(body, bytesMax);
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => undone.has(name));
  if (names.length === 0) return asItIs(body, contentEncoding, bytesMax);
  if (names.length > requestLimits.codingLayersMax) return { error: `${names.length} content codings` };
  // Layers are named in the order they were applied (RFC 9110 §8.4): the last comes off first.
  if (names.length === 1) return decodeLayer(body, names[0]!, bytesMax);
  return decodeLayers(body, names.reverse(), bytesMax);
}

/** Names of the decoded codings. */
const undone: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd']);
/** Other registered content codings: a body in one of them is unreadable, unless it is text. */
const notUndone = /(?:^|[\s,])(compress|x-compress|sdch|pack200-gzip|exi|aes128gcm|dcb|dcz)(?:$|[\s,])/i;

function asItIs(body: Buffer, contentEncoding: string, bytesMax: number): DecodeResult {
  const coding = notUndone.exec(contentEncoding)?.[1];
  if (coding !== undefined && holdsBinary(body)) return { error: `content coding ${coding} is not known` };
  return cut(body, bytesMax);
}

async function decodeLayers(body: Buffer, names: readonly string[], bytesMax: number): Promise<DecodeResult> {
  let truncated = false;
  let broken = false;
  for (const name of names) {
    const layer = await decodeLayer(body, name, bytesMax);
    if ('error' in layer) return layer;
    body = layer.body;
    // A layer that was cut at the limit ends early in the next one, without damage.
    broken ||= layer.broken === true && !truncated;
    truncated ||= layer.truncated;
  }
  return broken ? { body, truncated, broken } : { body, truncated };
}

function decodeLayer(body: Buffer, name: string, bytesMax: number): DecodeResult | Promise<DecodeResult> {
  if (name === 'zstd') {
    return loadZstd().then(() => {
      const { body: plain, truncated } = decodeZstd(body, bytesMax, requestLimits.zstdWindowBytesMax) ?? {};
      if (plain === undefined || truncated === undefined) {
        return isText(body) ? cut(body, bytesMax) : { error: 'zstd stream is damaged or asks for too much' };
      }
      return truncated && plain.length < bytesMax
        ? { body: plain, truncated, broken: true }
        : { body: plain, truncated };
    });
  }
  const coding = codingOf(name, body);
  if (coding === 'plain') return cut(body, bytesMax);
  if (coding === 'damaged') return { error: `${name} stream is damaged: it has no header of gzip` };
  if (body.length <= syncBytesMax) {
    const done = decodeSync(body, coding, Math.min(bytesMax, syncOutputMax));
    return typeof done === 'string' ? decodeStream(body, coding, bytesMax) : done;
  }
  return decodeStream(body, coding, bytesMax);
}

function cut(body: Buffer, bytesMax: number): Decoded {
  return body.length <= bytesMax ? { body, truncated: false } : { body: body.subarray(0, bytesMax), truncated: true };
}

/** Servers label plain bodies as gzip, send raw deflate, and confuse gzip and deflate: the first bytes decide. */
function codingOf(name: string, body: Buffer): Coding | 'plain' | 'damaged' {
  if (name === 'br') return 'br';
  if (body[0] === 0x1f && body[1] === 0x8b) return 'gzip';
  // RFC 1950 §2.2: method 8, and the first two bytes are a multiple of 31. Text may begin so, too.
  const isZlib = (body[0]! & 0x0f) === 8 && ((body[0]! << 8) + (body[1] ?? 0)) % 31 === 0;
  if (name === 'deflate') return isZlib ? 'deflate' : 'deflate-raw';
  if (isZlib && body[0] === 0x78 && holdsBinary(body)) return 'deflate';
  return holdsBinary(body) ? 'damaged' : 'plain';
}

/**
 * True for a body with bytes that no text begins with (MIME sniffing standard, §7.1). Such a body without a coding
 * header is not a page.
 */
function holdsBinary(body: Buffer): boolean {
  const isUtf16 = (body[0] === 0xfe && body[1] === 0xff) || (body[0] === 0xff && body[1] === 0xfe);
  return (
    !isUtf16 &&
    body
      .subarray(0, 512)
      .some((byte) => byte <= 8 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f))
  );
}

/** Letters that make a text: fewer may be a stream by chance. */
const textBytesMin = 12;

/**
 * True if the body is text, and so not encoded. A compressed stream may look like text by chance: text that is not
 * UTF-8 must be long, and have words.
 */
function isText(body: Buffer): boolean {
  if (body.length < textBytesMin || holdsBinary(body)) return false;
  return isUtf8(body) || (body.length > 256 && body.includes(' '));
}

/** `other`: the stream ends early, is larger than `outputMax`, or damaged; decoding it as a stream finds out which. */
function decodeSync(body: Buffer, coding: Coding, outputMax: number): Decoded | 'other' {
  try {
    if (coding === 'gzip') {
      const options = { maxOutputLength: outputMax, chunkSize: outputChunk(body) };
      return { body: gunzipSync(body, options), truncated: false };
    }
    const options = { maxOutputLength: outputMax };
    if (coding === 'br') return { body: brotliDecompressSync(body, options), truncated: false };
    const inflated = coding === 'deflate' ? inflateSync(body, options) : inflateRawSync(body, options);
    return { body: inflated, truncated: false };
  } catch {
    return 'other';
  }
}

/** One allocation if gzip's trailer (RFC 1952 §2.3.1, size modulo 2^32) is right. */
function outputChunk(body: Buffer): number {
  const claimed = body.length >= 18 ? body.readUInt32LE(body.length - 4) : 0;
  return Math.min(Math.max(claimed + 64, 1024), 256 * 1024);
}

async function decodeStream(body: Buffer, coding: Coding, bytesMax: number): Promise<DecodeResult> {
  const open = () => streamOf(coding);
  const whole = await decodeWhole(body, open, bytesMax);
  if (!('error' in whole)) return whole.broken === true ? brokenStream(body, coding, bytesMax, whole) : whole;
  if (isText(body)) return cut(body, bytesMax);
  const { body: plain, readBytes, truncated } = await upToDamage(body, open, bytesMax);
  if (truncated) return { body: plain, truncated };
  // The library takes bytes after a stream for another member, and notices the error a few bytes later.
  for (let behind = 0; coding === 'gzip' && behind < magicBytes; behind++) {
    const stream = await decodeWhole(body.subarray(0, Math.max(readBytes - behind, 0)), open, bytesMax);
    if (!('error' in stream) && stream.broken !== true) return stream;
  }
  if (plain.length > 0) return { body: plain, truncated: true, broken: true };
  return { error: `${coding} stream is damaged: ${whole.error}` };
}

async function brokenStream(body: Buffer, coding: Coding, bytesMax: number, broken: Decoded): Promise<DecodeResult> {
  const whole = await withoutItsSum(body, coding, bytesMax);
  if (whole !== null) return whole;
  if (coding !== 'gzip') return isText(body) ? cut(body, bytesMax) : broken;
  // One byte behind a stream is too little for an error; of another member it may be the first.
  if (body.at(-1) === 0x1f) return broken;
  const stream = await decodeWhole(body.subarray(0, -1), () => streamOf(coding), bytesMax);
  return 'error' in stream || stream.broken === true ? broken : stream;
}

/**
 * Decodes a stream that lacks only its checksum at the end. Null: it lacks more. The last block of the data is marked
 * as the last (RFC 1951 §3.2.3), so the body is complete. Browsers and curl accept such a body as whole.
 */
async function withoutItsSum(body: Buffer, coding: Coding, bytesMax: number): Promise<Decoded | null> {
  if (coding !== 'gzip' && coding !== 'deflate') return null;
  const dataAt = coding === 'gzip' ? gzipDataAt(body) : zlibHeaderBytes;
  if (dataAt === null) return null;
  const decodeTo = (end: number) => decodeWhole(body.subarray(dataAt, end), () => streamOf('deflate-raw'), bytesMax);
  const whole = await decodeTo(body.length);
  if ('error' in whole || whole.broken === true) return null;
  // Data that end earlier are those of a member that others follow.
  const earlier = await decodeTo(Math.max(body.length - sumBytes[coding], dataAt));
  return 'error' in earlier || earlier.broken === true ? whole : null;
}

const zlibHeaderBytes = 2;
/** RFC 1952 §2.3.1: the sum and the length. RFC 1950 §2.2: the sum. */
const sumBytes = { gzip: 8, deflate: 4 } as const;

/** Offset of the data of the first gzip member (RFC 1952 §2.3). Null: its header is cut. */
function gzipDataAt(body: Buffer): number | null {
  const [hasHeaderSum, hasExtra, hasName, hasComment] = [2, 4, 8, 16].map((bit) => (body[3]! & bit) !== 0);
  let at = 10;
  if (hasExtra) at += 2 + (at + 2 <= body.length ? body.readUInt16LE(at) : body.length);
  for (const isThere of [hasName, hasComment]) {
    if (!isThere) continue;
    const end = body.indexOf(0, at);
    if (end === -1) return null;
    at = end + 1;
  }
  if (hasHeaderSum) at += 2;
  return at < body.length ? at : null;
}

/** First bytes of a gzip member that identify it. */
const magicBytes = 4;

/**
 * The library does not report where a stream ends, so a byte is added after the body: a complete stream leaves it, one
 * that ends early takes it. It is a zero, which may follow gzip files, and which begins no further member.
 */
function decodeWhole(
  body: Buffer,
  open: () => BrotliDecompress | Gunzip,
  bytesMax: number,
  isProbed = true,
): Promise<DecodeResult> {
  return new Promise((resolve) => {
    const stream = open();
    const chunks: Buffer[] = [];
    let bytes = 0;
    let finished = false;
    const finish = (truncated: boolean, broken = false) => {
      finished = true;
      stream.destroy();
      const whole = Buffer.concat(chunks);
      resolve(broken ? { body: whole, truncated, broken } : { body: whole, truncated });
    };
    stream.on('data', (chunk: Buffer) => {
      if (finished) return;
      const room = bytesMax - bytes;
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      bytes += Math.min(chunk.length, room);
      // Decoding ends one byte beyond the limit: a bomb is not unpacked any further.
      if (chunk.length > room) finish(true);
    });
    stream.on('error', (error) => {
      if (finished) return;
      // It may be the byte alone that is wrong.
      resolve(isProbed ? decodeWhole(body, open, bytesMax, false) : { error: error.message });
    });
    stream.on('end', () => {
      if (finished) return;
      if (!isProbed) finish(true, true);
      // The decoder may have produced output from the byte.
      else if (stream.bytesWritten > body.length) resolve(decodeWhole(body, open, bytesMax, false));
      else finish(false);
    });
    if (!isProbed) stream.end(body);
    else {
      stream.write(body);
      stream.end(Buffer.of(0));
    }
  });
}

function streamOf(coding: Coding): BrotliDecompress | Gunzip {
  // Sync flush: return all output of a cut stream.
  const options = { finishFlush: zlib.Z_SYNC_FLUSH, chunkSize: streamChunkBytes };
  if (coding === 'gzip') return createGunzip(options);
  if (coding === 'deflate') return createInflate(options);
  if (coding === 'deflate-raw') return createInflateRaw(options);
  return createBrotliDecompress({ finishFlush: zlib.BROTLI_OPERATION_FLUSH, chunkSize: streamChunkBytes });
}
