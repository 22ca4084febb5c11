/** Reads a page from an archive: its title; its text, links and metadata; or its content type and language. */
import { languageOf } from '../../../../topology/content/language.ts';
import { threeLetterCode } from '../../../../topology/content/language-codes.ts';
import { decodePage } from '../../../../topology/parse/charset.ts';
import { parsePage } from '../../../../topology/parse/page.ts';
import { crawlLimits } from '../../../../topology/policy/crawl-limits.ts';
import { fetcherLimits } from '../../../fetcher/fetcher-limits.ts';
import { decodeBody } from '../../../fetcher/http/content-coding.ts';
import { contentTypeOf, listOf } from '../../../fetcher/http/headers.ts';
import { productToken } from '../../../fetcher/http/identity.ts';
import { requestLimits } from '../../../fetcher/http/request-limits.ts';
import { mediaTypeOf, pageTypeOf, sniffedType } from '../../../fetcher/pages/page-type.ts';
import type { Content } from '../columnar/index-row.ts';
import type { DerivedPage } from '../derived/derive.ts';
import { detectedType } from '../detected-type.ts';
import type { HttpMessage } from '../http-message.ts';

const titleAlone = {
  ...{ robotsTags: [], productToken, linksMax: 0, textCharsMax: 0, expired: () => false },
  // Enough for the title.
  byteBudget: 256 * 1024,
};

/** The title; empty: none. */
export async function pageTitle(url: string, { headers, body }: HttpMessage): Promise<string> {
  if (body.length === 0) return '';
  const decoded = await decodeBody(body, listOf(headers, 'content-encoding'), requestLimits.bodyBytesMax);
  if ('error' in decoded) return '';
  return parsePage(decoded.body, { ...titleAlone, url, contentType: contentTypeOf(headers) }).title;
}

/** Null: not a page, or it cannot be decoded. */
export async function derivedPage(url: string, { headers, body }: HttpMessage): Promise<DerivedPage | null> {
  const mediaType = mediaTypeOf(headers);
  const named = pageTypeOf(mediaType);
  if (named === 'other' || body.length === 0) return null;
  const decoded = await decodeBody(body, listOf(headers, 'content-encoding'), requestLimits.bodyBytesMax);
  if ('error' in decoded) return null;
  const type = named === 'unnamed' ? sniffedType(decoded.body) : named;
  const contentType = contentTypeOf(headers) || null;
  if (type === 'other' || (type === 'text' && mediaType !== 'text/plain' && mediaType !== '')) return null;
  const { textCharsMax } = fetcherLimits;
  if (type === 'text') {
    const { text } = decodePage(decoded.body, contentType);
    return { title: '', text: text.slice(0, textCharsMax), links: [], canonical: '', language: '' };
  }
  const { title, text, links, canonical, declaredLanguage } = parsePage(decoded.body, {
    ...{ robotsTags: [], productToken, linksMax: crawlLimits.linksPerPage, textCharsMax, expired: () => false },
    ...{ byteBudget: decoded.body.length, url, contentType },
  });
  return { title, text, links, canonical, language: declaredLanguage };
}

/** Content of a payload; its beginning suffices. */
export async function archivedContent(url: string, { headers, body }: HttpMessage): Promise<Content> {
  const nothing: Content = { mimeDetected: null, charset: null, languages: null };
  if (body.length === 0) return nothing;
  const decoded = await decodeBody(body, listOf(headers, 'content-encoding'), requestLimits.bodyBytesMax);
  if ('error' in decoded) return nothing;
  const mimeDetected = detectedType(mediaTypeOf(headers), decoded.body);
  const contentType = contentTypeOf(headers) || null;
  if (mimeDetected === 'text/html' || mimeDetected === 'application/xhtml+xml') {
    const options = { ...titleAlone, textCharsMax: fetcherLimits.textCharsMax, byteBudget: decoded.body.length };
    const { text, charset, declaredLanguage } = parsePage(decoded.body, { ...options, url, contentType });
    return { mimeDetected, charset: charsetName(charset), languages: languagesOf(text, declaredLanguage) };
  }
  if (mimeDetected !== 'text/plain') return { ...nothing, mimeDetected };
  const { text, charset } = decodePage(decoded.body, contentType);
  return { mimeDetected, charset: charsetName(charset), languages: languagesOf(text, '') };
}

function languagesOf(text: string, declared: string): string | null {
  return threeLetterCode(languageOf(text.slice(0, fetcherLimits.textCharsMax), declared)) || null;
}

/** Converts a name of the Encoding standard, all in lower case, to IANA's spelling. */
function charsetName(name: string): string {
  if (name.startsWith('windows-')) return name;
  return { shift_jis: 'Shift_JIS', big5: 'Big5' }[name] ?? name.toUpperCase();
}
