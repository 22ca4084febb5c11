/**
 * `content` of `<meta http-equiv=refresh>` (HTML standard, "shared declarative refresh steps"). Deviations: a
 * fraction of a second is kept; a refresh without a URL is ignored, because it reloads the page itself.
 */

export interface Refresh {
  /** As written, not yet resolved. */
  readonly href: string;
  readonly delaySeconds: number;
}

const blanks = '[\\t\\n\\f\\r ]*';
const delay = new RegExp(`^${blanks}(\\d*(?:\\.[\\d.]*)?)(?:[;,]|(?=[\\t\\n\\f\\r ]))${blanks}`);
const separator = new RegExp(`^[;,]${blanks}`);
const keyword = new RegExp(`^url${blanks}=${blanks}`, 'i');
/** Nobody writes more digits: a longer run is not a delay. */
const delayCharsMax = 32;

export function parseRefresh(content: string): Refresh | null {
  const time = delay.exec(content);
  const digits = time?.[1] ?? '';
  if (time === null || digits === '' || digits.length > delayCharsMax) return null;
  let rest = content.slice(time[0].length);
  // The separator may follow blanks: `5 ; url=…`.
  if (!/[;,]/.test(time[0])) rest = rest.replace(separator, '');
  rest = rest.replace(keyword, '');
  const quote = rest[0];
  if (quote === '"' || quote === "'") {
    const end = rest.indexOf(quote, 1);
    rest = rest.slice(1, end < 0 ? undefined : end);
  }
  const href = rest.trim();
  if (href === '') return null;
  return { href, delaySeconds: Number.parseFloat(digits) || 0 };
}
