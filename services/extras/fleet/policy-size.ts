/**
 * Limits the size of a policy in a call. The process that all crawls share reads, checks and compiles it.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { policySizeLimits } from './policy-size-limits.ts';

/** Throws INVALID_ARGUMENT with the name of the field that is too large. */
export function checkPolicySize(fields: Readonly<Record<string, unknown>>): void {
  const { rulesMax, textsMax, nestingMax } = policySizeLimits;
  let texts = 0;
  const look = (field: string, value: unknown, depth: number): void => {
    if (typeof value === 'string') texts += 1;
    if (texts > textsMax) throw tooLarge('policy', `more than ${textsMax} strings`);
    if (typeof value !== 'object' || value === null) return;
    if (depth > nestingMax) throw tooLarge(field, `nested more than ${nestingMax} deep`);
    const entries = Object.entries(value);
    const rules = Array.isArray(value) ? value.filter((one) => typeof one === 'object').length : 0;
    if (rules > rulesMax) throw tooLarge(field, `${rules} entries, but at most ${rulesMax} are allowed`);
    for (const [name, part] of entries)
      look(Array.isArray(value) ? `${field}[${name}]` : `${field}.${name}`, part, depth + 1);
  };
  look('policy', fields, 0);
}

function tooLarge(field: string, why: string): CrawlstreamError {
  const message = `${field}: ${why}; create several crawls, or ask the operator to load a list from a file`;
  return new CrawlstreamError('INVALID_ARGUMENT', message);
}
