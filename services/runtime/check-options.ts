/** Reports mistakes of callers without types in one sentence each, instead of a TypeError from within. */
import { closest, distance } from 'fastest-levenshtein';
import { CrawlstreamError } from '../../topology/errors.ts';

export interface Field {
  /** The valid form, as in "give …". */
  readonly wants: string;
  readonly fits: (value: unknown) => boolean;
  readonly needed?: boolean;
}

/** Throws INVALID_ARGUMENT, naming the first field at fault. */
export function checkOptions(call: string, given: unknown, fields: Readonly<Record<string, Field>>): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const needed = Object.keys(fields).filter((name) => fields[name]!.needed === true);
    throw wrong(`${call}: give one object of options${needed.length === 0 ? '' : `, with ${needed.join(' and ')}`}`);
  }
  for (const [name, value] of Object.entries(given)) {
    const field = fields[name];
    if (field === undefined) {
      const near = closest(name, Object.keys(fields));
      const guess = distance(name, near) <= 3 ? `did you mean ${near}?` : `there are ${Object.keys(fields).join(', ')}`;
      throw wrong(`${call}: there is no option ${name}; ${guess}`);
    }
    if (value !== undefined && !field.fits(value)) throw wrong(`${call}: ${name}: give ${field.wants}`);
  }
  for (const [name, { needed, wants }] of Object.entries(fields)) {
    const isThere = (given as Record<string, unknown>)[name] !== undefined;
    if (needed === true && !isThere) throw wrong(`${call}: ${name} is missing: give ${wants}`);
  }
}

function wrong(message: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', message);
}

export const isFunction = (value: unknown) => typeof value === 'function';
export const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
export const isStrings = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string');
export const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 1;
