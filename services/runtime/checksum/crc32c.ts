/**
 * CRC-32C, the checksum over all bytes of a record batch. It uses the processor's instruction, through the
 * @node-rs/crc32 package, which only this file imports; or tables, if that package has no build for this machine.
 */
import { createRequire } from 'node:module';
import { crc32cByTables } from './crc32c-tables.ts';

type Crc = (bytes: Buffer, start?: number, end?: number) => number;

export const nativeCrc32c: Crc | undefined = loadNative();

/** The checksum of `bytes[start..end)`, as a signed 32-bit number. */
export const crc32c: Crc = nativeCrc32c ?? crc32cByTables;

function loadNative(): Crc | undefined {
  try {
    const native = createRequire(import.meta.url)('@node-rs/crc32') as typeof import('@node-rs/crc32');
    return (bytes, start = 0, end = bytes.length) => native.crc32c(bytes.subarray(start, end)) | 0;
  } catch {
    return undefined;
  }
}
