/**
 * avsc, behind one file: types that survive hostile input, take any bytes and give plain objects.
 *
 * avsc trusts array and map lengths: a corrupt one makes it allocate, or loop, up to 2^53 times; and skipping a block of
 * negative size moves backwards for ever. Arrays and maps read and skip within bounds instead: an item
 * needs at least a byte of input (items of no width are capped), and nothing is read past the end.
 */
import avsc, { type Type } from 'avsc';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { avroLimits } from './avro-limits.ts';

/** The internals of avsc on which the bounds rely (5.7: `_read` and `_skip` are looked up at each call). */
interface Tap {
  readonly buf: Buffer;
  pos: number;
  readLong(): number;
  readString(): string;
  skipString(): void;
}
interface Reads {
  _read(tap: Tap): unknown;
  _skip(tap: Tap): void;
}
interface Writes {
  _write(tap: unknown, value: unknown): void;
}
interface Innards extends Reads {
  readonly typeName: string;
  readonly fields?: readonly { readonly type: Innards }[];
  readonly types?: readonly Innards[];
  readonly itemsType?: Innards;
  readonly valuesType?: Innards;
  readonly underlyingType?: Innards;
  readonly recordConstructor?: { prototype: object };
}

/**
 * Types by schema, as JSON; the last used at the end. avsc compiles code for each type, which takes some milliseconds,
 * and one process needs the same schemas repeatedly: for each crawl, and each note on `control`.
 */
const held = new Map<string, Type>();
let heldChars = 0;

/**
 * The type of a schema; equal schemas share one, because types are frozen. Throws SCHEMA_INCOMPATIBLE for an invalid
 * Avro schema.
 */
export function typeOf(schema: object): Type {
  const text = JSON.stringify(schema);
  const known = held.get(text);
  const type = known ?? makeType(text);
  if (known === undefined) heldChars += text.length;
  else held.delete(text);
  held.set(text, type);
  // The cache is bounded, because anyone who can write to `control` can name schemas.
  for (const oldest of held.keys()) {
    if (heldChars <= avroLimits.heldSchemaChars) break;
    held.delete(oldest);
    heldChars -= oldest.length;
  }
  return type;
}

function makeType(schema: string): Type {
  try {
    // avsc marks names it has seen on the schema's objects, so it gets its own.
    const type = avsc.Type.forSchema(JSON.parse(schema) as avsc.Schema, { omitRecordMethods: true });
    makePlain(type as unknown as Innards, new Set());
    return type;
  } catch (cause) {
    throw new CrawlstreamError('SCHEMA_INCOMPATIBLE', `not an Avro schema: ${(cause as Error).message}`, cause);
  }
}

/** The type of the items of a record's field, an array. */
export function itemTypeOf(record: Type, field: string): Type {
  const { type } = (record as avsc.types.RecordType).field(field);
  return (type as avsc.types.ArrayType).itemsType;
}

/** Avro's Parsing Canonical Form: what decides how bytes are written, and nothing else. */
export function canonicalForm(schema: object): string {
  return JSON.stringify(typeOf(schema).schema());
}

/** MD5 of the canonical form, hexadecimal. */
export function fingerprintOf(schema: object): string {
  return typeOf(schema).fingerprint().toString('hex');
}

/** Decoded records are plain objects: equal to literals, spreadable, printable. */
function makePlain(type: Innards, done: Set<Innards>): void {
  if (done.has(type)) return;
  done.add(type);
  if (type.recordConstructor) type.recordConstructor.prototype = Object.prototype;
  const fields = (type.fields ?? []).map((field) => field.type);
  for (const part of [...fields, ...(type.types ?? []), type.itemsType, type.valuesType, type.underlyingType]) {
    if (part) makePlain(part, done);
  }
}

/** Types freeze themselves, so their class gets the bounds, for the whole process. */
function bound(
  reads: Reads,
  read: (this: Innards, tap: Tap) => unknown,
  skipOne: (tap: Tap, type: Innards) => void,
): void {
  reads._read = read;
  reads._skip = function (this: Innards, tap) {
    for (let n = blockLength(tap); n > 0; n = blockLength(tap)) {
      for (; n > 0 && tap.pos <= tap.buf.length; n--) skipOne(tap, this);
    }
  };
}
bound(avsc.types.ArrayType.prototype as unknown as Reads, readItems, (tap, { itemsType }) => itemsType?._skip(tap));
bound(avsc.types.MapType.prototype as unknown as Reads, readEntries, skipEntry);

/** Bytes may come as any Uint8Array, as the types of records say. avsc writes only a Buffer. */
const bytesType = avsc.types.BytesType.prototype as unknown as Writes;
const writeBuffer = bytesType._write;
bytesType._write = function (tap, value) {
  const isPlain = value instanceof Uint8Array && !Buffer.isBuffer(value);
  writeBuffer.call(this, tap, isPlain ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value);
};

/** `this` is the type, or avsc's resolver of an older schema with its own item reads. */
function readItems(this: Innards, tap: Tap): unknown[] {
  const items: unknown[] = [];
  for (let n = blockLength(tap); n > 0; n = blockLength(tap)) {
    for (; n > 0 && tap.pos <= tap.buf.length; n--) items.push(this.itemsType?._read(tap));
  }
  return items;
}

function readEntries(this: Innards, tap: Tap): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  for (let n = blockLength(tap); n > 0; n = blockLength(tap)) {
    for (; n > 0 && tap.pos <= tap.buf.length; n--) entries.push([tap.readString(), this.valuesType?._read(tap)]);
  }
  return Object.fromEntries(entries);
}

function skipEntry(tap: Tap, { valuesType }: Innards): void {
  tap.skipString();
  valuesType?._skip(tap);
}

/** Items in the next block; a negative count is followed by a byte size, which nothing here relies on. 0: the end. */
function blockLength(tap: Tap): number {
  let n = tap.readLong();
  if (n < 0) {
    n = -n;
    tap.readLong();
  }
  const left = tap.buf.length - tap.pos;
  if (!(n <= Math.max(left, avroLimits.emptyItemsMax))) throw new Error(`a block of ${n} items in ${left} bytes`);
  return n;
}
