/**
 * Finds the line of a robots.txt that decides on a URL.
 *
 * The crawl's parser keeps rules without their lines, and a second parser might disagree with it. So the parser itself
 * reads files with only the first k rule lines, and a binary search finds the smallest k with the winning rule. This
 * works because more lines only add rules; it takes about a dozen readings.
 */

import { canonicalPath, latin1 } from '../../../topology/robots/escapes.ts';
import { eachRecord } from '../../../topology/robots/lines.ts';
import { bestRank } from '../../../topology/robots/pattern-index.ts';
import { robotsLimits } from '../../../topology/robots/robots-limits.ts';
import { isAllowed, parseRobots } from '../../../topology/robots/rules.ts';

export interface DecidingLine {
  /** Number of the line, from 1. */
  readonly line: number;
  readonly text: string;
  readonly allow: boolean;
}

/** null: no rule matches, or the URL is /robots.txt, which needs no rule. `url` is normal. */
export function decidingLine(body: Uint8Array, token: string, url: string): DecidingLine | null {
  const path = canonicalPath(url);
  if (path === '/robots.txt' || path.startsWith('/robots.txt?')) return null;
  const lines = linesOf(body);
  const ruleLines = lines.flatMap((line, at) => (isRule(line) ? [at] : []));
  const rankOf = (kept: number) => {
    const hidden = new Set(ruleLines.slice(kept));
    // A hidden line becomes an empty rule, which ends a run of user-agent lines as the line did, and is never longer.
    const shown = lines.map((line, at) => (hidden.has(at) ? 'allow:' : line));
    return bestRank(parseRobots(bytesOf(shown.join('\n')), token, url).index, path);
  };
  const best = rankOf(ruleLines.length);
  if (best < 0) return null;
  let low = 0;
  let high = ruleLines.length;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (rankOf(middle) === best) high = middle;
    else low = middle;
  }
  const at = ruleLines[high - 1]!;
  return { line: at + 1, text: bytesOf(lines[at]!.trim()).toString('utf8'), allow: best % 2 === 1 };
}

/** Returns the group that applies to the token: the token's own, `*` for everyone, or null for none. */
export function groupOf(body: Uint8Array, token: string): string | null {
  let everyone = false;
  let agents = 0;
  eachRecord(body, (key, value) => {
    if (key !== 'user-agent') return;
    agents += 1;
    everyone ||= value.startsWith('*');
  });
  if (agents === 0) return null;
  // A rule for everyone, put before all others, is heard unless the token has a separate group.
  const probe = '/probe-of-the-group-that-holds';
  const asked = `user-agent: *\ndisallow: ${probe}$\n\n${linesOf(body).join('\n')}`;
  if (isAllowed(parseRobots(bytesOf(asked), token, ''), `http://a.invalid${probe}`)) return token;
  return everyone ? '*' : null;
}

/** Returns the whole lines of the part that the parser reads, as octets, without a byte order mark. */
function linesOf(body: Uint8Array): string[] {
  const text = latin1(body.subarray(0, robotsLimits.bodyBytesMax)).replace(/^\xef\xbb\xbf/, '');
  const lines = text.replaceAll('\r\n', '\n').split(/[\r\n]/);
  return body.length < robotsLimits.bodyBytesMax ? lines : lines.slice(0, -1);
}

function isRule(line: string): boolean {
  let found = false;
  eachRecord(bytesOf(line), (key) => {
    found = key === 'allow' || key === 'disallow';
  });
  return found;
}

function bytesOf(octets: string): Buffer {
  return Buffer.from(octets, 'latin1');
}
