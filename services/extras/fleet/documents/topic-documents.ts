/**
 * Documents of a fleet on Kafka: one partition with one owner at a time, all in the owner's memory.
 *
 * An owner begins with a claim, and its records carry the claim's offset; records of any claim but the newest are
 * void for every reader, as in a changelog (docs/decisions/0013-epoch-is-the-claims-offset.md). A record counts for
 * its owner only once it is known that no other claim precedes it. So late records of a former owner change nothing,
 * and an owner never takes a void record for stored.
 *
 * Brokers do not compact the topic, because a void record would replace one that counts. Instead, an owner writes all
 * documents again after its claim, and deletes earlier records, once that is worthwhile. While running, it renews its
 * claim for that, by a record that counts only after the claim that it renews: so an owner that has lost the
 * documents cannot regain them.
 */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { AppendRecord, Log, LogRecord } from '../../../runtime/log/log.ts';
import { recordsOf } from '../../../runtime/log/records-of.ts';
import type { Documents, ReadableDocuments } from './documents.ts';

export interface TopicDocumentsOptions {
  readonly log: Pick<Log, 'append' | 'offsets' | 'reader' | 'trim'>;
  readonly topic: string;
  /** Name of the owner, for people who read the topic. */
  readonly by: string;
  /** Called if another process has claimed the documents, or an append failed: nothing is stored any more. */
  onLost(error: unknown): void;
}

/**
 * The topic is written again if it has more records than `recordsMost`, and more than `recordsOfDocument` for each
 * document.
 */
const [recordsMost, recordsOfDocument] = [256, 4];

const empty = Buffer.alloc(0);

export async function openTopicDocuments(options: TopicDocumentsOptions): Promise<Documents> {
  const { log, topic } = options;
  const [term] = (await log.append([claimOf(options, {})])) as [number];
  const { all, records } = await documentsUpTo(log, topic, term + 1);
  const writer = new DocumentWriter(options, term, all, records);
  await writer.shorten();
  return {
    ...readable(topic, all),
    put: (key, text) => writer.write(key, text),
    async delete(key) {
      if (all.has(key)) await writer.write(key, null);
    },
  };
}

function claimOf({ topic, by }: TopicDocumentsOptions, headers: Readonly<Record<string, string>>): AppendRecord {
  return { topic, partition: 0, key: null, value: empty, headers: { claim: by, ...headers } };
}

class DocumentWriter {
  readonly #options: TopicDocumentsOptions;
  /** Offset of our claim. */
  #term: number;
  readonly #all: Map<string, string>;
  #records: number;
  /** Up to this offset, no other claim follows our own. */
  #ours: number;
  #acks: Promise<void> = Promise.resolve();
  #lost: CrawlstreamError | undefined;
  /** Pending while all documents are written again; other writes wait for it. */
  #rewriting: Promise<void> | undefined;

  constructor(options: TopicDocumentsOptions, term: number, all: Map<string, string>, records: number) {
    this.#options = options;
    this.#term = term;
    this.#all = all;
    this.#records = records;
    this.#ours = term;
  }

  /** Writes all documents again if the topic is long for them. */
  async shorten(): Promise<void> {
    if (this.#isLong()) await this.#rewriteAll();
  }

  #lose(error: unknown) {
    this.#lost ??=
      error instanceof CrawlstreamError && error.code === 'OWNERSHIP_LOST'
        ? error
        : new CrawlstreamError(
            'OWNERSHIP_LOST',
            `topic ${this.#options.topic} cannot be written: ${(error as Error).message}`,
            error,
          );
    this.#options.onLost(this.#lost);
    return this.#lost;
  }

  /** Appends at once; `then` runs once the record is known to count, in the order of appends. */
  #append(record: AppendRecord, then: (offset: number) => void): Promise<void> {
    const appended = this.#options.log.append([record], { leads: true });
    // Its error is handled below, in turn.
    appended.catch(() => {});
    const acked = this.#acks.then(async () => {
      try {
        const [offset] = (await appended) as [number];
        if (this.#lost !== undefined) throw this.#lost;
        for await (const { headers } of recordsOf(this.#options.log, this.#options.topic, 0, this.#ours + 1, offset))
          if (isClaim(headers, this.#term))
            throw new CrawlstreamError(
              'OWNERSHIP_LOST',
              'this process is a standby of the fleet; send the request to the active process',
            );
        this.#ours = offset;
        this.#records++;
        then(offset);
      } catch (error) {
        throw this.#lose(error);
      }
    });
    this.#acks = acked.catch(() => {});
    return acked;
  }

  #document(key: string, text: string | null): AppendRecord {
    return {
      topic: this.#options.topic,
      partition: 0,
      key: Buffer.from(key),
      value: text === null ? empty : Buffer.from(text),
      headers: { term: `${this.#term}` },
    };
  }

  /** Writes all documents again after our claim, and deletes all records before the claim. */
  async #rewriteAll() {
    await Promise.all([...this.#all].map(([key, text]) => this.#append(this.#document(key, text), () => {})));
    // Records that this trim cannot delete are deleted by the next one.
    this.#records = this.#all.size + 1;
    await this.#options.log.trim(this.#options.topic, 0, this.#term);
  }

  /** Renews the claim, and writes all documents again. Appends under way precede the new claim, and count. */
  async #renew() {
    await this.#append(claimOf(this.#options, { renews: `${this.#term}` }), (offset) => {
      this.#term = offset;
    });
    await this.#rewriteAll();
  }

  #isLong() {
    return this.#records > recordsMost && this.#records > recordsOfDocument * this.#all.size;
  }

  async write(key: string, text: string | null): Promise<void> {
    while (this.#rewriting !== undefined) await this.#rewriting;
    if (this.#lost !== undefined) throw this.#lost;
    const written = this.#append(this.#document(key, text), () => {
      if (text === null) this.#all.delete(key);
      else this.#all.set(key, text);
    });
    if (this.#isLong())
      this.#rewriting = this.#renew()
        .catch(() => {})
        .then(() => {
          this.#rewriting = undefined;
        });
    await written;
  }
}

/** Reads the documents as they are now, for a process that does not own them. */
export async function readTopicDocuments(
  log: Pick<Log, 'offsets' | 'reader'>,
  topic: string,
): Promise<ReadableDocuments> {
  return readable(topic, (await documentsUpTo(log, topic)).all);
}

export function readable(topic: string, all: ReadonlyMap<string, string>): ReadableDocuments {
  return {
    get: async (key) => all.get(key),
    keys: async (prefix) => [...all.keys()].filter((key) => key.startsWith(prefix)).sort(),
    placeOf: (key) => `${key} on ${topic}`,
  };
}

/**
 * Reads the documents up to offset `upTo`. Absent: all. It starts again if the owner deletes records in a rewrite. An
 * owner that has lost the documents cannot delete records after the next claim.
 */
async function documentsUpTo(log: Pick<Log, 'offsets' | 'reader'>, topic: string, upTo?: number) {
  for (;;) {
    const { start, end } = await log.offsets(topic, 0);
    const all = new Map<string, string>();
    let current = none;
    let records = 0;
    try {
      for await (const record of recordsOf(log, topic, 0, start, upTo ?? end)) {
        records++;
        current = takeDocument(all, current, record);
      }
      return { all, records };
    } catch (error) {
      const isTrimmed = error instanceof CrawlstreamError && error.code === 'OFFSET_OUT_OF_RANGE';
      if (!isTrimmed || (await log.offsets(topic, 0)).start <= start) throw error;
    }
  }
}

/** The claim in force at the beginning of a topic. */
export const none = -1;

/** Applies a record to `all`. Returns the claim in force after it; `current`: the claim in force before it. */
export function takeDocument(
  all: Map<string, string>,
  current: number,
  { offset, key, value, headers }: LogRecord,
): number {
  if (isClaim(headers, current)) return offset;
  // Records of a rewrite follow their own claim, and the topic keeps no older claim.
  if (headers['term'] !== `${current}` || key === null) return current;
  if (value.length === 0) all.delete(key.toString());
  else all.set(key.toString(), value.toString());
  return current;
}

/**
 * Returns whether a record is a claim that counts. A renewal counts after the claim that it renews, or at the topic's
 * start.
 */
function isClaim({ claim, renews }: LogRecord['headers'], current: number): boolean {
  return claim !== undefined && (renews === undefined || current === none || renews === `${current}`);
}
