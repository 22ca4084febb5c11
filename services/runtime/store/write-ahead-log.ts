/**
 * Checks whether a write-ahead log of RocksDB or LevelDB is complete. Both open a damaged one without an error:
 * RocksDB drops everything after the damage, LevelDB the rest of its block.
 *
 * A file consists of blocks of 32 KiB, and a block of fragments, each within its block: CRC-32C (masked) u32, length
 * u16, type u8, bytes. A batch is one FULL fragment, or FIRST, MIDDLE …, LAST. Source: LevelDB, doc/log_format.md;
 * RocksDB, Write-Ahead-Log-File-Format.
 *
 * Effects of a kill or a power cut are no damage: a file that ends in the middle of a batch, and pages of zeros in
 * place of data that was never synced. Any other fault before a complete batch is damage.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { crc32c } from '../checksum/crc32c.ts';
import { unlessMissing } from '../disk/disk.ts';

export interface LogDamage {
  readonly file: string;
  /** Offset of the first damaged fragment, bytes. */
  readonly offset: number;
  /** Number of bytes from there to the end of the file. */
  readonly bytesBehind: number;
}

const blockBytes = 32 * 1024;
const headBytes = 7;
/** Page size of a file system: unsynced data is missing by pages. */
const pageBytes = 4096;
/** Sector size of a disk: the last page may be there in part. */
const sectorBytes = 512;
/** Fewer consecutive zeros are no evidence. */
const zerosMin = 16;
/** Types of fragments; MIDDLE is 3. */
const full = 1;
const first = 2;
const last = 4;

/** The first damage in the write-ahead logs of a folder; undefined: none. */
export async function findLogDamage(folder: string): Promise<LogDamage | undefined> {
  const names = (await unlessMissing(readdir(folder))) ?? [];
  const numbers = names.flatMap((name) => /^(\d+)\.log$/.exec(name)?.[0] ?? []);
  for (const name of numbers.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))) {
    const file = join(folder, name);
    // A writer beside this reader may remove it.
    const bytes = await unlessMissing(readFile(file));
    const offset = bytes && damageIn(bytes);
    if (offset !== undefined) return { file, offset, bytesBehind: bytes!.length - offset };
  }
  return undefined;
}

/** Throws STORE_FAILED, which names file and offset, and what to do. */
export async function refuseLogDamage(folder: string): Promise<void> {
  const damage = await findLogDamage(folder);
  if (damage === undefined) return;
  const { file, offset, bytesBehind } = damage;
  const message =
    `${file} is damaged at byte ${offset}: the ${bytesBehind} bytes after it are unusable. ` +
    'Restore the file from a backup. pages, export, audit and recheck read the part before it with --skip-damaged. ' +
    `To continue without the rest: truncate -s ${offset} ${file}`;
  throw new CrawlstreamError('STORE_FAILED', message);
}

/** Offset of the first damaged fragment; undefined: none. */
export function damageIn(bytes: Buffer): number | undefined {
  for (let at = 0; at < bytes.length; ) {
    const left = blockBytes - (at % blockBytes);
    if (left < headBytes) {
      at += left;
      continue;
    }
    const size = fragmentAt(bytes, at);
    if (size === undefined) return isTorn(bytes, at) ? undefined : at;
    at += size;
  }
  return undefined;
}

/** Bytes of the whole fragment that begins here. */
function fragmentAt(bytes: Buffer, at: number): number | undefined {
  const left = Math.min(blockBytes - (at % blockBytes), bytes.length - at);
  if (left < headBytes) return undefined;
  const type = bytes[at + 6]!;
  const length = bytes.readUInt16LE(at + 4);
  if (type < full || type > last || headBytes + length > left) return undefined;
  return crc32c(bytes, at + 6, at + headBytes + length) === unmasked(bytes.readUInt32LE(at))
    ? headBytes + length
    : undefined;
}

/** The masked form is used for a checksum of data that contains checksums. */
function unmasked(masked: number): number {
  const rotated = (masked - 0xa282ead8) >>> 0;
  return (rotated >>> 17) | (rotated << 15) | 0;
}

/** Returns whether the incomplete rest is only the effect of a kill or a power cut. */
function isTorn(bytes: Buffer, at: number): boolean {
  const next = nextBatch(bytes, at + 1);
  if (next !== undefined) return hasZeros(bytes, at, next, pageBytes);
  // The last batch: one that is there to its end was written whole.
  const size = headBytes + (at + headBytes <= bytes.length ? bytes.readUInt16LE(at + 4) : 0);
  return size === headBytes || at + size > bytes.length || hasZeros(bytes, at, at + size, sectorBytes);
}

/** Offset of the next complete batch, or of the beginning of one. */
function nextBatch(bytes: Buffer, from: number): number | undefined {
  for (let at = from; at + headBytes <= bytes.length; at++) {
    const type = bytes[at + 6];
    if ((type === full || type === first) && fragmentAt(bytes, at) !== undefined && fillsBlock(bytes, at)) return at;
  }
  return undefined;
}

/**
 * Returns whether fragments follow to the end of the block. Otherwise the bytes may be stored data, chosen by
 * strangers.
 */
function fillsBlock(bytes: Buffer, from: number): boolean {
  const end = Math.min(bytes.length, from - (from % blockBytes) + blockBytes);
  let at = from;
  for (let size: number | undefined; at < end && end - at >= headBytes; at += size) {
    size = fragmentAt(bytes, at);
    if (size === undefined) return false;
  }
  return at === end || end % blockBytes === 0;
}

/** Returns whether an aligned range of `stretchBytes`, or its part within [from, to), is all zeros. */
function hasZeros(bytes: Buffer, from: number, to: number, stretchBytes: number): boolean {
  for (let stretch = from - (from % stretchBytes); stretch < to; stretch += stretchBytes) {
    const [begin, end] = [Math.max(stretch, from), Math.min(stretch + stretchBytes, to)];
    if (end - begin >= zerosMin && bytes.subarray(begin, end).every((byte) => byte === 0)) return true;
  }
  return false;
}
