/**
 * Decodes a damaged compressed stream up to its damage.
 *
 * The library drops the output of a write that ends in an error. So the stream is read again in pieces, and the piece
 * with the damage again in smaller ones, down to bytes. The work is a few times that of a whole stream.
 */
import type { BrotliDecompress, Gunzip } from 'node:zlib';

export interface UpToDamage {
  readonly body: Buffer;
  /** Bytes of the stream that were read without an error. */
  readonly readBytes: number;
  /** The limit was reached before the damage. */
  readonly truncated: boolean;
}

/** Bytes of a piece in each round: 32 KiB, then 512, then 16, then one. */
const pieceBytes = [32_768, 512, 16, 1];

export async function upToDamage(
  body: Buffer,
  open: () => BrotliDecompress | Gunzip,
  bytesMax: number,
): Promise<UpToDamage> {
  let read: UpToDamage = { body: Buffer.alloc(0), readBytes: 0, truncated: false };
  for (const bytes of pieceBytes) {
    read = await inPieces(body, open, bytesMax, read.readBytes, bytes);
    if (read.truncated) break;
  }
  return read;
}

/** `good`: bytes at the beginning that are known to be sound. */
function inPieces(
  body: Buffer,
  open: () => BrotliDecompress | Gunzip,
  bytesMax: number,
  good: number,
  pieceBytes: number,
): Promise<UpToDamage> {
  return new Promise((resolve) => {
    const stream = open();
    const chunks: Buffer[] = [];
    let bytes = 0;
    let readBytes = 0;
    let isOver = false;
    const finish = (truncated: boolean) => {
      if (isOver) return;
      isOver = true;
      stream.destroy();
      resolve({ body: Buffer.concat(chunks).subarray(0, bytesMax), readBytes, truncated });
    };
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > bytesMax) finish(true);
    });
    stream.on('error', () => finish(false));
    stream.on('end', () => finish(false));
    const write = () => {
      if (isOver) return;
      if (readBytes >= body.length) return void stream.end();
      const end = readBytes < good ? good : Math.min(body.length, readBytes + pieceBytes);
      stream.write(body.subarray(readBytes, end), (error) => {
        if (error !== undefined && error !== null) return;
        readBytes = end;
        write();
      });
    };
    write();
  });
}
