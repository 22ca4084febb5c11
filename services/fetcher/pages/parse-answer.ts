/** Parses the body of a fetched page by its type: by a plugin, here, or in a worker. */
import { decodePage } from '../../../topology/parse/charset.ts';
import { headerDirectives } from '../../../topology/parse/directives.ts';
import { withHeaderLinks } from '../../../topology/parse/header-links.ts';
import type { ParsedPage } from '../../../topology/parse/page.ts';
import { fetcherLimits } from '../fetcher-limits.ts';
import type { Answer } from './answer.ts';
import type { PageReader } from './page-reader.ts';
import { isXhtml, type PageType, pageTypeOf, sniffedType } from './page-type.ts';
import { parseByHook } from './parse-by-hook.ts';
import type { WholePage } from './parse-page.ts';

export interface ReadAs {
  readonly type: PageType;
  /** True: a plugin parses this media type. */
  readonly byPlugin: boolean;
}

export function readAs({ hooks, documents }: PageReader, { head, response }: Answer): ReadAs {
  const { mediaType } = head;
  const byPlugin = hooks?.parses(mediaType) === true;
  const named = pageTypeOf(mediaType, documents);
  const sniffed = named === 'unnamed' ? sniffedType(response.body, documents) : named;
  const type = sniffed === 'text' && isXhtml(mediaType, response.body) ? 'html' : sniffed;
  return { type, byPlugin };
}

/** null: the parser was stopped. */
export function parseAnswer(
  reader: PageReader,
  answer: Answer,
  { type, byPlugin }: ReadAs,
): WholePage | null | Promise<WholePage | null> {
  const { url } = answer.item;
  const { body } = answer.response;
  const { contentType, mediaType, robotsTags } = answer.head;
  const { productToken, linksMax, extractor } = reader;
  if (byPlugin) return parseByHook(reader, url, mediaType, body, headerDirectives(robotsTags, productToken));
  if (type === 'text')
    return { parsed: plainPage(body, contentType, headerDirectives(robotsTags, productToken)), rich: null };
  const textCharsMax = fetcherLimits.textCharsMax;
  const options = { url, contentType, robotsTags, productToken, linksMax, textCharsMax, byteBudget: body.length };
  if (typeof type === 'object') return extractor.parseDocument(type, body, options);
  return extractor.parse(body, options, reader.wishesOf?.(new URL(url).hostname));
}

/** Adds what the header fields Link and Refresh say. */
export function withHead({ linksMax }: PageReader, { item, head }: Answer, whole: WholePage): WholePage {
  const { links: link, refresh } = head;
  const parsed = withHeaderLinks(whole.parsed, item.url, { link, refresh, linksMax });
  return parsed === whole.parsed ? whole : { ...whole, parsed };
}

function plainPage(body: Uint8Array, contentType: string | null, robots: ParsedPage['robots']): ParsedPage {
  // No character has more than four bytes.
  const { text, charset } = decodePage(body.subarray(0, fetcherLimits.textCharsMax * 4), contentType);
  return {
    links: [],
    linksDropped: 0,
    nofollowed: [],
    title: '',
    description: '',
    text: text.slice(0, fetcherLimits.textCharsMax),
    canonical: '',
    base: '',
    metaRefresh: null,
    robots,
    declaredLanguage: '',
    charset,
    complete: true,
  };
}
