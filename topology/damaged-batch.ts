/**
 * The placeholder for a damaged batch of records, or one that is too large to decompress in memory: one value, which is
 * a line with the problem and its place, then the bytes of the batch.
 *
 * No format of ours begins with this line, so every decoder reports an unreadable record. On a stream, the record
 * becomes a dead letter with its bytes, and the stream continues. On a changelog it stops the reader, since the state
 * depends on every record.
 */
const mark = new TextEncoder().encode('crawlstream: ');
const newline = 10;
/** Most bytes that the line about what is wrong may take. */
const lineBytesMax = 2_000;

/** `what` is one line. */
export function damagedValue(what: string, bytes: Uint8Array): Uint8Array {
  const line = new TextEncoder().encode(`${what.slice(0, lineBytesMax / 4)}\n`);
  const value = new Uint8Array(mark.length + line.length + bytes.length);
  value.set(mark);
  value.set(line, mark.length);
  value.set(bytes, mark.length + line.length);
  return value;
}

/** The damage of the batch behind a placeholder; undefined for an ordinary value. */
export function damageOf(value: Uint8Array): string | undefined {
  if (!mark.every((byte, i) => value[i] === byte)) return undefined;
  const end = value.subarray(0, mark.length + lineBytesMax).indexOf(newline);
  return end < 0 ? undefined : new TextDecoder().decode(value.subarray(mark.length, end));
}
