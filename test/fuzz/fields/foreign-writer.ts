/** Writes a record as a program in another language may: any number of its Avro type, also those that this program refuses to write. */
import { avroSchemas } from '../../../schemas/avro.ts';
import type { TopicRecords } from '../../../schemas/types.ts';
import type { RecordCodec } from '../../../services/runtime/avro/record-codec.ts';
import type { Fields, Schema } from './draw-record.ts';

/** `sound`: a record of the topic that the codec writes, for the bytes that stand before each record. */
export function foreignWriter<T extends keyof TopicRecords>(codec: RecordCodec, topic: T, sound: TopicRecords[T]) {
  const schema = avroSchemas[topic] as Schema;
  const whole = codec.encode(topic, sound);
  const body = bytesOf(schema, sound);
  const head = whole.subarray(0, whole.length - body.length);
  if (!Buffer.concat([head, body]).equals(whole))
    throw new Error(`this writer writes ${topic} in another way than the codec`);
  return (record: TopicRecords[T]): Buffer => Buffer.concat([head, bytesOf(schema, record)]);
}

function bytesOf(schema: Schema, value: unknown): Buffer {
  if (typeof schema === 'string') return plainBytes(schema, value);
  if (Array.isArray(schema)) throw new Error('unions are not written here: no topic has one');
  const { type, fields, items, symbols } = schema as Exclude<Schema, string | readonly Schema[]>;
  if (symbols !== undefined) return longBytes(BigInt(symbols.indexOf(value as string)));
  if (fields !== undefined)
    return Buffer.concat(fields.map((field) => bytesOf(field.type, (value as Fields)[field.name])));
  if (items === undefined) return bytesOf(type, value);
  const list = value as readonly unknown[];
  const end = longBytes(0n);
  if (list.length === 0) return end;
  return Buffer.concat([longBytes(BigInt(list.length)), ...list.map((one) => bytesOf(items, one)), end]);
}

function plainBytes(type: string, value: unknown): Buffer {
  switch (type) {
    case 'int':
    case 'long':
      return longBytes(BigInt(value as number));
    case 'boolean':
      return Buffer.of(value === true ? 1 : 0);
    case 'float':
    case 'double': {
      const bytes = Buffer.alloc(type === 'float' ? 4 : 8);
      if (type === 'float') bytes.writeFloatLE(value as number);
      else bytes.writeDoubleLE(value as number);
      return bytes;
    }
    default: {
      const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.from(value as Uint8Array);
      return Buffer.concat([longBytes(BigInt(bytes.length)), bytes]);
    }
  }
}

/** Zigzag, seven bits a byte. */
function longBytes(value: bigint): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  bytes.push(Number(left));
  return Buffer.from(bytes);
}
