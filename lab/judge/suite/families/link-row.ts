/** A check of links in one page: its markup, the URLs that must be followed, and text that is not a link. */
import { type Check, check, type Level } from '../check/check.ts';

export const html = (part: string) => `https://html.spec.whatwg.org/multipage/${part}`;
export const anchor = html('text-level-semantics.html#the-a-element');

export type LinkRow = readonly [
  name: string,
  title: string,
  source: string,
  markup: string,
  want: readonly string[],
  never?: readonly string[],
  level?: Level,
];

export const head = (markup: string) =>
  `<!doctype html><html><head><title>t</title>${markup}</head><body><p>text</p></body></html>`;
export const body = (markup: string) =>
  `<!doctype html><html><head><title>t</title></head><body>${markup}</body></html>`;
const control = '<a href="/control">control</a>';

export function linkCheck([name, title, source, markup, want, never = [], level = 'MUST']: LinkRow): Check {
  // A page without a link to follow needs one, or nothing shows that it was read.
  const isOnlyForbidden = want.length === 0;
  const read = markup.includes('</body>') ? markup.replace('</body>', `${control}</body>`) : `${markup}${control}`;
  return check(`links/${name}`, level, source, title, {
    pages: { '/': isOnlyForbidden ? read : markup },
    want,
    never,
    ...(isOnlyForbidden ? { control: '/control' } : {}),
    ...(name === 'form-post' ? { weight: 5 } : {}),
  });
}
