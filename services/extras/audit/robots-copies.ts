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
  const copies = new KeptCopies(source, bytesMax);
  await copies.readAll(onRecord);
  return copies;
}

/** Its public acts are fields, since callers hand out single ones. */
class KeptCopies implements RobotsCopies {
  readonly #source: CopiesSource;
  readonly #bytesMax: number;
  readonly #topic: string;
  readonly #bound = new Map<string, Place>();
  readonly #bodies = new Map<string, Place>();
  /** In the order of their last preparation. */
  readonly #kept = new Map<string, KeptBody>();
  #bytes = 0;

  constructor(source: CopiesSource, bytesMax: number) {
    this.#source = source;
    this.#bytesMax = bytesMax;
    this.#topic = `${source.crawl}.robots`;
  }

  #forgetBeyond(countMin: number) {
    while (this.#bytes > this.#bytesMax && this.#kept.size > countMin) {
      const [oldest, { body: freed }] = this.#kept.entries().next().value!;
      this.#kept.delete(oldest);
      this.#bytes -= freed?.length ?? 0;
    }
  }

  #keep({ hash, token, body }: RobotsCopy) {
    const isWhole = shortHash(body) === hash;
    this.#kept.set(hash, { body: isWhole ? body : null, token, copies: new Map() });
    this.#bytes += isWhole ? body.length : 0;
  }

  async #read({ partition, offset }: Place): Promise<RobotsCopy | undefined> {
    for await (const record of recordsOf(this.#source.log, this.#topic, partition, offset, offset + 1))
      return decoded(this.#source.codec, record);
    return undefined;
  }

  /** Reads all copies that are stored. */
  async readAll(onRecord: (record: LogRecord) => void): Promise<void> {
    const { log, codec, partitions } = this.#source;
    for (let partition = 0; partition < partitions; partition++) {
      const { start, end } = await log.offsets(this.#topic, partition).catch(withoutTopic);
      for await (const record of recordsOf(log, this.#topic, partition, start, end)) {
        onRecord(record);
        const copy = await decoded(codec, record);
        if (copy === undefined) continue;
        const place = { partition, offset: record.offset };
        this.#bound.set(`${copy.origin} ${copy.hash}`, place);
        if (copy.hash === '' || isBodyElsewhere(copy)) continue;
        this.#bodies.set(copy.hash, place);
        if (!this.#kept.has(copy.hash)) this.#keep(copy);
        this.#forgetBeyond(1);
      }
    }
  }

  readonly copyOf: RobotsCopies['copyOf'] = (origin, hash, tokens = '') => {
    if (!this.#bound.has(`${origin} ${hash}`)) return undefined;
    const body = this.#kept.get(hash);
    return hash === '' ? none : body && readFor(body, tokens);
  };

  readonly prepare: RobotsCopies['prepare'] = async (hashes) => {
    let needed = 0;
    for (const hash of hashes) {
      const place = this.#bodies.get(hash);
      if (place === undefined) continue;
      const there = this.#kept.get(hash);
      if (there !== undefined) {
        this.#kept.delete(hash);
        this.#kept.set(hash, there);
        needed += 1;
        continue;
      }
      const copy = await this.#read(place);
      if (copy === undefined) continue;
      this.#keep(copy);
      needed += 1;
    }
    // The newest ones are needed most.
    this.#forgetBeyond(Math.max(1, needed));
  };

  readonly of: RobotsCopies['of'] = async (origin) => {
    const copies: RobotsCopy[] = [];
    for (const [key, place] of this.#bound) {
      if (!key.startsWith(`${origin} `)) continue;
      const copy = await this.#read(place);
      const elsewhere = copy !== undefined && isBodyElsewhere(copy) ? this.#bodies.get(copy.hash) : undefined;
      const whole = elsewhere === undefined ? undefined : await this.#read(elsewhere);
      if (copy !== undefined) copies.push(whole === undefined ? copy : { ...copy, body: whole.body });
    }
    return copies.sort((a, b) => a.fetchedAtMs - b.fetchedAtMs);
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
