/** Fields of a message on the wire, counted before any becomes an object: two bytes on the wire are 200 in memory. */

const lengthDelimited = 2;

/**
 * Counts the message's fields, and those inside its fields number `within`. Stops beyond `most`. Bytes that cannot be
 * read end the count: decoding the message then reports why.
 */
export function countFields(bytes: Uint8Array, most: number, within?: number): number {
  let count = 0;
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < bytes.length && count <= most) {
    count++;
    const tag = varint();
    switch (tag % 8) {
      case 0:
        varint();
        break;
      case 1:
        at += 8;
        break;
      case lengthDelimited: {
        const end = varint() + at;
        if (Math.floor(tag / 8) === within) count += countFields(bytes.subarray(at, end), most - count);
        at = end;
        break;
      }
      case 5:
        at += 4;
        break;
      default: // groups hold their fields in line
        break;
    }
  }
  return count;
}
