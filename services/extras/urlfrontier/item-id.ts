/**
 * The name of an item in acks, read from its bytes alone: its ID, or without one its URL. For items that are too
 * large to become objects.
 */

const [discoveredField, knownField, idField] = [1, 2, 3];
const [infoField, urlField] = [1, 1];

export function itemId(item: Uint8Array): string {
  const id = fieldOf(item, idField);
  if (id !== undefined && id.length > 0) return text(id);
  const wrapped = fieldOf(item, knownField) ?? fieldOf(item, discoveredField);
  const info = wrapped && fieldOf(wrapped, infoField);
  const url = info && fieldOf(info, urlField);
  return url === undefined ? '' : text(url);
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

/** The last length-delimited field of this number; throws on bytes that are no fields. */
function fieldOf(bytes: Uint8Array, wanted: number): Uint8Array | undefined {
  let found: Uint8Array | undefined;
  let at = 0;
  const varint = (): number => {
    for (let [value, scale] = [0, 1]; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('a field does not end');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    if (tag % 8 === 0) varint();
    else if (tag % 8 === 1) at += 8;
    else if (tag % 8 === 5) at += 4;
    else if (tag % 8 !== 2) throw new Error(`wire type ${tag % 8}`);
    else {
      const length = varint();
      const end = at + length;
      if (end > bytes.length) throw new Error('a field is longer than its message');
      if (Math.floor(tag / 8) === wanted) found = bytes.subarray(at, end);
      at = end;
    }
  }
  return found;
}
