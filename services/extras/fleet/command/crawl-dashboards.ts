/**
 * The dashboards of a fleet's crawls that run, each at `/crawls/NAME/dashboard/`: what `crawl --dashboard` shows of one. Where
 * owners have keys, an owner looks at its own; what is done to hosts and asked of changelogs stays the operator's.
 */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { dashboardRoutes, type ShownCrawl, showCrawl } from '../../../dashboard/dashboard-routes.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { HttpRequest, Routes } from '../../../runtime/http/http-server.ts';
import { createDoor } from '../api/door.ts';
import type { FleetParts } from '../api/fleet-routes.ts';
import type { Callers } from '../owners/callers.ts';

export class CrawlDashboards {
  readonly #shown = new Map<string, ShownCrawl>();

  /** A crawl runs from now on, until what is returned is called. */
  add(name: string, clock: Clock, shown: Parameters<typeof showCrawl>[1]): () => void {
    const crawl = showCrawl(clock, shown);
    this.#shown.set(name, crawl);
    return () => {
      crawl.viewers.close();
      if (this.#shown.get(name) === crawl) this.#shown.delete(name);
    };
  }

  routes(parts: () => FleetParts, callers: Callers | null): Routes {
    const { door, callerOf } = createDoor(callers);
    const of = (request: HttpRequest): ShownCrawl => {
      const { name } = request.params as { readonly name: string };
      const crawl = parts().fleet.find(name);
      const caller = callerOf(request);
      if (crawl === undefined || (caller !== null && crawl.owner !== caller.name))
        throw refused(404, 'NOT_FOUND', `there is no crawl ${JSON.stringify(name)}: list crawls with GET /v1/crawls`);
      const isOperators =
        request.method !== 'GET' || /\/dashboard\/(?:explain|story)$/.test(request.routeOptions.url ?? '');
      if (caller !== null && isOperators)
        throw refused(403, 'FORBIDDEN', 'only the operator of the fleet may do this: use the token of the fleet');
      const one = this.#shown.get(name);
      if (one !== undefined) return one;
      throw new CrawlstreamError(
        'NOT_RUNNING',
        `crawl ${name} is not running (${crawl.state}): resume it to see its dashboard`,
      );
    };
    return (app) => {
      app.addHook('preClose', (done) => {
        for (const { viewers } of this.#shown.values()) viewers.close();
        done();
      });
      void app.register(async (scope) => dashboardRoutes(of, callers === null ? undefined : door)(scope), {
        prefix: '/crawls/:name',
      });
    };
  }
}

function refused(statusCode: number, code: string, message: string): Error {
  return Object.assign(new Error(message), { statusCode, code });
}
