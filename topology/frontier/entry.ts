/** One admitted URL on its way through the frontier, and its bytes in queue rows, leases and changes. */
import type { ByteReader, ByteWriter } from './bytes.ts';

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
}

export function writeEntry(writer: ByteWriter, entry: Entry): void {
  writer.string(entry.url);
  writer.uint(entry.depth);
  // Nearly always all zero: one byte then.
  const rare = entry.hop + entry.attempts + entry.expiries > 0;
  writer.byte(entry.band | (rare ? 0x80 : 0));
  if (!rare) return;
  writer.uint(entry.hop);
  writer.uint(entry.attempts);
  writer.uint(entry.expiries);
}

export function readEntry(reader: ByteReader): Entry {
  const url = reader.string();
  const depth = reader.uint();
  const flags = reader.byte();
  const rare = flags >= 0x80;
  return {
    url,
    depth,
    band: flags & 0x7f,
    hop: rare ? reader.uint() : 0,
    attempts: rare ? reader.uint() : 0,
    expiries: rare ? reader.uint() : 0,
  };
}
