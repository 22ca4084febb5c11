/**
 * `License:` of robots.txt: Really Simple Licensing (RSL 1.0, 10 December 2025). It belongs to no group, and its terms
 * are kept with each page of the host; nobody here reads them.
 */
import { canParse } from '../url/can-parse.ts';
import { type Statement, statement } from './statement.ts';

/** `value`: an absolute URL, or it says nothing. */
export function rslLicence(value: string): Statement[] {
  if (!/^https?:\/\//i.test(value) || !canParse(value)) return [];
  return [statement('licence', 'terms', 'robots.txt', value)];
}
