/**
 * Fields of the frontier's own records: how one value is written and read. A record is a table of them by name, and the
 * order of the table is its format; types, writing and reading come from that one table.
 */
import { CrawlstreamError } from '../../errors.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';

export interface Field<T> {
  /** A method, so that a field of some texts is assignable to one of a literal's. */
  write(writer: ByteWriter, value: T): void;
  read(reader: ByteReader): T;
}

// biome-ignore lint/suspicious/noExplicitAny: the type of a field is given where it is read.
export type Layout = Readonly<Record<string, Field<any>>>;

/** The values that a layout holds. */
export type ValuesOf<L extends Layout> = {
  readonly [Name in keyof L]: L[Name] extends Field<infer T> ? T : never;
};

export const uint: Field<number> = { write: (writer, value) => writer.uint(value), read: (reader) => reader.uint() };
export const int: Field<number> = { write: (writer, value) => writer.int(value), read: (reader) => reader.int() };
export const byte: Field<number> = { write: (writer, value) => writer.byte(value), read: (reader) => reader.byte() };
export const uint32: Field<number> = {
  write: (writer, value) => writer.uint32(value),
  read: (reader) => reader.uint32(),
};
export const double: Field<number> = {
  write: (writer, value) => writer.double(value),
  read: (reader) => reader.double(),
};
export const text: Field<string> = {
  write: (writer, value) => writer.string(value),
  read: (reader) => reader.string(),
};
export const flag: Field<boolean> = {
  write: (writer, value) => writer.boolean(value),
  read: (reader) => reader.boolean(),
};

/** Null, false or true, as 0, 1 or 2. */
export const flagOrNull: Field<boolean | null> = {
  write: (writer, value) => writer.byte(value === null ? 0 : value ? 1 : 2),
  read: (reader) => pick([null, true, false], reader.byte(), 'answer'),
};

/** The place of a value in a list, as a byte: the order of the list is the format. */
export function oneOf<const T>(list: readonly T[], what: string): Field<T> {
  return {
    write: (writer, value) => writer.byte(list.indexOf(value)),
    read: (reader) => pick(list, reader.byte(), what),
  };
}

export function listOf<T>(field: Field<T>): Field<readonly T[]> {
  return {
    write(writer, values) {
      writer.uint(values.length);
      for (const value of values) field.write(writer, value);
    },
    read(reader) {
      const values: T[] = [];
      for (let left = reader.uint(); left > 0; left--) values.push(field.read(reader));
      return values;
    },
  };
}

/** Numbers that ascend, as steps: mostly a byte each. */
export const ascending: Field<readonly number[]> = {
  write(writer, numbers) {
    writer.uint(numbers.length);
    let before = 0;
    for (const number of numbers) {
      writer.uint(number - before);
      before = number;
    }
  },
  read(reader) {
    const numbers: number[] = [];
    let before = 0;
    for (let left = reader.uint(); left > 0; left--) {
      before += reader.uint();
      numbers.push(before);
    }
    return numbers;
  },
};

export function pairOf<A, B>(a: Field<A>, b: Field<B>): Field<readonly [A, B]> {
  return {
    write(writer, [first, second]) {
      a.write(writer, first);
      b.write(writer, second);
    },
    read: (reader) => [a.read(reader), b.read(reader)],
  };
}

/** Null, or a value behind a byte. */
export function orNull<T>(field: Field<T>): Field<T | null> {
  return {
    write(writer, value) {
      writer.boolean(value !== null);
      if (value !== null) field.write(writer, value);
    },
    read: (reader) => (reader.boolean() ? field.read(reader) : null),
  };
}

/** Fields one after the other, in the order of the table. */
export function recordOf<L extends Layout>(layout: L): Field<ValuesOf<L>> {
  const names = Object.keys(layout);
  const fields = Object.values(layout);
  return {
    write(writer, values) {
      for (let index = 0; index < names.length; index++) fields[index]!.write(writer, values[names[index]!]);
    },
    read(reader) {
      const values: Record<string, unknown> = {};
      for (let index = 0; index < names.length; index++) values[names[index]!] = fields[index]!.read(reader);
      return values as ValuesOf<L>;
    },
  };
}

/** The list entry with this index. Throws INVALID_RECORD if there is none. */
export function pick<T>(list: readonly T[], index: number, what: string): T {
  const value = list[index];
  if (value === undefined) {
    throw new CrawlstreamError(
      'INVALID_RECORD',
      `a record of the frontier cannot be decoded: there is no ${what} number ${index}`,
    );
  }
  return value;
}
