/**
 * zstd's own library, compiled to WebAssembly (@bokuweb/zstd-wasm), used only in this file: the same on every
 * platform and Node, with verified checksums. One call decompresses one frame into a buffer of a given size, and
 * allocates no window.
 *
 * Chosen in November 2026, on Node 20: a page of 2 MB takes 9.7 ms of CPU (fzstd: 28.7, without checksums), one of 30
 * KB 0.1 ms (1.8). @mongodb-js/zstd and zstd-napi download their binaries with an install script; zstddec does not
 * distinguish errors from output; @hpcc-js/wasm-zstd returns nothing, and no error, for a wrong checksum. Node's own
 * (from 22.15) returns no partial output within a limit, except as a stream.
 */
import { createRequire } from 'node:module';

type Zstd = typeof import('@bokuweb/zstd-wasm');

let loading: Promise<void> | undefined;
let loaded: Zstd | undefined;

/** Must be awaited before any decompression: about 40 ms, once. Most crawls never need it. */
export function loadZstd(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  const zstd: Zstd = createRequire(import.meta.url)('@bokuweb/zstd-wasm');
  await zstd.init();
  loaded = zstd;
}

/** `tooMuch`: more output than `bytesMax`. `damaged`: not a frame, or a wrong checksum. */
export function undoFrame(frame: Buffer, bytesMax: number): Buffer | 'tooMuch' | 'damaged' {
  if (loaded === undefined) throw new Error('zstd is used before it was loaded');
  try {
    const bytes = loaded.decompress(frame, { defaultHeapSize: Math.max(1, bytesMax) });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  } catch (error) {
    return destinationTooSmall.test((error as Error).message) ? 'tooMuch' : 'damaged';
  }
}

/** ZSTD_error_dstSize_tooSmall. */
const destinationTooSmall = /code -70$/;
