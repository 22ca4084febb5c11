/**
 * Documents of a fleet on Kafka: one partition, of which one process at a time is the owner, and all are in its memory.
 *
 * An owner begins with a claim, and its records carry the offset of that; those of any other claim than the newest are void for
 * every reader, as in a changelog (docs/decisions/0013-epoch-is-the-claims-offset.md). A record counts for its owner only once it
 * is known that no claim of another lies before it. So nothing that an owner of before still sends changes a document, and it never
 * takes for kept what is not.
 *
 * The topic is not compacted by the brokers, since a void record would take the place of one that counts: an owner writes all
 * documents anew behind its claim, and drops what lies before, once that is worth it.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { AppendRecord, Log, LogRecord } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import type { Documents, ReadableDocuments } from './documents.ts';

export interface TopicDocumentsOptions {
  readonly log: Pick<Log, 'append' | 'offsets' | 'reader' | 'trim'>;
  readonly topic: string;
  /** Names the owner, for whoever looks at the topic. */
  readonly by: string;
  /** Another has claimed the documents, or an append failed: nothing is kept any more. */
  onLost(error: unknown): void;
}

/** A topic is written anew if it has more records than this, and than so many for each document. */
const [recordsMost, recordsOfDocument] = [256, 4];

const empty = Buffer.alloc(0);

export async function openTopicDocuments(options: TopicDocumentsOptions): Promise<Documents> {
  const { log, topic, by, onLost } = options;
  const claim = { topic, partition: 0, key: null, value: empty, headers: { claim: by } };
  const [term] = (await log.append([claim])) as [number];
  const { all, records } = await documentsUpTo(log, topic, term + 1);
  /** No other's claim lies up to here behind our own. */
  let ours = term;
  let acks: Promise<void> = Promise.resolve();
  let lost: CrawlstreamError | undefined;

  const lose = (error: unknown) => {
    lost ??=
      error instanceof CrawlstreamError && error.code === 'OWNERSHIP_LOST'
        ? error
        : new CrawlstreamError('OWNERSHIP_LOST', `${topic} cannot be written: ${(error as Error).message}`, error);
    onLost(lost);
    return lost;
  };
  const write = async (key: string, text: string | null): Promise<void> => {
    if (lost !== undefined) throw lost;
    const record: AppendRecord = {
      ...{ topic, partition: 0, key: Buffer.from(key) },
      ...{ value: text === null ? empty : Buffer.from(text), headers: { term: `${term}` } },
    };
    const appended = log.append([record], { leads: true });
    // It is waited for in its turn.
    appended.catch(() => {});
    const acked = acks.then(async () => {
      try {
        const [offset] = (await appended) as [number];
        if (lost !== undefined) throw lost;
        for await (const { headers } of recordsOf(log, topic, 0, ours + 1, offset))
          if (headers['claim'] !== undefined)
            throw new CrawlstreamError('OWNERSHIP_LOST', 'another process runs this fleet: ask that one');
        ours = offset;
      } catch (error) {
        throw lose(error);
      }
    });
    acks = acked.catch(() => {});
    await acked;
  };

  if (records > recordsMost && records > recordsOfDocument * all.size) {
    await Promise.all([...all].map(([key, text]) => write(key, text)));
    await log.trim(topic, 0, term);
  }
  return {
    ...readable(topic, all),
    async put(key, text) {
      await write(key, text);
      all.set(key, text);
    },
    async delete(key) {
      if (!all.has(key)) return;
      await write(key, null);
      all.delete(key);
    },
  };
}

/** For whoever only looks at them: as they are now, whoever owns them. */
export async function readTopicDocuments(
  log: Pick<Log, 'offsets' | 'reader'>,
  topic: string,
): Promise<ReadableDocuments> {
  const { end } = await log.offsets(topic, 0);
  return readable(topic, (await documentsUpTo(log, topic, end)).all);
}

export function readable(topic: string, all: ReadonlyMap<string, string>): ReadableDocuments {
  return {
    get: async (key) => all.get(key),
    keys: async (prefix) => [...all.keys()].filter((key) => key.startsWith(prefix)).sort(),
    placeOf: (key) => `${key} on ${topic}`,
  };
}

async function documentsUpTo(log: Pick<Log, 'offsets' | 'reader'>, topic: string, end: number) {
  const { start } = await log.offsets(topic, 0);
  const all = new Map<string, string>();
  let current = -1;
  let records = 0;
  for await (const record of recordsOf(log, topic, 0, start, end)) {
    records++;
    current = takeDocument(all, current, record);
  }
  return { all, records };
}

/** The claim in force behind the record; `current`: before it, −1 at the beginning of the topic. */
export function takeDocument(
  all: Map<string, string>,
  current: number,
  { offset, key, value, headers }: LogRecord,
): number {
  if (headers['claim'] !== undefined) return offset;
  // What an owner writes anew stands behind its own claim, of which the topic keeps no older one.
  if (headers['term'] !== `${current}` || key === null) return current;
  if (value.length === 0) all.delete(key.toString());
  else all.set(key.toString(), value.toString());
  return current;
}
