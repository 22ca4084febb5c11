/** Endpoints of extras and plugins, on the HTTP side of a process with a frontier. */
import { CrawlstreamError, invalid } from '../../../topology/errors.ts';
import type { CrawlRoute, RouteCall, ServedCrawl } from '../../application/extension/crawl-part.ts';
import type { HttpApp, HttpReply, HttpRequest, Routes } from '../../runtime/http/http-server.ts';

/**
 * `crawl`: undefined while the crawl is not up yet, or is stopping. The server refuses to listen (INVALID_ARGUMENT) if
 * the process has an endpoint already, or if a path is malformed.
 */
export function partRoutes(routes: readonly CrawlRoute<ServedCrawl>[], crawl: () => ServedCrawl | undefined): Routes {
  return (app) => {
    // One after the other, each beside all before it.
    for (const route of routes)
      app.register(async (own) => {
        if (route.takes === 'bytes') {
          own.removeAllContentTypeParsers();
          own.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
        }
        addRoute(own, route, crawl);
      });
  };
}

/** HTML has the origin of the dashboard, which may control the crawl: it runs no script, loads and sends nothing. */
const answerHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
};

function addRoute(app: HttpApp, route: CrawlRoute<ServedCrawl>, crawl: () => ServedCrawl | undefined): void {
  const { method, path: url, access } = route;
  const refused = (why: string) => invalid(`endpoint ${method} ${url}: ${why}; choose another path`);
  // The look-up is that of a call: `/hosts/a.test` finds `/hosts/:key`, and would answer in its place.
  if (app.findRoute({ method, url }) !== null) throw refused('the crawl has this endpoint already');
  const options = { method, url, ...(access !== undefined && { config: { access } }) };
  const handler = async ({ params, query, headers, body }: HttpRequest, reply: HttpReply) => {
    const now = crawl();
    if (now === undefined) throw new CrawlstreamError('NOT_READY', 'this crawl is starting: retry in a moment');
    const answer = await route.handle({ params, query, headers, body } as RouteCall, now);
    reply.headers(answerHeaders);
    if (answer.status !== undefined) reply.code(answer.status);
    if (answer.type !== undefined) reply.type(answer.type);
    return reply.send(answer.body);
  };
  try {
    app.route({ ...options, handler });
  } catch (error) {
    throw refused((error as Error).message);
  }
}
