/**
 * Removes U+0000 from values, because PostgreSQL, XML 1.0 and C strings do not allow it. Running text drops it;
 * elsewhere it becomes U+FFFD, as in the HTML standard (§13.2.5). A value without it is returned unchanged.
 */

/** Fields that hold running text. */
const texts = new Set(['text', 'mainText', 'markdown']);
/** The escape of U+0000 in JSON; a backslash before it may itself be escaped. */
const escaped = '\\u0000';

export function withoutNul<T extends object>(record: T): T {
  if (!hasNul(record)) return record;
  const cleaned = Object.entries(record).map(([name, value]) => [name, cleanedValue(value, texts.has(name))] as const);
  return Object.fromEntries(cleaned) as T;
}

/** Nearly all values have none, so it allocates nothing. */
function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  for (const name in value)
    if (name.includes('\0') || hasNul((value as Readonly<Record<string, unknown>>)[name])) return true;
  return false;
}

/** JSON without U+0000 in names and strings. */
export function jsonWithoutNul(json: string): string {
  return json.includes(escaped) ? JSON.stringify(cleanedValue(JSON.parse(json), false)) : json;
}

function cleanedValue(value: unknown, isText: boolean): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', isText ? '' : '\ufffd') : value;
  // An object without it stays as it is, whatever its class.
  if (typeof value !== 'object' || value === null || !hasNul(value)) return value;
  if (Array.isArray(value)) return value.map((one) => cleanedValue(one, isText));
  const cleaned = Object.entries(value).map(([name, one]) => [cleanedValue(name, false), cleanedValue(one, false)]);
  return Object.fromEntries(cleaned);
}
