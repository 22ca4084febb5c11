/** One admitted URL on its way through the frontier, and its bytes in queue rows, leases and changes. */
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';

export interface Entry {
  readonly url: string;
  /** Link distance from a seed. */
  readonly depth: number;
  /** Redirects taken so far. */
  readonly hop: number;
  /** Attempts that were reported. */
  readonly attempts: number;
  /** Leases of this URL alone that expired: by this a poison URL is found. */
  readonly expiries: number;
  /** Front queue, 0 first. */
  readonly frontQueue: number;
  /**
   * A page of another site linked to it, so that it is no evidence of traps. Absent: its own site did, or it is a seed.
   */
  readonly isForeign?: true;
  /** Metadata from a client of the pull API or the lease API, unchanged (pull/payload.ts). Absent: none. */
  readonly payload?: Uint8Array | undefined;
  /** Number of its list of tags (state/tag-sets.ts). Absent: none. */
  readonly tags?: number | undefined;
  /** Path and query as requested (url/spelling.ts). Absent: as in the URL. */
  readonly spelling?: string | undefined;
}

/**
 * Flags in the byte of the front queue, which uses the lower bits. `rareFlag`: the numbers that are nearly always
 * zero follow; `payloadFlag`: a payload follows.
 */
const rareFlag = 0x80;
const payloadFlag = 0x40;
/** A flag beside the redirect count, which is small (urlLimits.redirectHopsMax). */
const foreignFlag = 0x40;
/** A spelling follows. */
export const spellingFlag = 0x80;
/** The number of the tags begins at this bit, above the flags. */
const tagsUnit = 0x100;

/**
 * The hops of an entry, whether it is foreign, its tags, and whether it has a spelling, in one number; 0 if none
 * applies.
 */
export function hopsOf({ hop, isForeign, tags = 0, spelling }: Entry): number {
  const flags = (isForeign === true ? foreignFlag : 0) | (spelling === undefined ? 0 : spellingFlag);
  return Math.min(hop, foreignFlag - 1) | flags | (tags * tagsUnit);
}

type Rest = Pick<Entry, 'url' | 'depth' | 'attempts' | 'expiries' | 'frontQueue'>;

/** The entry with the fields from `hopsOf`. `spelling` is its spelling, if `hops` has the flag. */
export function withHops(rest: Rest, hops: number, spelling?: string): Entry {
  const { url, depth, attempts, expiries, frontQueue } = rest;
  const whole = { url, depth, hop: hops & (foreignFlag - 1), attempts, expiries, frontQueue };
  if (hops < foreignFlag) return whole;
  const from: Entry = (hops & foreignFlag) === 0 ? whole : { isForeign: true, ...whole };
  const asked = spelling === undefined ? from : { spelling, ...from };
  return hops < tagsUnit ? asked : { tags: Math.floor(hops / tagsUnit), ...asked };
}

export function writeEntry(writer: ByteWriter, entry: Entry): void {
  writer.string(entry.url);
  writer.uint(entry.depth);
  // These are nearly always all zero, which takes one byte.
  const hops = hopsOf(entry);
  const rare = hops + entry.attempts + entry.expiries > 0;
  const { payload } = entry;
  writer.byte(entry.frontQueue | (rare ? rareFlag : 0) | (payload === undefined ? 0 : payloadFlag));
  if (rare) {
    writer.uint(hops);
    writer.uint(entry.attempts);
    writer.uint(entry.expiries);
    if (entry.spelling !== undefined) writer.string(entry.spelling);
  }
  if (payload !== undefined) writer.bytes(payload);
}

export function readEntry(reader: ByteReader): Entry {
  const url = reader.string();
  const depth = reader.uint();
  const flags = reader.byte();
  const rare = flags >= rareFlag;
  const hops = rare ? reader.uint() : 0;
  const counts = { attempts: rare ? reader.uint() : 0, expiries: rare ? reader.uint() : 0 };
  const spelling = (hops & spellingFlag) === 0 ? undefined : reader.string();
  const entry = withHops({ url, depth, frontQueue: flags & (payloadFlag - 1), ...counts }, hops, spelling);
  return (flags & payloadFlag) === 0 ? entry : { payload: Buffer.from(reader.bytes()), ...entry };
}
