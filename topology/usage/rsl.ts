/**
 * `License:` in robots.txt: Really Simple Licensing (RSL 1.0, 10 December 2025). It belongs to no group. Its terms are
 * stored with each page of the host, and not read.
 */
import { canParse } from '../url/can-parse.ts';
import { type Statement, statement } from './statement.ts';

/** `value`: an absolute URL; other values have no effect. */
export function rslLicence(value: string): Statement[] {
  if (!/^https?:\/\//i.test(value) || !canParse(value)) return [];
  return [statement('licence', 'terms', 'robots.txt', value)];
}
