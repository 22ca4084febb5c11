/** Endpoints of extras and plugins, on the HTTP side of a process with a frontier. */
import { CrawlstreamError, invalid } from '../../../topology/errors.ts';
import type { CrawlRoute, RouteCall, ServedCrawl } from '../../application/extension/crawl-part.ts';
import type { HttpApp, Routes } from '../../runtime/http/http-server.ts';

/**
 * `crawl`: undefined while the crawl is not up yet, or is stopping. The routes throw INVALID_ARGUMENT for an endpoint
 * that the process has already.
 */
export function partRoutes(routes: readonly CrawlRoute<ServedCrawl>[], crawl: () => ServedCrawl | undefined): Routes {
  return (app) => {
    checkNames(app, routes);
    for (const route of routes) if (route.takes === undefined) addRoute(app, route, crawl);
    app.register(async (own) => {
      own.removeAllContentTypeParsers();
      own.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
      for (const route of routes) if (route.takes === 'bytes') addRoute(own, route, crawl);
    });
  };
}

function checkNames(app: HttpApp, routes: readonly CrawlRoute<ServedCrawl>[]): void {
  const names = new Set<string>();
  for (const { method, path } of routes) {
    const name = `${method} ${path}`;
    if (names.has(name) || app.hasRoute({ method, url: path }))
      throw invalid(`endpoint ${name}: the crawl has this endpoint already; choose another path`);
    names.add(name);
  }
}

function addRoute(app: HttpApp, route: CrawlRoute<ServedCrawl>, crawl: () => ServedCrawl | undefined): void {
  const { method, path: url, access } = route;
  app.route({
    method,
    url,
    ...(access !== undefined && { config: { access } }),
    handler: async ({ params, query, headers, body }, reply) => {
      const now = crawl();
      if (now === undefined) throw new CrawlstreamError('NOT_READY', 'this crawl is starting: retry in a moment');
      const answer = await route.handle({ params, query, headers, body } as RouteCall, now);
      if (answer.status !== undefined) reply.code(answer.status);
      if (answer.type !== undefined) reply.type(answer.type);
      return reply.send(answer.body);
    },
  });
}
