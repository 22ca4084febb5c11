/**
 * zstd's own library, compiled to WebAssembly (@bokuweb/zstd-wasm) behind this one file: the same on every platform and
 * Node, with checksums looked at. One call undoes one frame into a buffer of a size that is given: no window is allocated.
 *
 * Chosen in November 2026, on Node 20: a page of 2 MB in 9.7 ms of CPU (fzstd: 28.7, without checksums), one of 30 KB in
 * 0.1 ms (1.8). @mongodb-js/zstd and zstd-napi fetch their binaries with a script from elsewhere as they are installed;
 * zstddec does not tell an error from an answer; @hpcc-js/wasm-zstd gives nothing, and no error, for a wrong checksum.
 * Node's own (from 22.15) gives no beginning of what it can't finish within a limit, unless as a stream.
 */
import zstd from '@bokuweb/zstd-wasm';

let loading: Promise<void> | undefined;
let isLoaded = false;

/** Must be awaited before anything is decompressed: some 10 ms, once. */
export function loadZstd(): Promise<void> {
  loading ??= zstd.init().then(() => {
    isLoaded = true;
  });
  return loading;
}

/** `tooMuch`: more comes out than `bytesMax`. `damaged`: it is none, or its checksum says otherwise. */
export function undoFrame(frame: Buffer, bytesMax: number): Buffer | 'tooMuch' | 'damaged' {
  if (!isLoaded) throw new Error('zstd is used before it was loaded');
  try {
    const bytes = zstd.decompress(frame, { defaultHeapSize: Math.max(1, bytesMax) });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  } catch (error) {
    return destinationTooSmall.test((error as Error).message) ? 'tooMuch' : 'damaged';
  }
}

/** ZSTD_error_dstSize_tooSmall. */
const destinationTooSmall = /code -70$/;
