/**
 * The records that an audit has read, in verifiable form: the offsets of each partition, and one SHA-256 over all its
 * records in order, each as its offset (8 bytes), its length (4) and its value.
 *
 * Reading the same offsets again gives the same hashes, unless the records have changed.
 */
import { createHash, type Hash } from 'node:crypto';
import type { LogRecord } from '../../runtime/log/log.ts';

export interface ReadPart {
  readonly topic: string;
  readonly partition: number;
  /** Offsets of the first and the last record read. */
  readonly first: number;
  readonly last: number;
  readonly records: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface ReadChain {
  take(record: LogRecord): void;
  /** The result by topic and partition; nothing can be added afterwards. */
  end(): ReadPart[];
}

interface Part {
  readonly topic: string;
  readonly partition: number;
  readonly first: number;
  last: number;
  records: number;
  readonly hash: Hash;
}

export function createReadChain(): ReadChain {
  const parts = new Map<string, Part>();
  const head = Buffer.alloc(12);
  return {
    take({ topic, partition, offset, value }) {
      const key = `${topic} ${partition}`;
      let part = parts.get(key);
      if (part === undefined) {
        part = { topic, partition, first: offset, last: offset, records: 0, hash: createHash('sha256') };
        parts.set(key, part);
      }
      part.last = offset;
      part.records += 1;
      head.writeBigUInt64BE(BigInt(offset), 0);
      head.writeUInt32BE(value.length, 8);
      part.hash.update(head).update(value);
    },
    end: () =>
      [...parts.values()]
        .map(({ hash, ...part }) => ({ ...part, sha256: hash.digest('hex') }))
        .sort((a, b) => a.topic.localeCompare(b.topic) || a.partition - b.partition),
  };
}
