/**
 * The server's own pages: the start page, search results, the captures of a URL, and the frame around a page. No
 * scripts.
 */
import { createHash } from 'node:crypto';
import { counted } from '../../../runtime/counted.ts';
import type { Capture } from './capture.ts';
import { shownTime } from './datetime.ts';
import { pathOf } from './rewrite/linker.ts';

const style = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:0;padding:1rem 1.5rem;max-width:70rem}
table{border-collapse:collapse}td,th{padding:.15rem .9rem .15rem 0;text-align:left;vertical-align:top}
td.url{overflow-wrap:anywhere}.num{text-align:right}form{margin:.5rem 0 1rem}input{font:inherit;width:min(40rem,60vw)}button{font:inherit}
.calendar td{padding:.1rem .4rem}body.frame{padding:0;max-width:none;display:flex;flex-direction:column;height:100vh}
.bar{padding:.3rem .8rem;border-bottom:1px solid #8888;overflow-wrap:anywhere}iframe{border:0;flex:1;background:#fff}`;

/** Hash of the style, for the policies that allow it. */
export const styleHash = `sha256-${createHash('sha256').update(style).digest('base64')}`;

export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function page(title: string, body: string, kind = ''): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeText(title)}</title><style>${style}</style><body${kind === '' ? '' : ` class="${kind}"`}>${body}</body></html>\n`;
}

const search = (value: string) =>
  `<form action="/search"><label>URLs that start with <input name="url" value="${escapeText(value)}" placeholder="example.org/blog"></label> <button>Search</button></form>`;

export function homePage(files: number, hosts: readonly string[], isMore: boolean): string {
  const rows = hosts.map(
    (host) => `<li><a href="/search?url=${encodeURIComponent(host)}">${escapeText(host)}</a></li>`,
  );
  const more = isMore ? '<p>… more hosts: use the search.</p>' : '';
  return page(
    'Archive',
    `<h1>Archive</h1><p>${counted(files, 'WARC file')}.</p>${search('')}<ul>${rows.join('')}</ul>${more}`,
  );
}

export interface Searched {
  readonly prefix: string;
  /** Also styles, scripts, fonts and media. */
  readonly withParts: boolean;
}

interface Found {
  readonly found: readonly Capture[];
  readonly titles: ReadonlyMap<Capture, string>;
}

export function searchPage({ prefix, withParts }: Searched, { found, titles }: Found, next: string | null): string {
  const link = (parts: boolean, after: string, text: string) => {
    const query = `url=${encodeURIComponent(prefix)}${parts ? '&parts=all' : ''}${after && `&after=${encodeURIComponent(after)}`}`;
    return `<a href="${escapeText(`/search?${query}`)}">${text}</a>`;
  };
  // Isolated: characters of a title may turn the direction of what follows.
  const titleOf = (capture: Capture) => {
    const title = titles.get(capture);
    return title === undefined ? '' : `<b><bdi>${escapeText(title)}</bdi></b><br>`;
  };
  const rows = found.map((capture) => {
    const { url, time, mime } = capture;
    return `<tr><td class="url">${titleOf(capture)}<a href="${escapeText(`/captures/${url}`)}">${escapeText(url)}</a></td><td>${escapeText(mime)}</td><td><a href="${escapeText(pathOf(time, url))}">${shownTime(time)}</a></td></tr>`;
  });
  const none = rows.length === 0 ? `<p>No captured ${withParts ? 'URL' : 'page'} starts like this.</p>` : '';
  const on = next === null ? '' : `<p>${link(withParts, next, 'More')}</p>`;
  const kinds = withParts
    ? `<p>All URLs. ${link(false, '', 'Pages and documents only')}</p>`
    : `<p>Pages and documents. ${link(true, '', 'Also styles, scripts, images and media')}</p>`;
  const table = `<table><tr><th>URL</th><th>Type</th><th>First capture</th></tr>${rows.join('')}</table>`;
  return page(`URLs that start with ${prefix}`, `${search(prefix)}${kinds}${none || table}${on}`);
}

/** `months`: captures a month, as `2026-01`. */
export function capturesPage(
  url: string,
  months: ReadonlyMap<string, number>,
  shown: readonly Capture[],
  next: string | null,
): string {
  const total = [...months.values()].reduce((sum, count) => sum + count, 0);
  const rows = shown.map(
    (one) =>
      `<tr><td><a href="${escapeText(pathOf(one.time, one.url))}">${shownTime(one.time)}</a></td><td class="num">${one.status || ''}</td><td>${escapeText(one.mime)}</td><td class="url">${one.url === url ? '' : escapeText(one.url)}</td></tr>`,
  );
  const on = next === null ? '' : `<p><a href="${escapeText(`/captures-from/${next}/${url}`)}">More</a></p>`;
  return page(
    `Captures of ${url}`,
    `<h1>${escapeText(url)}</h1><p>${counted(total, 'capture')}. <a href="/">Archive</a></p>${calendar(url, months)}<table><tr><th>Time (UTC)</th><th>Status</th><th>Type</th><th></th></tr>${rows.join('')}</table>${on}`,
  );
}

/** A row for each year, a column for each month. */
function calendar(url: string, months: ReadonlyMap<string, number>): string {
  const years = [...new Set([...months.keys()].map((month) => month.slice(0, 4)))];
  const cells = (year: string) =>
    Array.from({ length: 12 }, (_, at) => {
      const month = `${at + 1}`.padStart(2, '0');
      const count = months.get(`${year}-${month}`);
      if (count === undefined) return '<td></td>';
      return `<td class="num"><a href="${escapeText(`/captures-from/${year}${month}01000000/${url}`)}">${count}</a></td>`;
    }).join('');
  const names = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ').map((name) => `<th>${name}</th>`);
  return `<table class="calendar"><tr><th></th>${names.join('')}</tr>${years.map((year) => `<tr><th>${year}</th>${cells(year)}</tr>`).join('')}</table>`;
}

/** The frame around a page. */
export function framePage({ time, url, status }: Capture): string {
  const said = status === 200 || status === 0 ? '' : `, status ${status}`;
  const src = escapeText(pathOf(time, url));
  const bar = `<div class="bar"><a href="/">Archive</a> · ${escapeText(url)} as of ${shownTime(time)} UTC${said} · <a href="${escapeText(`/captures/${url}`)}">all captures</a></div>`;
  return page(`${url} (${shownTime(time)})`, `${bar}<iframe src="${src}" title="archived page"></iframe>`, 'frame');
}

export function problemPage(title: string, said: string, url: string | null): string {
  const near = url === null ? '' : search(url);
  return page(title, `<h1>${escapeText(title)}</h1><p>${escapeText(said)}</p>${near}<p><a href="/">Archive</a></p>`);
}
