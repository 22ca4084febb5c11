/** Encoders for the Encoding standard's legacy encodings. They are built by decoding each byte sequence. */
const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** The text in an encoding of one or two bytes a character. A character that the encoding lacks becomes `?`. */
export function encodeAs(label: string, text: string): Buffer {
  const table = tableOf(label);
  return Buffer.from([...text].flatMap((char) => (char < '\x80' ? char.charCodeAt(0) : (table.get(char) ?? [0x3f]))));
}

/** With `mark`, a byte order mark comes first. */
export function encodeUtf16(text: string, order: 'LE' | 'BE', mark: boolean): Buffer {
  const bytes = Buffer.from(mark ? `\ufeff${text}` : text, 'utf16le');
  return order === 'BE' ? bytes.swap16() : bytes;
}

function tableOf(label: string): ReadonlyMap<string, readonly number[]> {
  const known = tables.get(label);
  if (known !== undefined) return known;
  const table = new Map<string, readonly number[]>();
  const decoder = new TextDecoder(label, { fatal: true });
  const add = (...bytes: number[]) => {
    const char = decodedOrNone(decoder, Buffer.from(bytes));
    if (char !== undefined && [...char].length === 1 && !table.has(char)) table.set(char, bytes);
  };
  for (let lead = 0x80; lead < 0x100; lead++) add(lead);
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) add(lead, trail);
  tables.set(label, table);
  return table;
}

function decodedOrNone(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
