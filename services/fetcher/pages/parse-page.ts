/** Parses one page: links and text always, the rest (`PageWishes`) if a rule asks for it. */
import { decodePage } from '../../../topology/parse/charset.ts';
import { resolveHttp } from '../../../topology/parse/hrefs.ts';
import { linkSpelling } from '../../../topology/parse/legacy-encodings.ts';
import { type ParsedPage, type ParseOptions, parsePage } from '../../../topology/parse/page.ts';
import { type RichPage, readRichPage } from '../../../topology/parse/rich/rich-page.ts';
import type { PageWishes } from './extract-rules.ts';
import { type Field, selectFields } from './select-fields.ts';

export interface WholePage {
  readonly parsed: ParsedPage;
  /** Time of reading more than links and text on the main thread, ms. Absent: none. */
  readonly hereMs?: number;
  /** Time of the whole page in a worker, ms. Absent: no worker read it, or only for links and text. */
  readonly apartMs?: number;
  /** Null: not asked for. */
  readonly rich: (Omit<RichPage, 'tidyMarkup' | 'mediaLinks'> & { readonly fields: readonly Field[] }) | null;
}

export function parseWholePage(body: Uint8Array, options: ParseOptions, wishes: PageWishes | undefined): WholePage {
  const parsed = parsePage(body, options);
  if (wishes === undefined) return { parsed, rich: null };
  const bytes = body.subarray(0, options.byteBudget);
  const { text: html } = decodePage(bytes, `text/html;charset=${parsed.charset}`);
  const spell = linkSpelling(parsed.charset);
  const { tidyMarkup, mediaLinks, ...rich } = readRichPage(html, wishes.wanted, parsed.base, options.expired, spell);
  const fields = tidyMarkup === '' ? [] : selectFields(tidyMarkup, parsed.base, wishes.fields);
  return { parsed: withMedia(parsed, mediaLinks.map(spell), options.linksMax), rich: { ...rich, fields } };
}

function withMedia(parsed: ParsedPage, hrefs: readonly string[], linksMax: number): ParsedPage {
  if (parsed.robots.nofollow || hrefs.length === 0) return parsed;
  const links = new Set(parsed.links);
  let { linksDropped } = parsed;
  for (const href of hrefs) {
    const url = resolveHttp(href, parsed.base);
    if (url === null || links.has(url)) continue;
    if (links.size < linksMax) links.add(url);
    else linksDropped += 1;
  }
  return { ...parsed, links: [...links], linksDropped };
}
