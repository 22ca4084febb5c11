/** The title of an HTML page as an archive keeps it. */
import { parsePage } from '../../../topology/parse/page.ts';
import type { HttpMessage } from '../../archive/http-message.ts';
import { decodeBody } from '../../fetcher/http/content-coding.ts';
import { headerOf } from '../../fetcher/http/headers.ts';
import { productToken } from '../../fetcher/http/identity.ts';
import { requestLimits } from '../../fetcher/http/request-limits.ts';

const titleAlone = {
  ...{ robotsTags: [], productToken, linksMax: 0, textCharsMax: 0, expired: () => false },
  // Where titles stand.
  byteBudget: 256 * 1024,
};

/** Empty: it has none. */
export async function pageTitle(url: string, { headers, body }: HttpMessage): Promise<string> {
  if (body.length === 0) return '';
  const decoded = await decodeBody(body, headerOf(headers, 'content-encoding'), requestLimits.bodyBytesMax);
  if ('error' in decoded) return '';
  return parsePage(decoded.body, { ...titleAlone, url, contentType: headerOf(headers, 'content-type') }).title;
}
