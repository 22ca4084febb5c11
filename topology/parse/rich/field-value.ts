/**
 * Types of the fields that a user's selectors take from a page, and the conversion of text to them.
 *
 * A value is kept as text in one canonical form: numbers as JavaScript prints them, dates as ISO 8601 in UTC, URLs
 * absolute. Text of another type yields a problem in words instead of a value.
 */

import { resolveHttp } from '../hrefs.ts';
import { cut } from '../text.ts';
import { richLimits } from './rich-limits.ts';

export const fieldTypes = ['string', 'number', 'integer', 'boolean', 'date', 'url'] as const;
export type FieldType = (typeof fieldTypes)[number];

export type FieldValue = { readonly value: string } | { readonly problem: string };

/** Converts `text` to the type. `base`: base of relative URLs. */
export function fieldValue(text: string, type: FieldType, base: string): FieldValue {
  const tidy = cut(text.replace(/\s+/g, ' ').trim(), richLimits.fieldCharsMax);
  const value = readers[type](tidy, base);
  return value === null ? { problem: `${JSON.stringify(cut(tidy, 60))} is not a valid ${type}` } : { value };
}

const readers: Readonly<Record<FieldType, (text: string, base: string) => string | null>> = {
  string: (text) => text,
  number: (text) => {
    const number = numberIn(text);
    return number === null ? null : String(number);
  },
  integer: (text) => {
    const number = numberIn(text);
    return number === null || !Number.isSafeInteger(number) ? null : String(number);
  },
  boolean: (text) => {
    if (/^(true|yes|1|on)$/i.test(text)) return 'true';
    return /^(false|no|0|off)$/i.test(text) ? 'false' : null;
  },
  date: (text) => {
    // Only dates that begin with a year are read: 01/02/2026 means different days in different countries.
    if (!/^\d{4}-\d{2}(-\d{2})?([T ][\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.test(text)) return null;
    const ms = Date.parse(/T|\s/.test(text) && !/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? `${text}Z` : text);
    return Number.isNaN(ms) ? null : new Date(ms).toISOString();
  },
  url: (text, base) => (text === '' ? null : resolveHttp(text, base) || null),
};

/**
 * The one number of a text, with what pages write around it: `€ 1,299.00`, `1.299,00 EUR`, `3 reviews`. The last of
 * two different marks is the decimal one; a single one followed by three digits groups thousands.
 */
function numberIn(text: string): number | null {
  const found = text.match(/[-−]?\d(?:[\d.,'\u00a0\u202f ]*\d)?/g);
  if (found?.length !== 1) return null;
  const digits = found[0].replace('−', '-').replace(/['\u00a0\u202f ]/g, '');
  const lastMark = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (lastMark < 0) return Number(digits);
  const mark = digits[lastMark]!;
  const other = mark === '.' ? ',' : '.';
  const whole = digits.slice(0, lastMark);
  const repeated = whole.includes(mark);
  const grouped = repeated || (!whole.includes(other) && digits.length - lastMark - 1 === 3 && whole !== '0');
  const plain = grouped
    ? digits.replaceAll(mark, '').replace(other, '.')
    : `${whole.replaceAll(other, '')}.${digits.slice(lastMark + 1)}`;
  const number = Number(plain);
  return Number.isFinite(number) ? number : null;
}
