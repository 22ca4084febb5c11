/** One admitted URL on its way through the frontier, and its bytes in queue rows, leases and changes. */
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';

export interface Entry {
  readonly url: string;
  /** Link distance from a seed. */
  readonly depth: number;
  /** Redirect hops taken so far. */
  readonly hop: number;
  /** Attempts that were reported. */
  readonly attempts: number;
  /** Leases of one URL that expired with it on board: a poison URL shows itself here. */
  readonly expiries: number;
  /** Front queue, 0 first. */
  readonly band: number;
  /** What a client of the pull API gave along, as it came (pull/payload.ts). Absent: nothing. */
  readonly payload?: Uint8Array | undefined;
}

/** Beside the band, which is below: the numbers that are nearly always zero, and a payload, follow. */
const rareFlag = 0x80;
const payloadFlag = 0x40;

export function writeEntry(writer: ByteWriter, entry: Entry): void {
  writer.string(entry.url);
  writer.uint(entry.depth);
  // Nearly always all zero: one byte then.
  const rare = entry.hop + entry.attempts + entry.expiries > 0;
  const { payload } = entry;
  writer.byte(entry.band | (rare ? rareFlag : 0) | (payload === undefined ? 0 : payloadFlag));
  if (rare) {
    writer.uint(entry.hop);
    writer.uint(entry.attempts);
    writer.uint(entry.expiries);
  }
  if (payload !== undefined) writer.bytes(payload);
}

export function readEntry(reader: ByteReader): Entry {
  const url = reader.string();
  const depth = reader.uint();
  const flags = reader.byte();
  const rare = flags >= rareFlag;
  const entry = {
    url,
    depth,
    band: flags & (payloadFlag - 1),
    hop: rare ? reader.uint() : 0,
    attempts: rare ? reader.uint() : 0,
    expiries: rare ? reader.uint() : 0,
  };
  return (flags & payloadFlag) === 0 ? entry : { ...entry, payload: Buffer.from(reader.bytes()) };
}
