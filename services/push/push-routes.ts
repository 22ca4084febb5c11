/**
 * `POST /urls`: new or changed URLs, from any caller that may control this crawl. `/indexnow`: the same in the format
 * of the IndexNow protocol (indexnow.org), for publishers that use it already.
 *
 * The response is sent once the URLs are durable in `discovered`: 202, with the accepted and the refused ones.
 */

import { CrawlstreamError, invalid } from '../../topology/errors.ts';
import { canParse } from '../../topology/url/can-parse.ts';
import type { HttpApp, Routes } from '../runtime/http/http-server.ts';
import { type PushTarget, pushedMax, pushUrls } from './pushed-urls.ts';

/** `target`: undefined while the crawl is not up yet, or is stopping. */
export function pushRoutes(target: () => PushTarget | undefined): Routes {
  const push = (urls: readonly string[]) => {
    const now = target();
    if (now !== undefined) return pushUrls(now, urls);
    throw new CrawlstreamError('NOT_READY', 'this crawl is starting: retry in a moment');
  };
  return (app: HttpApp) => {
    app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_, body, done) => done(null, body));
    app.post('/urls', async (request, reply) => reply.code(202).send(await push(urlsOf(request.body))));
    app.post('/indexnow', async (request, reply) => {
      const { host, urlList } = fieldsOf(request.body);
      if (typeof host !== 'string') throw invalid('host is missing: send the host of the URLs in urlList');
      const urls = listOf(urlList, 'urlList');
      const other = urls.find((url) => !canParse(url) || new URL(url).host !== host.toLowerCase());
      if (other !== undefined) throw invalid(`urlList: ${JSON.stringify(other)} is not a URL of host ${host}`);
      return reply.code(202).send(await push(urls));
    });
    // This GET changes the crawl, so it needs the same access as a POST.
    app.get('/indexnow', { config: { access: 'control' } }, async (request, reply) => {
      const { url } = request.query as { readonly url?: unknown };
      return reply.code(202).send(await push(listOf([url], 'url')));
    });
  };
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
