/** Changes as bytes: their kind's place in the table of fields, then its fields. */
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';
import { type Field, pick, recordOf } from '../storage/fields.ts';
import { changeFields } from './change-fields.ts';
import type { Change } from './changes.ts';

const kinds = Object.keys(changeFields) as Change['kind'][];
const places = Object.fromEntries(kinds.map((kind, place) => [kind, place])) as Record<Change['kind'], number>;
const fields = Object.values(changeFields).map((layout) => recordOf(layout)) as Field<object>[];

export function writeChange(writer: ByteWriter, change: Change): void {
  const place = places[change.kind];
  writer.byte(place);
  fields[place]!.write(writer, change);
}

export function readChange(reader: ByteReader): Change {
  const place = reader.byte();
  const kind = pick(kinds, place, 'change');
  return { kind, ...fields[place]!.read(reader) } as Change;
}
