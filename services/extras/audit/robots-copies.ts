/**
 * The copies on the topic `robots`, for an audit: the copies of each origin, and their rules.
 *
 * All of them are read before the results, because compaction leaves the newest record of each copy, which may come
 * after the requests that it allowed. Memory: a number for each copy of an origin, each distinct file up to
 * `keptBytesMax` in total, and those that one result needs. Other files are read again on demand, so call `prepare`
 * before `copyOf`.
 */
import { hash } from 'node:crypto';
import type { RobotsCopy } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Copy } from '../../../topology/extras/audit/robots-answers.ts';
import { readForReferee, refereeToken } from '../../../topology/extras/audit/robots-referee.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Log, LogRecord, OffsetRange } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';

export interface RobotsCopies {
  /** `tokens`: as in results. Empty: the token in the copy. */
  copyOf(origin: string, hash: string, tokens?: string): Copy | undefined;
  /** Reads the files for calls of `copyOf`; all of them stay in memory until the next call, even beyond the limit. */
  prepare(hashes: Iterable<string>): Promise<void>;
  /** Every copy of an origin, oldest first. */
  of(origin: string): Promise<RobotsCopy[]>;
}

interface Place {
  readonly partition: number;
  readonly offset: number;
}

const none: Copy = { rules: null };
/** Bytes of files in memory, in total. */
const keptBytesMax = 64 << 20;
const emptyHash = shortHash(new Uint8Array());

export interface CopiesSource {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly crawl: string;
  readonly partitions: number;
}

/** `onRecord` is called with each record that is read. */
export async function readRobotsCopies(
  source: CopiesSource,
  onRecord: (record: LogRecord) => void,
  bytesMax = keptBytesMax,
): Promise<RobotsCopies> {
  const { log, codec, crawl, partitions } = source;
  const topic = `${crawl}.robots`;
  const bound = new Map<string, Place>();
  const bodies = new Map<string, Place>();
  /** In the order of their last preparation. */
  const kept = new Map<string, KeptBody>();
  let bytes = 0;

  const forgetBeyond = (countMin: number) => {
    while (bytes > bytesMax && kept.size > countMin) {
      const [oldest, { body: freed }] = kept.entries().next().value!;
      kept.delete(oldest);
      bytes -= freed?.length ?? 0;
    }
  };

  const keep = ({ hash, token, body }: RobotsCopy) => {
    const isWhole = shortHash(body) === hash;
    kept.set(hash, { body: isWhole ? body : null, token, copies: new Map() });
    bytes += isWhole ? body.length : 0;
  };

  const read = async ({ partition, offset }: Place): Promise<RobotsCopy | undefined> => {
    for await (const record of recordsOf(log, topic, partition, offset, offset + 1)) return decoded(codec, record);
    return undefined;
  };

  for (let partition = 0; partition < partitions; partition++) {
    const { start, end } = await log.offsets(topic, partition).catch(withoutTopic);
    for await (const record of recordsOf(log, topic, partition, start, end)) {
      onRecord(record);
      const copy = await decoded(codec, record);
      if (copy === undefined) continue;
      const place = { partition, offset: record.offset };
      bound.set(`${copy.origin} ${copy.hash}`, place);
      if (copy.hash === '' || isBodyElsewhere(copy)) continue;
      bodies.set(copy.hash, place);
      if (!kept.has(copy.hash)) keep(copy);
      forgetBeyond(1);
    }
  }

  return {
    copyOf(origin, hash, tokens = '') {
      if (!bound.has(`${origin} ${hash}`)) return undefined;
      const body = kept.get(hash);
      return hash === '' ? none : body && readFor(body, tokens);
    },
    async prepare(hashes) {
      let needed = 0;
      for (const hash of hashes) {
        const place = bodies.get(hash);
        if (place === undefined) continue;
        const there = kept.get(hash);
        if (there !== undefined) {
          kept.delete(hash);
          kept.set(hash, there);
          needed += 1;
          continue;
        }
        const copy = await read(place);
        if (copy === undefined) continue;
        keep(copy);
        needed += 1;
      }
      // The newest ones are needed most.
      forgetBeyond(Math.max(1, needed));
    },
    async of(origin) {
      const copies: RobotsCopy[] = [];
      for (const [key, place] of bound) {
        if (!key.startsWith(`${origin} `)) continue;
        const copy = await read(place);
        const elsewhere = copy !== undefined && isBodyElsewhere(copy) ? bodies.get(copy.hash) : undefined;
        const whole = elsewhere === undefined ? undefined : await read(elsewhere);
        if (copy !== undefined) copies.push(whole === undefined ? copy : { ...copy, body: whole.body });
      }
      return copies.sort((a, b) => a.fetchedAtMs - b.fetchedAtMs);
    },
  };
}

interface KeptBody {
  /** null: the body does not match its hash. */
  readonly body: Uint8Array | null;
  /** From a release without tokens in its results. */
  readonly token: string;
  /** By tokens. */
  readonly copies: Map<string, Copy>;
}

function readFor({ body, token, copies }: KeptBody, tokens: string): Copy {
  if (body === null) return { rules: 'damaged' };
  let copy = copies.get(tokens);
  if (copy === undefined) {
    copy = { rules: readForReferee(body, tokens === '' ? token : refereeToken(body, tokens.split(' '))) };
    copies.set(tokens, copy);
  }
  return copy;
}

/** A copy with the same rules as another one, by hash, has no body. An empty file has no copy. */
function isBodyElsewhere({ hash, body }: RobotsCopy): boolean {
  return body.length === 0 && hash !== emptyHash;
}

function shortHash(body: Uint8Array): string {
  return hash('sha256', body, 'hex').slice(0, 32);
}

/** A crawl that an older release made has no such topic. */
function withoutTopic(error: unknown): OffsetRange {
  if (error instanceof CrawlstreamError && error.code === 'INVALID_ARGUMENT') return { start: 0, end: 0 };
  throw error;
}

async function decoded(codec: RecordCodec, { value }: LogRecord): Promise<RobotsCopy | undefined> {
  try {
    await codec.prepare('robots', value);
    return codec.decode('robots', value);
  } catch {
    return undefined;
  }
}
