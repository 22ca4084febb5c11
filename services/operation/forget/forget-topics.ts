/** Takes pages back from a crawl's topics: a tombstone for each on `pages`, and, in a data folder, the records themselves. */
import type { TopicRecords } from '../../../schemas/types.ts';
import { type CopyTopic, topicsWithCopies } from '../../../topology/topics.ts';
import type { Gone, Place } from '../../application/processor/holding.ts';
import { readRecord } from '../../runtime/avro/read-record.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import { forgottenOf } from '../../runtime/consumer/forgotten.ts';
import type { Purges } from '../../runtime/crawl/purges.ts';
import type { AppendRecord, Log } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';

export interface Topics {
  readonly log: Pick<Log, 'append' | 'offsets' | 'reader'>;
  /** Absent: the log forgets by compaction and age alone. */
  readonly erase?: (topic: string, partition: number, offsets: readonly number[]) => Promise<void>;
  readonly codec: RecordCodec;
  readonly crawl: string;
  readonly partitions: number;
}

export class GonePages implements Gone {
  readonly #purges: Purges;
  /** Time of each URL's last withdrawal, ms since the Unix epoch. */
  readonly #withdrawn: ReadonlyMap<string, number>;

  constructor(purges: Purges, withdrawn: ReadonlyMap<string, number>) {
    this.#purges = purges;
    this.#withdrawn = withdrawn;
  }

  /** True if a copy fetched at `atMs` must be removed. */
  readonly has = (url: string, atMs: number): boolean =>
    this.#purges.refuses(url, atMs) || atMs <= (this.#withdrawn.get(url) ?? Number.NEGATIVE_INFINITY);

  isPurged(url: string, atMs: number): boolean {
    return this.#purges.refuses(url, atMs);
  }

  get withdrawn(): number {
    return this.#withdrawn.size;
  }
}

/** Finds tombstones of pages that no purge covers. */
export async function readGone({ log, crawl, partitions }: Topics, purges: Purges): Promise<GonePages> {
  const withdrawn = new Map<string, number>();
  for (let partition = 0; partition < partitions; partition++) {
    const { start, end } = await log.offsets(`${crawl}.pages`, partition);
    for await (const record of recordsOf(log, `${crawl}.pages`, partition, start, end)) {
      const forgotten = forgottenOf(record);
      if (forgotten === null || purges.refuses(forgotten.url, forgotten.atMs)) continue;
      withdrawn.set(forgotten.url, forgotten.atMs);
    }
  }
  return new GonePages(purges, withdrawn);
}

/**
 * In a data folder `duplicates` comes after the dedup has caught up: it then reports other pages again, which
 * supersedes.
 */
export async function forgetTopics(
  topics: Topics,
  gone: Gone,
  names: readonly CopyTopic[] = topicsWithCopies(),
): Promise<Place[]> {
  const places: Place[] = [];
  for (const name of names) {
    // On brokers, tombstones remove them, and only `pages` has URLs as keys.
    if (topics.erase === undefined && name !== 'pages') continue;
    let removed = 0;
    let left = 0;
    let tombstones = 0;
    for (let partition = 0; partition < topics.partitions; partition++) {
      const found = await copiesIn(topics, name, partition, gone);
      if (name === 'pages') tombstones += await takeBack(topics, partition, found);
      if (topics.erase === undefined) left += found.offsets.length;
      else {
        await topics.erase(`${topics.crawl}.${name}`, partition, found.offsets);
        removed += found.offsets.length;
        left += (await copiesIn(topics, name, partition, gone)).offsets.length;
      }
    }
    const more = name === 'pages' ? { more: { tombstones } } : {};
    places.push({ place: `topic ${name}`, removed, left, ...more });
  }
  return places;
}

interface Copies {
  readonly offsets: number[];
  /** URLs with a purged page and no later tombstone. */
  readonly standing: ReadonlySet<string>;
}

async function copiesIn(
  { log, codec, crawl }: Topics,
  name: CopyTopic,
  partition: number,
  gone: Gone,
): Promise<Copies> {
  const topic = `${crawl}.${name}`;
  const offsets: number[] = [];
  const standing = new Set<string>();
  const { start, end } = await log.offsets(topic, partition);
  for await (const record of recordsOf(log, topic, partition, start, end)) {
    const forgotten = name === 'pages' ? forgottenOf(record) : null;
    if (forgotten !== null) standing.delete(forgotten.url);
    if (record.value.length === 0) continue;
    const value = await readRecord(codec, name, record.value);
    if (value === undefined) continue;
    const { url, fetchedAtMs: atMs } = value as TopicRecords[CopyTopic];
    if (!gone.has(url, atMs) && !namesGone(value, gone)) {
      // Fetched again after the host was unblocked: the new record replaces the old one.
      standing.delete(url);
      continue;
    }
    offsets.push(record.offset);
    if (gone.isPurged(url, atMs)) standing.add(url);
  }
  return { offsets, standing };
}

/** A verdict that a page is the duplicate of one that is gone. */
function namesGone(value: TopicRecords[CopyTopic], gone: Gone): boolean {
  return 'representative' in value && gone.has(value.representative, value.atMs);
}

const tombstonesAtOnce = 1_000;

async function takeBack({ log, crawl }: Topics, partition: number, { standing }: Copies): Promise<number> {
  let records: AppendRecord[] = [];
  const send = async () => {
    if (records.length > 0) await log.append(records);
    records = [];
  };
  for (const url of standing) {
    records.push({ topic: `${crawl}.pages`, partition, key: Buffer.from(url), value: Buffer.alloc(0) });
    if (records.length >= tombstonesAtOnce) await send();
  }
  await send();
  return standing.size;
}
