/**
 * What stands in for a batch of records that can't be undone, because it is damaged or has more in it than memory should
 * hold: one value, a line that says what is wrong and where, then the batch's own bytes.
 *
 * No format of ours begins so: whoever decodes it gets a record that can't be read. On a stream, it goes to the dead
 * letters with its bytes, and the stream goes on; on a changelog, without which there is no state, it stops the reader.
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
