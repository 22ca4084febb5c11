/** A document of a media type that a plugin reads, as a page: bounded as our own parsers' are. */

import type { Directives } from '../../../topology/parse/directives.ts';
import { resolveHttp } from '../../../topology/parse/hrefs.ts';
import { fetcherLimits } from '../fetcher-limits.ts';
import type { PageReader } from './page-reader.ts';
import type { WholePage } from './parse-page.ts';

/** Rejects with HookFailed. */
export async function parseByHook(
  { hooks, linksMax }: Pick<PageReader, 'hooks' | 'linksMax'>,
  url: string,
  mediaType: string,
  body: Uint8Array,
  robots: Directives,
): Promise<WholePage> {
  const read = await hooks!.parse(url, mediaType, body);
  const links = new Set<string>();
  let linksDropped = 0;
  for (const href of read.links ?? []) {
    const link = resolveHttp(href, url);
    if (link === null || links.has(link)) continue;
    if (links.size < linksMax) links.add(link);
    else linksDropped += 1;
  }
  const found = [...links];
  const { textCharsMax } = fetcherLimits;
  return {
    parsed: {
      links: robots.nofollow ? [] : found,
      linksDropped: robots.nofollow ? 0 : linksDropped,
      nofollowed: robots.nofollow ? found : [],
      title: (read.title ?? '').slice(0, textCharsMax),
      description: (read.description ?? '').slice(0, textCharsMax),
      text: (read.text ?? '').slice(0, textCharsMax),
      canonical: '',
      base: url,
      metaRefresh: null,
      robots,
      declaredLanguage: '',
      charset: '',
      complete: (read.text ?? '').length <= textCharsMax,
    },
    rich: read.fields === undefined ? null : { ...noRich, fields: fieldsOf(read.fields) },
  };
}

const noRich = { mainText: '', markdown: '', language: '', declaredLanguage: '', metadata: null, complete: true };

function fieldsOf(fields: Readonly<Record<string, readonly string[]>>) {
  return Object.entries(fields).map(([name, values]) => ({
    name,
    type: 'string' as const,
    values: [...values],
    problem: '',
  }));
}
