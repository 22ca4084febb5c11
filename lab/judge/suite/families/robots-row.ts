/** A check of one robots.txt: paths that it allows, and paths that it disallows. */
import { type Check, check, type Level, type Page, type Reply, rfc } from '../check/check.ts';

export type RobotsRow = readonly [
  name: string,
  title: string,
  section: string,
  robots: Page,
  open: readonly string[],
  closed: readonly string[],
  level?: Level,
];

export const text = (body: string | Buffer): Reply => ({ type: 'text/plain', body });
export const star = (...lines: readonly string[]) => text(`User-agent: *\n${lines.join('\n')}\n`);

/** Product token of the visitor, by its User-Agent. */
export function tokenOf(agent: string): string {
  const named = /compatible;\s*([A-Za-z_-]+)/.exec(agent)?.[1];
  return named ?? /^[A-Za-z_-]+/.exec(agent)?.[0] ?? 'unknown';
}

export const own =
  (lines: (token: string) => string): Page =>
  ({ header }) =>
    text(lines(tokenOf(header('user-agent'))));

export function robotsCheck([name, title, section, robots, open, closed, level = 'MUST']: RobotsRow): Check {
  // If a whole host is closed, the crawler must still read robots.txt to know it: nothing else may be requested there.
  const isClosed = name === 'disallow-all';
  return check(`robots/${name}`, level, rfc(9309, section), title, {
    pages: { '/robots.txt': robots },
    want: open,
    never: isClosed ? ['/', ...closed] : closed,
    ...(isClosed ? { control: '/robots.txt' } : {}),
  });
}
