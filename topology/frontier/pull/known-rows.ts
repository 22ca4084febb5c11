/**
 * Rows of URLs that a client has reported: finished, forgotten, or rescheduled for a date
 * (queues/rescheduled-list.ts).
 *
 *   key    `k`, host number (4 bytes), generation of the queue (4), fingerprint of the URL (8)
 *   value  state, URL, payload; for a waiting URL also: depth, redirects, attempts, expiries, front queue, due time, its
 *          number
 *
 * The rows are written with the checkpoint, like all rows. Rows not yet written are held here, so that lookups find
 * them. A deleted queue starts a new generation, which invalidates its older rows.
 */
import type { Entry } from '../changes/entry.ts';
import { ByteReader, ByteWriter } from '../storage/bytes.ts';
import type { Row } from '../storage/store-job.ts';

const whats = ['forgotten', 'done', 'waits'] as const;
export type KnownWhat = (typeof whats)[number];

export interface KnownUrl {
  /** `forgotten`: as if no client had ever put it. `waits`: finished, and rescheduled for a date. */
  readonly what: KnownWhat;
  readonly url: string;
  readonly payload: Uint8Array;
  /** Only for `waits`. Absent: the row is from an earlier version, without more fields. */
  readonly waits?: WaitingRow;
}

/** Further fields of a URL that waits for its date. */
export interface WaitingRow extends Pick<Entry, 'depth' | 'hop' | 'attempts' | 'expiries' | 'frontQueue'> {
  readonly dueAtMs: number;
  /** Its number among the URLs to fetch again. 0: unknown, because the host's row was ahead. */
  readonly seq: number;
}

/** Size of the number at the end of such a row, in bytes. */
export const seqBytes = 4;

export function knownKey(host: number, generation: number, hi: number, lo: number): Buffer {
  const key = Buffer.allocUnsafe(17);
  key[0] = 0x6b;
  key.writeUInt32BE(host, 1);
  key.writeUInt32BE(generation, 5);
  key.writeUInt32BE(hi, 9);
  key.writeUInt32BE(lo, 13);
  return key;
}

/** All rows of a queue are from `gte` to before `lt`. */
export function knownRange(host: number, generation: number): { readonly gte: Buffer; readonly lt: Buffer } {
  return { gte: knownKey(host, generation, 0, 0), lt: knownKey(host, generation + 1, 0, 0) };
}

export function readKnown(value: Uint8Array): KnownUrl {
  const reader = new ByteReader(value);
  const what = whats[reader.byte()] ?? 'forgotten';
  const [url, payload] = [reader.string(), Buffer.from(reader.bytes())];
  if (what !== 'waits' || reader.done) return { what, url, payload };
  const [depth, hop, attempts, expiries] = [reader.uint(), reader.uint(), reader.uint(), reader.uint()];
  const [frontQueue, dueAtMs] = [reader.byte(), reader.uint()];
  return { what, url, payload, waits: { depth, hop, attempts, expiries, frontQueue, dueAtMs, seq: reader.uint32() } };
}

/** The content of a URL's row. */
export function entryOfRow(row: Uint8Array): Entry {
  const { url, payload, waits } = readKnown(row);
  const { depth = 0, hop = 0, attempts = 0, expiries = 0, frontQueue = 0 } = waits ?? {};
  return { url, depth, hop, attempts, expiries, frontQueue, payload };
}

export class KnownRows {
  /** By key, as text of one byte a character. */
  #fresh = new Map<string, Buffer>();
  #writing = new Map<string, Buffer>();
  readonly #writer = new ByteWriter(1024);

  /** Stores and returns the row. */
  set(key: Buffer, { what, url, payload, waits }: KnownUrl): Buffer {
    this.#writer.byte(whats.indexOf(what));
    this.#writer.string(url);
    this.#writer.bytes(payload);
    if (waits !== undefined) {
      for (const count of [waits.depth, waits.hop, waits.attempts, waits.expiries]) this.#writer.uint(count);
      this.#writer.byte(waits.frontQueue);
      this.#writer.uint(waits.dueAtMs);
      this.#writer.uint32(waits.seq);
    }
    const row = this.#writer.take();
    this.#fresh.set(key.toString('latin1'), row);
    return row;
  }

  /** The row of a URL, if it is not in the checkpoint yet. */
  recent(key: Buffer): Buffer | undefined {
    const name = key.toString('latin1');
    return this.#fresh.get(name) ?? this.#writing.get(name);
  }

  /** Rows of a queue that are not in the checkpoint yet, by key. */
  recentOf(host: number, generation: number): Map<string, Buffer> {
    const prefix = knownKey(host, generation, 0, 0).toString('latin1', 0, 9);
    const found = new Map<string, Buffer>();
    for (const rows of [this.#writing, this.#fresh])
      for (const [name, value] of rows) if (name.startsWith(prefix)) found.set(name, value);
    return found;
  }

  /** The rows for the checkpoint, in the order of their keys. Lookups find them here until `written`. */
  take(): Row[] {
    // If a round of writing was abandoned, assume that none of its rows were written.
    for (const [name, value] of this.#fresh) this.#writing.set(name, value);
    this.#fresh = new Map();
    return [...this.#writing]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => ({ key: Buffer.from(name, 'latin1'), value }));
  }

  written(): void {
    this.#writing = new Map();
  }
}
