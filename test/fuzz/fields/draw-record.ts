/** Records with extremes in their fields, of what the Avro schema of a topic admits: any number, any text, lists of any length. */
import { avroSchemas } from '../../../schemas/avro.ts';
import type { TopicRecords } from '../../../schemas/types.ts';

export type Fields = Record<string, unknown>;
export type Schema =
  | string
  | readonly Schema[]
  | {
      readonly type: Schema;
      readonly items?: Schema;
      readonly values?: Schema;
      readonly symbols?: readonly string[];
      readonly fields?: readonly { readonly name: string; readonly type: Schema }[];
    };

/** Uniform in 0 … below - 1. */
export type Below = (below: number) => number;

const longs = [
  ...[0, 1, -1, 2, 7, 8, 255, 256, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, 2 ** 32, 2 ** 32 + 1, 86_400_000, 1e12, 1.7e12],
  ...[
    2 ** 52,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    2 ** 53,
    -(2 ** 53),
    2 ** 63 - 1024,
    -(2 ** 63),
    8.64e15,
  ],
] as const;
const doubles = [0, -0, 0.5, -1, 1e-320, 1e308, -1e308, Number.NaN, Infinity, -Infinity, 2 ** 53] as const;
const texts = [
  '',
  ' ',
  'a',
  '\0',
  // What a lone surrogate is once it has been decoded from UTF-8.
  '\ufffd',
  '__proto__',
  'constructor',
  'https://a.test/0',
  'https://a.test/new',
  'https://b.test:8443/?q=1#f',
  'https://bücher.example/',
  'http://[::1]/',
  'https://a.test:99999/',
  'javascript:1',
  'a.test',
  'A.TEST.',
  '{}',
  '[]',
  'null',
  '{"url":"https://a.test/0"}',
  '{"url":"https://a.test/0","frontQueue":-1}',
  '{"pattern":"https://a.test/*","detail":""}',
  '{"group":"frontier","topic":"discovered","offset":-5}',
  '{"urls":[{"url":"https://a.test/0","of":""}],"prefixes":[]}',
  '1.5',
  'é'.repeat(300),
  `https://a.test/${'x'.repeat(9_000)}`,
  `https://${'a'.repeat(1_500)}.test/`,
  `https://${'b.'.repeat(600)}test/`,
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
] as const;

/** A copy of the record of a topic with one to three fields at an extreme of their type. */
export function drawRecord<T extends keyof TopicRecords>(topic: T, record: TopicRecords[T], below: Below) {
  let drawn = record as unknown;
  for (let left = 1 + below(3); left > 0; left--) drawn = changed(avroSchemas[topic] as Schema, drawn, below);
  return drawn as TopicRecords[T];
}

/** The value with something of it drawn again. */
function changed(schema: Schema, value: unknown, below: Below): unknown {
  if (typeof schema === 'string' || Array.isArray(schema)) return drawn(schema, below);
  const { type, fields, items, symbols } = schema as Exclude<Schema, string | readonly Schema[]>;
  if (symbols !== undefined) return symbols[below(symbols.length)];
  if (fields !== undefined && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const field = fields[below(fields.length)]!;
    const record = value as Fields;
    return { ...record, [field.name]: changed(field.type, record[field.name], below) };
  }
  if (items !== undefined && Array.isArray(value)) return changedList(items, value, below);
  return typeof type === 'string' ? drawn(type, below) : changed(type, value, below);
}

function changedList(items: Schema, list: readonly unknown[], below: Below): unknown[] {
  const at = below(Math.max(1, list.length));
  switch (below(list.length === 0 ? 2 : 6)) {
    case 0:
      return [];
    case 1:
      return typeof items === 'string' ? [...list, drawn(items, below)] : [...list, ...list];
    default:
      return list.map((one, index) => (index === at ? changed(items, one, below) : one));
  }
}

function drawn(type: Schema, below: Below): unknown {
  const of = <V>(choices: readonly V[]) => choices[below(choices.length)];
  switch (type) {
    case 'int':
      return of(longs.filter((number) => Math.abs(number) < 2 ** 31));
    case 'long':
      return of(longs);
    case 'float':
    case 'double':
      return of(doubles);
    case 'boolean':
      return below(2) === 0;
    case 'bytes':
      return Buffer.from(of(texts)!);
    case 'string':
      return of(texts);
    default:
      throw new Error(`fuzz: no values for a field of type ${JSON.stringify(type)}: add some to draw-record.ts`);
  }
}
