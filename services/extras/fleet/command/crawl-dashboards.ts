/**
 * Serves a dashboard for each running crawl of a fleet at `/crawls/NAME/dashboard/`, the same as `crawl --dashboard`.
 * If owners have keys, an owner sees the dashboards of that owner’s crawls. Only the operator may change hosts or query
 * changelogs.
 */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Display } from '../../../application/extension/display.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { HttpApp, HttpRequest, Routes } from '../../../runtime/http/http-server.ts';
import { displayCrawl } from '../../dashboard/command/crawl-display.ts';
import { dashboardRoutes, isUp, type ShownCrawl, showCrawl } from '../../dashboard/dashboard-routes.ts';
import { callsOf, createDoor } from '../api/door.ts';
import type { FleetParts } from '../api/fleet-parts.ts';
import type { CrawlAnswer } from '../fleet-schemas.ts';
import type { Callers } from '../owners/callers.ts';
import { missingCrawl } from '../turns.ts';

/** How a crawl ended, other than by a pause or a failure. */
type CrawlEnd = 'done' | 'quotaSpent';

interface AddedCrawl {
  /** Gets the crawl, to show it. */
  readonly display: Display;
  /** Removes the crawl. `end`: given if the crawl has ended. */
  hide(end?: CrawlEnd): void;
}

export class CrawlDashboards {
  readonly #shown = new Map<string, ShownCrawl>();

  /** Adds a crawl that begins to run. */
  add(name: string, clock: Clock): AddedCrawl {
    const display = displayCrawl(clock);
    const crawl = showCrawl(clock, display.shown);
    this.#shown.set(name, crawl);
    return {
      // `hide` sends the last update.
      display: { ...display, over: async () => {} },
      hide: (end) => {
        if (end === undefined) crawl.viewers.close();
        else void crawl.viewers.over(end).finally(() => crawl.viewers.close());
        if (this.#shown.get(name) === crawl) this.#shown.delete(name);
      },
    };
  }

  routes(parts: () => FleetParts, callers: Callers | null): Routes {
    const { door, callerOf } = createDoor(callers, () => callsOf(parts));
    const asked = new WeakMap<HttpRequest, { readonly crawl: CrawlAnswer; readonly one: ShownCrawl }>();
    const of = (request: HttpRequest): ShownCrawl => {
      const { name } = request.params as { readonly name: string };
      const crawl = parts().fleet.find(name);
      const caller = callerOf(request);
      if (crawl === undefined || (caller !== null && crawl.owner !== caller.name)) throw missingCrawl(name);
      const isOperators = request.method !== 'GET' || request.routeOptions.config.costly === true;
      if (caller !== null && isOperators)
        throw forbidden('only the operator of the fleet may do this: use the token of the fleet');
      const one = this.#shown.get(name);
      if (one !== undefined) {
        asked.set(request, { crawl, one });
        return one;
      }
      throw notRunning(
        crawl.state === 'ended'
          ? `crawl ${name} has ended (${crawl.end}): the fleet’s page shows its pages`
          : `crawl ${name} is not running (${crawl.state}): resume it to see its dashboard`,
      );
    };
    /** Returns the error of a failed call. If the crawl was starting or stopping, that is the cause, and not a fault. */
    const answerOf = (error: unknown, request: HttpRequest): unknown => {
      const before = asked.get(request);
      if (!(error instanceof CrawlstreamError) || error.code.startsWith('INVALID_') || before === undefined)
        return error;
      const { name, createdAtMs } = before.crawl;
      if (parts().fleet.find(name)?.createdAtMs !== createdAtMs) return missingCrawl(name);
      if (this.#shown.get(name) === before.one && isUp(before.one)) return error;
      return notRunning(`crawl ${name} is starting or stopping: retry in a moment`);
    };
    return (app) => {
      app.addHook('preClose', (done) => {
        for (const { viewers } of this.#shown.values()) viewers.close();
        done();
      });
      const add = async (scope: HttpApp) => {
        scope.setErrorHandler((error, request) => {
          throw answerOf(error, request);
        });
        dashboardRoutes(of, callers === null ? undefined : door)(scope);
      };
      void app.register(add, { prefix: '/crawls/:name' });
    };
  }
}

function forbidden(message: string): Error {
  return Object.assign(new Error(message), { statusCode: 403, code: 'FORBIDDEN' });
}

function notRunning(message: string): CrawlstreamError {
  return new CrawlstreamError('NOT_RUNNING', message);
}
