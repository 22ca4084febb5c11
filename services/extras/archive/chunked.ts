/**
 * The chunked transfer coding of archived bodies (RFC 9112 §7.1). Bodies that other tools stored without their chunks,
 * under the same header, stay as they are.
 */

const lineEnd = Buffer.from('\r\n');
const sizeLine = /^([0-9a-f]{1,8})\s*(?:;.*)?$/i;
/** Longest line of a chunk's size with its extensions, bytes. */
const sizeLineBytesMax = 4_096;

/** `headers`: names in lower case and values alternating. Names of codings are case-insensitive (RFC 9112 §7). */
export function isChunked(headers: readonly string[]): boolean {
  return headers.some(
    (value, at) => at % 2 === 1 && headers[at - 1] === 'transfer-encoding' && value.toLowerCase() === 'chunked',
  );
}

export function unchunked(body: Buffer): Buffer {
  const chunks = new Chunks();
  return Buffer.concat([...chunks.take(body), chunks.rest]);
}

/** The same for a body that is read in pieces. */
export async function* unchunkedPieces(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = new Chunks();
  for await (const piece of body) {
    yield* chunks.take(piece);
    if (chunks.isDone) return;
  }
  if (chunks.rest.length > 0) yield chunks.rest;
}

/** Removes the chunks of a body while the body is read. */
class Chunks {
  #held: Buffer = Buffer.alloc(0);
  /** Bytes of the current chunk that have not come. */
  #left = 0;
  #form: 'unknown' | 'chunks' | 'plain' = 'unknown';
  /** The last chunk has come, or something that is no chunk. */
  isDone = false;

  /** Returns the data in the next bytes. */
  take(piece: Buffer): Buffer[] {
    if (this.#form === 'plain') return [piece];
    let held = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    const found: Buffer[] = [];
    while (!this.isDone) {
      const data = held.subarray(0, this.#left);
      held = held.subarray(data.length);
      this.#left -= data.length;
      if (data.length > 0) found.push(data);
      if (this.#left > 0) break;
      const from = this.#form === 'chunks' && held.subarray(0, 2).equals(lineEnd) ? 2 : 0;
      const end = held.indexOf(lineEnd, from);
      if (end < 0 && held.length - from < sizeLineBytesMax) break;
      const size = sizeLine.exec(held.toString('latin1', from, Math.min(end, from + sizeLineBytesMax)))?.[1];
      if (size === undefined && this.#form === 'unknown') {
        this.#form = 'plain';
        found.push(held);
        return found;
      }
      this.#form = 'chunks';
      this.#left = Number.parseInt(size ?? '0', 16);
      this.isDone = this.#left === 0;
      held = held.subarray(end + 2);
    }
    this.#held = held;
    return found;
  }

  /** All that came, if its form is still unknown. */
  get rest(): Buffer {
    return this.#form === 'unknown' ? this.#held : this.#held.subarray(0, 0);
  }
}
