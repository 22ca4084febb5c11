/**
 * Removes U+0000 from values, because PostgreSQL, XML 1.0 and C strings do not allow it. Running text drops it;
 * elsewhere it becomes U+FFFD, as in the HTML standard (§13.2.5). A value without it is returned unchanged.
 */

/** Fields that hold running text. */
const texts = new Set(['text', 'mainText', 'markdown']);
/** The escape of U+0000 in JSON; a backslash before it may itself be escaped. */
const escaped = '\\u0000';

export function withoutNul<T extends object>(record: T): T {
  let changed: Record<string, unknown> | null = null;
  for (const [name, value] of Object.entries(record)) {
    const cleaned = cleanedValue(value, texts.has(name));
    if (cleaned !== value) (changed ??= {})[name] = cleaned;
  }
  return changed === null ? record : { ...record, ...changed };
}

/** JSON without U+0000 in names and strings. */
export function jsonWithoutNul(json: string): string {
  return json.includes(escaped) ? JSON.stringify(cleanedValue(JSON.parse(json), false)) : json;
}

function cleanedValue(value: unknown, isText: boolean): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', isText ? '' : '\ufffd') : value;
  if (Array.isArray(value)) {
    const cleaned = value.map((one) => cleanedValue(one, isText));
    return cleaned.some((one, at) => one !== value[at]) ? cleaned : value;
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const entries = Object.entries(value);
  const cleaned = entries.map(([name, one]) => [cleanedValue(name, false), cleanedValue(one, false)] as const);
  const isSame = cleaned.every(([name, one], at) => name === entries[at]![0] && one === entries[at]![1]);
  return isSame ? value : Object.fromEntries(cleaned);
}
