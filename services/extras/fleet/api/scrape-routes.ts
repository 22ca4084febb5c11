/**
 * `POST /v1/scrape`: one page. A crawl's recent copy is used; otherwise the page is fetched now, like any page of a
 * crawl. An owner gets copies only from its own crawls, so that it does not learn what other owners request.
 */
import { plainPage } from '../../../runtime/crawl/plain-page.ts';
import { createCall, problem } from '../fleet-schemas.ts';
import { callAgain } from '../scrape/no-page.ts';
import { PageScraper, type Requester } from '../scrape/page-scraper.ts';
import { scrapeLimits } from '../scrape/scrape-limits.ts';
import { scrapeAnswer, scrapeCall, scrapeWait } from '../scrape/scrape-schemas.ts';
import { json, type RoutesOf, route } from './fleet-route.ts';
import { tooMany } from './too-many.ts';

export const scrapeRoutes: RoutesOf = (access) => [
  route({
    method: 'post',
    path: '/v1/scrape',
    operationId: 'scrape',
    summary: 'One page: a recent copy, or fetched now.',
    tag: 'pages',
    body: { name: 'scrapeCall', schema: scrapeCall },
    answers: {
      '200': json('The page.', { scrapeAnswer }),
      '202': json('There is no page yet: `message` says why, and `nextAtMs` when it is requested again.', {
        scrapeWait,
      }),
      '422': json('There is no page: `message` says why.', { problem }),
    },
    async handle(request, reply, { body }) {
      const { url, maxAgeSeconds, waitSeconds, uses } = body;
      const { fleet, quotas, pages } = access.parts();
      const caller = access.callerOf(request);
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
      if (answer.page !== null) return { crawl, isFetched: answer.isFetched, page: plainPage(answer.page) };
      if (answer.isUnderWay) {
        const message = `no page of ${url} yet: ${answer.why}; ${callAgain(answer.nextAtMs)}`;
        return reply.code(202).send({ crawl, message, nextAtMs: answer.nextAtMs });
      }
      return reply.code(422).send({ error: 'NO_PAGE', message: `no page of ${url} (crawl ${crawl}): ${answer.why}` });
    },
  }),
];
