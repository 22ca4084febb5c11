/**
 * Rows of URLs that no longer wait: finished by a client of the pull API, or removed by a purge.
 *
 *   key    `k`, host number (4 bytes), generation of the queue (4), fingerprint of the URL (8)
 *   value  what, URL, payload
 *
 * Written with the checkpoint, like all rows; what is not there yet is held here, so that a look finds it. A queue that was
 * deleted begins a new generation: rows of older ones mean nothing.
 */
import { ByteReader, ByteWriter } from '../storage/bytes.ts';
import type { Row } from '../storage/store-job.ts';

const whats = ['forgotten', 'done', 'waits'] as const;
export type KnownWhat = (typeof whats)[number];

export interface KnownUrl {
  /** `forgotten`: as if it had never been put. `waits`: it was done, and is to be had again. */
  readonly what: KnownWhat;
  readonly url: string;
  readonly payload: Uint8Array;
}

export function knownKey(host: number, generation: number, hi: number, lo: number): Buffer {
  const key = Buffer.allocUnsafe(17);
  key[0] = 0x6b;
  key.writeUInt32BE(host, 1);
  key.writeUInt32BE(generation, 5);
  key.writeUInt32BE(hi, 9);
  key.writeUInt32BE(lo, 13);
  return key;
}

/** All rows of a queue are from the first to before the second. */
export function knownRange(host: number, generation: number): { readonly gte: Buffer; readonly lt: Buffer } {
  return { gte: knownKey(host, generation, 0, 0), lt: knownKey(host, generation + 1, 0, 0) };
}

export function readKnown(value: Uint8Array): KnownUrl {
  const reader = new ByteReader(value);
  return { what: whats[reader.byte()] ?? 'forgotten', url: reader.string(), payload: Buffer.from(reader.bytes()) };
}

export class KnownRows {
  /** By key, as text of one byte a character. */
  #fresh = new Map<string, Buffer>();
  #writing = new Map<string, Buffer>();
  readonly #writer = new ByteWriter(1024);

  set(key: Buffer, { what, url, payload }: KnownUrl): void {
    this.#writer.byte(whats.indexOf(what));
    this.#writer.string(url);
    this.#writer.bytes(payload);
    this.#fresh.set(key.toString('latin1'), this.#writer.take());
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

  /** What the checkpoint is to get, in the order of its keys; a look finds it until `written`. */
  take(): Row[] {
    // If a round of writing was given up, assume that none of its rows were written.
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
