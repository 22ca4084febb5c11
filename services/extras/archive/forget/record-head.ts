/** The head of a WARC record, to be read, changed and written again with the fields in their order. */

export interface RecordHead {
  /** Fields in their order, names as they are written. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly block: Buffer;
}

export function readHead(record: Buffer): RecordHead {
  const end = record.indexOf('\r\n\r\n');
  const [, ...lines] = record.toString('utf8', 0, end).split('\r\n');
  const fields = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const;
  });
  const length = Number(fieldOf({ fields }, 'Content-Length'));
  return { fields, block: record.subarray(end + 4, end + 4 + length) };
}

/** Empty: it has none. */
export function fieldOf({ fields }: Pick<RecordHead, 'fields'>, name: string): string {
  const wanted = name.toLowerCase();
  return fields.find(([one]) => one.toLowerCase() === wanted)?.[1] ?? '';
}

/** `changed`: new values of fields that are there; null takes one out. */
export function recordWith(
  { fields }: RecordHead,
  changed: Readonly<Record<string, string | null>>,
  block: Buffer,
): Buffer {
  const lines = fields
    .filter(([name]) => changed[name] !== null)
    .map(([name, value]) => `${name}: ${changed[name] ?? value}\r\n`);
  return Buffer.concat([Buffer.from(`WARC/1.1\r\n${lines.join('')}\r\n`), block, Buffer.from('\r\n\r\n')]);
}
