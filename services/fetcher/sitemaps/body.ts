/**
 * Reads the body of a sitemap as a stream: decompressed if it is gzip, parsed in pieces, passed on in batches.
 *
 * Gzip is recognized by its first bytes, whatever the headers state, in up to two layers: a `.gz` file that a server
 * compresses again. Invariant: memory is bounded by the pieces in progress. A batch is requested only when the previous
 * one was taken, so that neither a bomb nor a slow log fills the memory. The entries before a damage or cut count.
 */
import { performance } from 'node:perf_hooks';
import { PassThrough, pipeline, Readable, type Writable } from 'node:stream';
import { createGunzip, gunzipSync, constants as zlib } from 'node:zlib';
import { parseLimits } from '../../../topology/parse/parse-limits.ts';
import { createSitemapReader, type SitemapEntry } from '../../../topology/parse/sitemap.ts';
import { decodeBody } from '../http/content-coding.ts';

export interface SitemapBody {
  /** Takes the body. Destroyed when enough has arrived. */
  readonly sink: Writable;
  /** Called when the body has ended; `whole`: it is complete, as far as the connection shows. */
  finish(whole: boolean): Promise<SitemapRead>;
}

export interface SitemapRead {
  /** Decompressed. */
  readonly bytes: number;
  /** Time of parsing entries and making links, ms, without waits for the log. */
  readonly readMs: number;
}

export interface SitemapBodyOptions {
  readonly url: string;
  /** Asked when the first bytes have come. */
  readonly contentType: () => string | null;
  /** Its content codings except gzip, which is recognised by its bytes. Empty: none. Called at that time, too. */
  readonly contentEncoding: () => string;
  readonly onEntries: (entries: readonly SitemapEntry[], index: boolean) => Promise<void> | undefined;
}

export function openSitemapBody(options: SitemapBodyOptions): SitemapBody {
  const sink = new PassThrough();
  let isWhole = false;
  const reading = readAll(sink, options, () => isWhole);
  return {
    sink,
    finish(whole) {
      isWhole = whole;
      sink.end();
      return reading;
    },
  };
}

async function readAll(
  source: AsyncIterable<Buffer>,
  options: SitemapBodyOptions,
  isWhole: () => boolean,
): Promise<SitemapRead> {
  const { url, onEntries } = options;
  let bytes = 0;
  let readMs = 0;
  /** Runs to its first wait on the clock. */
  const timed = <T>(work: () => T): T => {
    const startMs = performance.now();
    const result = work();
    readMs += performance.now() - startMs;
    return result;
  };
  let reader: ReturnType<typeof createSitemapReader> | undefined;
  let isDamaged = false;
  try {
    for await (const chunk of plain(plain(uncoded(source, options.contentEncoding)))) {
      const open = (reader ??= createSitemapReader(options.contentType(), url));
      bytes += chunk.length;
      const entries = timed(() => {
        open.write(chunk);
        return open.take();
      });
      if (entries.length > 0) await timed(() => onEntries(entries, open.index));
      if (open.full) return { bytes, readMs };
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    isDamaged = true;
  }
  // A body that was cut may have ended in the middle of a URL.
  reader?.end(isWhole() && !isDamaged);
  const rest = reader?.take() ?? [];
  if (rest.length > 0) await onEntries(rest, reader!.index);
  return { bytes, readMs };
}

/**
 * Decodes other content codings. They are rare for sitemaps, so the body is collected first and decoded like a page's;
 * the part before a damage counts.
 */
async function* uncoded(source: AsyncIterable<Buffer>, contentEncoding: () => string): AsyncGenerator<Buffer> {
  let gathered: Buffer[] | undefined;
  let coding = '';
  let bytes = 0;
  for await (const chunk of source) {
    if (gathered === undefined) {
      coding = contentEncoding();
      if (coding !== '') gathered = [];
    }
    if (gathered === undefined) yield chunk;
    else if ((bytes += chunk.length) <= parseLimits.sitemapBytesMax) gathered.push(chunk);
  }
  if (gathered === undefined) return;
  const decoded = await decodeBody(Buffer.concat(gathered), coding, parseLimits.sitemapBytesMax);
  if ('error' in decoded) throw new CutShort();
  for (let at = 0; at < decoded.body.length; at += pieceBytes) yield decoded.body.subarray(at, at + pieceBytes);
  if (decoded.broken === true) throw new CutShort();
}

/** Pieces in which a body goes on that was gathered, as they come from a socket. */
const pieceBytes = 64 * 1024;

/** One layer of gzip off, if there is one. */
async function* plain(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 2) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  const whole = rejoined(head, chunks);
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* whole;
    return;
  }
  // Sync flush: a body that is cut is no error.
  const gunzip = createGunzip({ finishFlush: zlib.Z_SYNC_FLUSH });
  // Its errors come out of the gunzip as well, below.
  const tail = Buffer.alloc(8);
  const last: Buffer[] = [];
  pipeline(Readable.from(watched(whole, tail, last)), gunzip, () => {});
  let bytes = 0;
  for await (const chunk of gunzip as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    yield chunk;
  }
  // RFC 1952 §2.3.1: it ends with its length, or that of its last member.
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes % 2 ** 32);
  if (!tail.includes(length) && !endsWithMember(Buffer.concat(last))) throw new CutShort();
}

/** Does a whole member end here? One that is too long to be kept is not found. */
function endsWithMember(end: Buffer): boolean {
  const magic = Buffer.from([0x1f, 0x8b, 0x08]);
  for (let at = end.length, tries = 0; at > 0 && tries < memberTries; tries++) {
    at = end.lastIndexOf(magic, at - 1);
    if (at < 0) return false;
    try {
      gunzipSync(end.subarray(at), { maxOutputLength: memberBytesMax });
      return true;
    } catch {
      // It is no member, or a cut one.
    }
  }
  return false;
}

/**
 * Compressed bytes at the end of a body that are kept to look for its last member, and the size it may decompress to.
 */
const endBytes = 256 * 1024;
const memberBytesMax = 8 * 1024 * 1024;
/** Three bytes of a member look like the beginning of another once in 16 MiB. */
const memberTries = 4;

/**
 * Copies the last bytes of the stream to `tail`, with at most four of the zeros at its end: a file may be padded with
 * zeros, and its length field may end in up to four.
 */
async function* watched(source: AsyncIterable<Buffer>, tail: Buffer, end: Buffer[]): AsyncGenerator<Buffer> {
  let zeros = 0;
  let endLength = 0;
  for await (const chunk of source) {
    end.push(chunk);
    endLength += chunk.length;
    while (endLength - end[0]!.length >= endBytes) endLength -= end.shift()!.length;
    let length = chunk.length;
    while (length > 0 && chunk[length - 1] === 0) length--;
    zeros = length === 0 ? zeros : 0;
    const kept = chunk.subarray(0, Math.min(chunk.length, length + Math.max(0, 4 - zeros)));
    zeros += kept.length - length;
    const last = Buffer.concat([tail, kept.subarray(-tail.length)]);
    last.copy(tail, 0, last.length - tail.length);
    yield chunk;
  }
}

async function* rejoined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** A gzip stream that ends before its end. */
class CutShort extends Error {
  override readonly name = 'CutShort';
}

function isDamage(error: unknown): boolean {
  if (error instanceof CutShort) return true;
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && (code.startsWith('Z_') || code === 'ERR_STREAM_PREMATURE_CLOSE');
}
