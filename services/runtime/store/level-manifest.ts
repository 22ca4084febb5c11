/**
 * The table files that a LevelDB manifest names: those that were added and not deleted again.
 *
 * A manifest is a log of edits, in blocks of 32 KiB. Records have a header of 7 bytes (checksum u32, length u16,
 * type) and may span several blocks. A record that is cut at the end was not finished by its writer.
 *
 * Source: LevelDB 1.20, doc/log_format.txt, db/version_edit.cc (tags and fields).
 */

const blockBytes = 32 << 10;
const headerBytes = 7;
const recordType = { full: 1, first: 2, middle: 3, last: 4 } as const;
const tag = {
  comparator: 1,
  logNumber: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  previousLog: 9,
} as const;

/** Throws an Error for a field that LevelDB 1.20 does not have. */
export function tablesOf(manifest: Buffer): ReadonlySet<number> {
  const tables = new Set<number>();
  for (const edit of recordsOf(manifest)) applyEdit(edit, tables);
  return tables;
}

function* recordsOf(log: Buffer): Generator<Buffer> {
  let parts: Buffer[] = [];
  for (let at = 0; at + headerBytes <= log.length; ) {
    const left = blockBytes - (at % blockBytes);
    if (left < headerBytes) {
      at += left;
      continue;
    }
    const end = at + headerBytes + log.readUInt16LE(at + 4);
    const type = log[at + 6] as number;
    // Room allocated ahead of its use, or a record without its end yet.
    if (type === 0 || end > log.length) return;
    if (type === recordType.full || type === recordType.first) parts = [];
    parts.push(log.subarray(at + headerBytes, end));
    if (type === recordType.full || type === recordType.last) yield Buffer.concat(parts);
    at = end;
  }
}

function applyEdit(edit: Buffer, tables: Set<number>): void {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = edit[at++];
      if (byte === undefined) throw new Error('a manifest record ends within a number');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  const skipBytes = () => {
    const length = number();
    at += length;
  };
  while (at < edit.length) {
    const field = number();
    if (field === tag.comparator) skipBytes();
    else if (field === tag.deletedFile) {
      number();
      tables.delete(number());
    } else if (field === tag.compactPointer) {
      number();
      skipBytes();
    } else if (field === tag.newFile) {
      number();
      tables.add(number());
      number();
      skipBytes();
      skipBytes();
    } else if ([tag.logNumber, tag.nextFile, tag.lastSequence, tag.previousLog].some((one) => one === field)) number();
    else throw new Error(`a manifest record has a field of unknown kind ${field}`);
  }
}
