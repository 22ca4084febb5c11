/**
 * When each host's sitemaps are read next: a part of the schedule. It has the hosts with sitemaps that the policy
 * covers.
 */
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';

export interface SitemapRound {
  /** Earliest time of the next lease that reads some, s since the Unix epoch. */
  readonly dueS: number;
  /** The round covers sitemaps that were last read before this time, or only those that a lease left (`leftS`). */
  readonly sinceS: number;
  /** Consecutive leases that read none. */
  readonly tries: number;
  /** Whether the host's origin is https. */
  readonly secure: boolean;
}

/** Removes a host with sitemaps that are no longer read. */
export const neverDue = 0xffffffff;

/** `sinceS` of a round of sitemaps that an earlier lease had no time for: none that was read is read again. */
export const leftS = 0;

export class SitemapRounds {
  readonly #rounds = new Map<number, SitemapRound>();
  /** Hosts with sitemaps to read. */
  pending = 0;

  get size(): number {
    return this.#rounds.size;
  }

  of(host: number): SitemapRound | undefined {
    return this.#rounds.size === 0 ? undefined : this.#rounds.get(host);
  }

  put(host: number, round: SitemapRound): void {
    this.pending += countOf(round) - countOf(this.#rounds.get(host));
    this.#rounds.set(host, round);
  }

  /** Undefined: never. */
  dueAtMs(host: number): number | undefined {
    const round = this.of(host);
    return round === undefined || round.dueS === neverDue ? undefined : 1_000 * round.dueS;
  }

  entries(): Iterable<readonly [host: number, round: SitemapRound]> {
    return this.#rounds;
  }

  write(writer: ByteWriter): void {
    writer.uint(this.#rounds.size);
    for (const [host, round] of this.#rounds) {
      writer.uint(host);
      writeRound(writer, round);
    }
  }

  read(reader: ByteReader): void {
    for (let left = reader.uint(); left > 0; left--) this.put(reader.uint(), readRound(reader));
  }
}

export function writeRound(writer: ByteWriter, { dueS, sinceS, tries, secure }: SitemapRound): void {
  writer.uint(dueS);
  writer.uint(sinceS);
  writer.uint(tries);
  writer.boolean(secure);
}

export function readRound(reader: ByteReader): SitemapRound {
  return { dueS: reader.uint(), sinceS: reader.uint(), tries: reader.uint(), secure: reader.boolean() };
}

function countOf(round: SitemapRound | undefined): number {
  return round === undefined || round.dueS === neverDue ? 0 : 1;
}
