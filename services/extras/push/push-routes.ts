/**
 * `POST /urls`: new or changed URLs, from any caller that may control this crawl. `/indexnow`: the same in the format
 * of the IndexNow protocol (indexnow.org), for publishers that use it already.
 *
 * The response is sent once the URLs are durable in `discovered`: 202, with the accepted and the refused ones.
 */

import { invalid } from '../../../topology/errors.ts';
import { canParse } from '../../../topology/url/can-parse.ts';
import type { CrawlRoute, RouteAnswer, ServedCrawl } from '../../application/extension/crawl-part.ts';
import { type PushTarget, pushedMax, pushUrls } from './pushed-urls.ts';

export const pushRoutes: readonly CrawlRoute<ServedCrawl>[] = [
  { method: 'POST', path: '/urls', handle: ({ body }, crawl) => push(crawl, urlsOf(body)) },
  {
    method: 'POST',
    path: '/indexnow',
    handle: ({ body }, crawl) => {
      const { host, urlList } = fieldsOf(body);
      if (typeof host !== 'string') throw invalid('host is missing: send the host of the URLs in urlList');
      const urls = listOf(urlList, 'urlList');
      const other = urls.find((url) => !canParse(url) || new URL(url).host !== host.toLowerCase());
      if (other !== undefined) throw invalid(`urlList: ${JSON.stringify(other)} is not a URL of host ${host}`);
      return push(crawl, urls);
    },
  },
  {
    method: 'GET',
    path: '/indexnow',
    // This GET changes the crawl, so it needs the same access as a POST.
    access: 'control',
    handle: ({ query }, crawl) => push(crawl, listOf([query['url']], 'url')),
  },
];

async function push(target: PushTarget, urls: readonly string[]): Promise<RouteAnswer> {
  return { status: 202, body: await pushUrls(target, urls) };
}

/** `{"url": …}`, `{"urls": […]}`, a list, or plain lines. */
function urlsOf(body: unknown): readonly string[] {
  if (typeof body === 'string') {
    const lines = body.split('\n').map((line) => line.trim());
    return listOf(
      lines.filter((line) => line !== ''),
      'the body',
    );
  }
  if (Array.isArray(body)) return listOf(body, 'the body');
  const { url, urls } = fieldsOf(body);
  return url === undefined ? listOf(urls, 'urls') : listOf([url], 'url');
}

function fieldsOf(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  throw invalid('the body is empty: send {"urls": ["https://example.org/"]}, or one URL a line as text/plain');
}

function listOf(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid(`${name}: send a list with at least one URL`);
  if (value.length > pushedMax) throw invalid(`${name}: ${value.length} URLs are too many: send ${pushedMax} at once`);
  const wrong = value.findIndex((one) => typeof one !== 'string');
  if (wrong >= 0) throw invalid(`${name}[${wrong}] is not a string: send URLs`);
  return value as string[];
}
