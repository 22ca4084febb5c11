/** What fetchers were seen to have taken, as bytes: part of the changelog's format. */
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';

/** The position of the fetchers' group on `tasks`, and the leases whose tasks it has passed since the last such change. */
export interface Taken {
  readonly position: number;
  /** Ascending. */
  readonly leases: readonly number[];
}

export function writeTaken(writer: ByteWriter, { position, leases }: Taken): void {
  writer.uint(position);
  writeAscending(writer, leases);
}

export function readTaken(reader: ByteReader): Taken {
  return { position: reader.uint(), leases: readAscending(reader) };
}

/** Numbers that ascend, as steps: mostly a byte each. */
export function writeAscending(writer: ByteWriter, numbers: readonly number[]): void {
  writer.uint(numbers.length);
  let before = 0;
  for (const number of numbers) {
    writer.uint(number - before);
    before = number;
  }
}

export function readAscending(reader: ByteReader): number[] {
  const numbers: number[] = [];
  let before = 0;
  for (let left = reader.uint(); left > 0; left--) {
    before += reader.uint();
    numbers.push(before);
  }
  return numbers;
}
