/** Distinguishes objects of JSON from lists and plain values. */
export type Fields = { readonly [key: string]: unknown };

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
