/**
 * The border: what Avro admits is held to the ranges of `schemas/ranges.ts` before anything decides by it. Records that
 * lie within them come out as they are, the same object.
 */
import { avroSchemas } from '../../schemas/avro.ts';
import { type Range, ranges } from '../../schemas/ranges.ts';
import type { TopicRecords } from '../../schemas/types.ts';

/** A number outside its range, and its place in the record. */
export interface Refusal {
  /** Path of the field, for example `groups[2].depth`. */
  readonly field: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  /** Host of the value, if the record names it; else empty. */
  readonly hostKey: string;
  /** The first URL next to the value. Empty: none. */
  readonly url: string;
}

export interface Entered<T> {
  /** Null: the whole record is refused. */
  readonly record: T | null;
  readonly refusals: readonly Refusal[];
}

type Fields = Record<string, unknown>;
/** The record; null if it is refused, and why is in `refusals`. */
type Enter = (record: Fields, path: string, refusals: Refusal[]) => Fields | null;

type Schema =
  | string
  | { readonly type: Schema; readonly name?: string; readonly items?: Schema; readonly fields?: SchemaField[] };
interface SchemaField {
  readonly name: string;
  readonly type: Schema;
}

/** Records of a list that are refused one by one: the others of their list go in. */
const refusedAlone: ReadonlySet<string> = new Set(['LinkGroup']);
const entrances = new Map<string, Enter>();

/** `record` as it may go in. */
export function enterRecord<T extends keyof TopicRecords>(topic: T, record: TopicRecords[T]): Entered<TopicRecords[T]> {
  let enter = entrances.get(topic);
  if (enter === undefined) entrances.set(topic, (enter = enterOf(avroSchemas[topic] as unknown as Schema)!));
  const refusals: Refusal[] = [];
  return { record: enter(record as unknown as Fields, '', refusals) as TopicRecords[T] | null, refusals };
}

/** A message for the sender of the record. */
export function refusalText({ field, value, least, most }: Omit<Refusal, 'hostKey' | 'url'>): string {
  return `${field} is ${value}, but must be from ${least} to ${most}: fix the program that sends it`;
}

/** Null: nothing in it is a number. */
function enterOf(schema: Schema): Enter | null {
  if (typeof schema === 'string' || schema.fields === undefined) return null;
  const own = Object.entries(ranges[schema.name as keyof typeof ranges] ?? {}) as [string, Range][];
  const parts = schema.fields.flatMap(({ name, type }) => partOf(name, type) ?? []);
  if (own.length === 0 && parts.length === 0) return null;
  return (record, path, refusals) => {
    let entered = record;
    for (const [name, range] of own) {
      const value = record[name] as number;
      if (value >= range.least && value <= range.most) continue;
      if (range.breach === 'refused') {
        refusals.push({ ...range, field: `${path}${name}`, value, ...whereOf(record) });
        return null;
      }
      if (entered === record) entered = { ...record };
      entered[name] = value > range.most && range.breach === 'bounded' ? range.most : range.least;
    }
    for (const part of parts) {
      const before = record[part.name];
      const after = part.enter(before, `${path}${part.name}`, refusals);
      if (after === null) return null;
      if (after === before) continue;
      if (entered === record) entered = { ...record };
      entered[part.name] = after;
    }
    return entered;
  };
}

interface Part {
  readonly name: string;
  readonly enter: (value: unknown, path: string, refusals: Refusal[]) => unknown;
}

/** Null if every number of the field is checked with the record that contains it. */
function partOf(name: string, type: Schema): Part | null {
  if (typeof type === 'string') return null;
  if (type.type !== 'array') {
    const enter = enterOf(type.fields === undefined ? type.type : type);
    return enter && { name, enter: (value, path, refusals) => enter(value as Fields, `${path}.`, refusals) };
  }
  const enter = enterOf(type.items!);
  const isAlone = typeof type.items === 'object' && refusedAlone.has(type.items.name ?? '');
  return (
    enter && { name, enter: (list, path, refusals) => enterList(list as Fields[], enter, isAlone, path, refusals) }
  );
}

/** The same list where all of it may go in. */
function enterList(list: Fields[], enter: Enter, isAlone: boolean, path: string, refusals: Refusal[]): Fields[] | null {
  let entered = list;
  for (let i = 0; i < list.length; i++) {
    const known = refusals.length;
    const before = list[i]!;
    const after = enter(before, '', refusals);
    for (let at = known; at < refusals.length; at++)
      refusals[at] = { ...refusals[at]!, field: `${path}[${i}].${refusals[at]!.field}` };
    if (after === null && !isAlone) return null;
    if (after !== before && entered === list) entered = list.slice(0, i);
    if (entered !== list && after !== null) entered.push(after);
  }
  return entered;
}

function whereOf({ hostKey, links, url }: Fields): Pick<Refusal, 'hostKey' | 'url'> {
  const [first] = Array.isArray(links) ? (links as Fields[]) : [];
  return { hostKey: `${hostKey ?? ''}`, url: `${url ?? first?.['url'] ?? ''}` };
}
