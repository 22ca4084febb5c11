/** Short names for common answers. */
import type { Answer, Break, Field, Place, Seen } from './situation.ts';

export const startMark = 'start-of-body';
export const endMark = 'end-of-body';

/** A page with text between the marks, and links if any are named. */
export function pageText(links: readonly string[] = [], more = ''): string {
  const anchors = links.map((link) => `<a href="${link}">link</a>`).join('');
  return (
    `<!doctype html><html><head><meta charset="utf-8"><title>${startMark}</title></head><body><p>Words of a page. ` +
    `${'They fill a chunk. '.repeat(10)}</p>${anchors}${more}<p>${endMark}</p></body></html>\n`
  );
}

export const html: Field = ['Content-Type', 'text/html; charset=utf-8'];
export const text: Field = ['Content-Type', 'text/plain; charset=utf-8'];

export const answer = (status: number, more: Partial<Answer> = {}): Answer => ({
  ...{ status, fields: [html], body: Buffer.from(pageText()), framing: 'length' },
  ...more,
});
export const ok = (more: Partial<Answer> = {}): Answer => answer(200, more);
export const page = (links: readonly string[], more = ''): Answer => ok({ body: Buffer.from(pageText(links, more)) });
/** Fields besides the type of a page. */
export const withFields = (...fields: Field[]): Answer => ok({ fields: [html, ...fields] });
export const empty = (status: number, ...fields: Field[]): Answer => answer(status, { fields, body: Buffer.alloc(0) });
export const notFound: Answer = empty(404);
export const robotsText = (lines: string): Answer => ok({ fields: [text], body: Buffer.from(lines) });
export const broken = (at: Place, by: Break, of: Answer = ok()): Answer => ({ ...of, broken: { at, by } });

/** How a page ended: its outcome and status, and how much of its text is kept. */
export function pageOutcome(seen: Seen, path = '/'): string {
  const url = seen.urls.get(path);
  if (url === undefined) return 'not asked';
  const status = url.status > 0 ? ` ${url.status}` : '';
  const target = url.redirectUrl === undefined ? '' : ` to ${url.redirectUrl.replace(seen.origin, '')}`;
  return `${url.outcome}${status}${target}${bodyOutcome(seen, path)}`;
}

function bodyOutcome({ pages }: Seen, path: string): string {
  const page = pages.get(path);
  if (page === undefined) return '';
  const words = `${page.title} ${page.text}`;
  const kept = !words.includes(startMark) ? 'no text' : words.includes(endMark) ? 'whole' : 'a part';
  return `, ${kept}${page.truncated ? ', marked as cut' : ''}`;
}

/** Requests for a path. */
export const times = ({ asked }: Seen, path = '/'): number => asked.filter((one) => one.path === path).length;
