/**
 * `POST /v1/scrape`: one page. A crawl's recent copy is used; otherwise the page is fetched now, like any page of a
 * crawl. An owner gets copies only from its own crawls, so that it does not learn what other owners request.
 */
import type { HttpApp, Routes } from '../../../runtime/http/http-server.ts';
import { readCall } from '../../../runtime/http/read-call.ts';
import { createCall } from '../fleet-schemas.ts';
import type { Callers } from '../owners/callers.ts';
import { PageScraper, type Requester } from '../scrape/page-scraper.ts';
import { scrapeLimits } from '../scrape/scrape-limits.ts';
import { scrapeCall } from '../scrape/scrape-schemas.ts';
import { createDoor } from './door.ts';
import type { FleetParts } from './fleet-routes.ts';
import { tooMany } from './too-many.ts';

/** The arguments are those of fleetRoutes. */
export function scrapeRoutes(parts: () => FleetParts, callers: Callers | null = null): Routes {
  const { door, callerOf } = createDoor(callers);
  return (app: HttpApp) => {
    app.post('/v1/scrape', door, async (request, reply) => {
      const { url, maxAgeSeconds, waitSeconds, uses } = readCall(scrapeCall, request.body);
      const { fleet, quotas, pages } = parts();
      const caller = callerOf(request);
      const owner = caller?.name ?? '';
      const crawls = () => fleet.list(caller === null ? undefined : owner);
      const requester: Requester = {
        id: `${owner} ${uses.join(' ')}`,
        owner,
        uses,
        crawls,
        async create(seed, policy, name) {
          await pages.dropOld(fleet.list(owner), scrapeLimits.keptMax);
          const refused = quotas?.refusal(owner, fleet.list(owner), 1) ?? null;
          if (refused !== null) throw tooMany(reply, refused);
          const barred = uses.length === 0 ? {} : { uses, usesBarred: 'withhold' };
          // The key makes two simultaneous calls create only one crawl.
          const call = {
            seeds: [seed],
            name,
            idempotencyKey: name,
            owner,
            policy: { ...policy, ...barred },
            output: { markdown: true },
          };
          await fleet.create(createCall.parse(call));
        },
      };
      const answer = await pages.read(requester, PageScraper.urlOf(url), 1_000 * maxAgeSeconds, 1_000 * waitSeconds);
      const { crawl } = answer;
      if (answer.page !== null) return { crawl, isFetched: answer.isFetched, page: answer.page };
      if (answer.isUnderWay) return reply.code(202).send({ crawl, message: answer.why });
      return reply.code(422).send({ error: 'NO_PAGE', message: `no page of ${url} (crawl ${crawl}): ${answer.why}` });
    });
  };
}
