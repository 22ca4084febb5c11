/**
 * Documents of a fleet on Kafka: one partition, of which one process at a time is the owner, and all are in its memory.
 *
 * An owner begins with a claim, and its records carry the offset of that; those of any other claim than the newest are void for
 * every reader, as in a changelog (docs/decisions/0013-epoch-is-the-claims-offset.md). A record counts for its owner only once it
 * is known that no claim of another lies before it. So nothing that an owner of before still sends changes a document, and it never
 * takes for kept what is not.
 *
 * The topic is not compacted by the brokers, since a void record would take the place of one that counts: an owner writes all
 * documents again behind its claim, and drops what lies before, once that is worth it. While it runs it renews its claim for that,
 * by a record that counts only behind the claim it renews: whoever has lost the documents gets none back by it.
 */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { AppendRecord, Log, LogRecord } from '../../../runtime/log/log.ts';
import { recordsOf } from '../../../runtime/log/records-of.ts';
import type { Documents, ReadableDocuments } from './documents.ts';

export interface TopicDocumentsOptions {
  readonly log: Pick<Log, 'append' | 'offsets' | 'reader' | 'trim'>;
  readonly topic: string;
  /** Names the owner, for whoever looks at the topic. */
  readonly by: string;
  /** Another has claimed the documents, or an append failed: nothing is kept any more. */
  onLost(error: unknown): void;
}

/** A topic is written again if it has more records than this, and than so many for each document. */
const [recordsMost, recordsOfDocument] = [256, 4];

const empty = Buffer.alloc(0);

export async function openTopicDocuments(options: TopicDocumentsOptions): Promise<Documents> {
  const { log, topic, by, onLost } = options;
  const claim = (headers: Readonly<Record<string, string>>): AppendRecord => ({
    ...{ topic, partition: 0, key: null, value: empty, headers: { claim: by, ...headers } },
  });
  let [term] = (await log.append([claim({})])) as [number];
  const before = await documentsUpTo(log, topic, term + 1);
  const { all } = before;
  let { records } = before;
  /** No other's claim lies up to here behind our own. */
  let ours = term;
  let acks: Promise<void> = Promise.resolve();
  let lost: CrawlstreamError | undefined;
  /** While all is written again, what else is put waits. */
  let rewriting: Promise<void> | undefined;

  const lose = (error: unknown) => {
    lost ??=
      error instanceof CrawlstreamError && error.code === 'OWNERSHIP_LOST'
        ? error
        : new CrawlstreamError(
            'OWNERSHIP_LOST',
            `topic ${topic} cannot be written: ${(error as Error).message}`,
            error,
          );
    onLost(lost);
    return lost;
  };
  /** Appends at once; `then` is what the record does once it is known to count, in the order of appends. */
  const append = (record: AppendRecord, then: (offset: number) => void): Promise<void> => {
    const appended = log.append([record], { leads: true });
    // It is waited for in its turn.
    appended.catch(() => {});
    const acked = acks.then(async () => {
      try {
        const [offset] = (await appended) as [number];
        if (lost !== undefined) throw lost;
        for await (const { headers } of recordsOf(log, topic, 0, ours + 1, offset))
          if (isClaim(headers, term))
            throw new CrawlstreamError(
              'OWNERSHIP_LOST',
              'this process is a standby of the fleet; send the request to the active process',
            );
        ours = offset;
        records++;
        then(offset);
      } catch (error) {
        throw lose(error);
      }
    });
    acks = acked.catch(() => {});
    return acked;
  };
  const document = (key: string, text: string | null): AppendRecord => ({
    ...{ topic, partition: 0, key: Buffer.from(key) },
    ...{ value: text === null ? empty : Buffer.from(text), headers: { term: `${term}` } },
  });
  /** Behind a claim of ours that no record counts before. */
  const writeAnew = async () => {
    await Promise.all([...all].map(([key, text]) => append(document(key, text), () => {})));
    // If that fails, it is dropped the next time.
    records = all.size + 1;
    await log.trim(topic, 0, term);
  };
  /** What is under way already comes before it, and counts. */
  const renew = async () => {
    await append(claim({ renews: `${term}` }), (offset) => {
      term = offset;
    });
    await writeAnew();
  };
  const isLong = () => records > recordsMost && records > recordsOfDocument * all.size;
  const write = async (key: string, text: string | null): Promise<void> => {
    while (rewriting !== undefined) await rewriting;
    if (lost !== undefined) throw lost;
    const written = append(document(key, text), () => {
      if (text === null) all.delete(key);
      else all.set(key, text);
    });
    if (isLong())
      rewriting = renew()
        .catch(() => {})
        .then(() => {
          rewriting = undefined;
        });
    await written;
  };

  if (isLong()) await writeAnew();
  return {
    ...readable(topic, all),
    put: (key, text) => write(key, text),
    async delete(key) {
      if (all.has(key)) await write(key, null);
    },
  };
}

/** For whoever only looks at them: as they are now, whoever owns them. */
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
 * `upTo`: an offset. Absent: what is there. It is read again where its owner, who writes it again, drops records meanwhile; one that
 * has lost its documents drops nothing behind the claim of the next.
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

/** The claim in force behind the record; `current`: before it. */
export function takeDocument(
  all: Map<string, string>,
  current: number,
  { offset, key, value, headers }: LogRecord,
): number {
  if (isClaim(headers, current)) return offset;
  // What an owner writes again stands behind its own claim, of which the topic keeps no older one.
  if (headers['term'] !== `${current}` || key === null) return current;
  if (value.length === 0) all.delete(key.toString());
  else all.set(key.toString(), value.toString());
  return current;
}

/** A renewal is one behind the claim that it renews, or where the topic begins with it. */
function isClaim({ claim, renews }: LogRecord['headers'], current: number): boolean {
  return claim !== undefined && (renews === undefined || current === none || renews === `${current}`);
}
