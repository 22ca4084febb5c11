/** `/v1/crawls` and `/v1/crawls/{name}`: creates, lists, reads, pauses, resumes, ends and deletes crawls. */
import { invalid } from '../../../../topology/errors.ts';
import type { Wish } from '../crawl-file.ts';
import { type CrawlAnswer, crawlAnswer, createCall, listAnswer } from '../fleet-schemas.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import type { Owner } from '../owners/owner-file.ts';
import { ownerLimits } from '../owners/owner-limits.ts';
import { isPageCrawl } from '../scrape/page-scraper.ts';
import { missingCrawl } from '../turns.ts';
import { bodyBytesOf } from './door.ts';
import type { FleetAccess } from './fleet-access.ts';
import { type FleetRoute, json, nameIn, type RoutesOf, route } from './fleet-route.ts';
import { tooMany } from './too-many.ts';

export const crawlRoutes: RoutesOf = (access) => [
  create(access),
  {
    method: 'get',
    path: '/v1/crawls',
    operationId: 'list',
    summary: 'All crawls.',
    tag: 'crawls',
    answers: { '200': json('The crawls.', { listAnswer }) },
    handle(request) {
      const { fleet, requestsInFlight } = access.parts();
      const caller = access.callerOf(request);
      const crawls = fleet.list(caller?.name).map((crawl) => access.shown(request, crawl));
      return { crawls, requestsInFlight: caller === null ? requestsInFlight() : 0 };
    },
  },
  {
    method: 'get',
    path: '/v1/crawls/{name}',
    operationId: 'get',
    summary: 'A crawl: its state and counts.',
    tag: 'crawls',
    answers: { '200': json('The crawl.', { crawlAnswer }) },
    handle: (request) => access.shown(request, access.seen(request, nameIn(request))),
  },
  {
    method: 'delete',
    path: '/v1/crawls/{name}',
    operationId: 'delete',
    summary: 'Ends a crawl and deletes its data.',
    tag: 'crawls',
    answers: { '204': { response: { description: 'The crawl is deleted; its name can be used again.' } } },
    async handle(request, reply) {
      const name = nameIn(request);
      access.seen(request, name);
      const isDeleted = await access.parts().fleet.delete(name, () => access.checkCaller(request));
      if (!isDeleted) throw missingCrawl(name);
      return reply.code(204).send();
    },
  },
  wishing(access, 'pause', 'paused', 'Pauses a crawl until it is resumed; a paused crawl uses no memory.'),
  wishing(access, 'resume', 'running', 'Resumes a paused or failed crawl.'),
  wishing(access, 'end', 'ended', 'Ends a crawl; its pages stay.'),
];

function create(access: FleetAccess): FleetRoute {
  return route({
    method: 'post',
    path: '/v1/crawls',
    operationId: 'create',
    summary: 'Create a crawl, which starts at once.',
    tag: 'crawls',
    body: { name: 'createCall', schema: createCall },
    bodyLimit: fleetServiceLimits.bodyBytesMax,
    answers: {
      '201': json('The crawl.', { crawlAnswer }),
      '200': json('The crawl that the same call created before.', { crawlAnswer }),
    },
    // Reading a large body takes time of all crawls. So one is read every few seconds, since it may repeat the call that
    // took the room.
    beforeBody(request, reply) {
      const owner = access.callerOf(request)?.name;
      if (owner === undefined || bodyBytesOf(request.headers) <= ownerLimits.callBytes) return;
      const { fleet, quotas, calls } = access.parts();
      const last = calls?.refusedLately(owner) ?? null;
      if (last === null) return;
      const refused = quotas?.refusal(owner, fleet.list(owner), last.weight) ?? null;
      if (refused !== null) throw tooMany(reply, { ...refused, waitS: last.waitS });
    },
    async handle(request, reply, { body: call }) {
      const { fleet, quotas, calls } = access.parts();
      const caller = access.callerOf(request);
      const mine = caller === null ? call : { ...call, owner: ownerOf(caller, call.owner) };
      if (call.name !== undefined && isPageCrawl(call.name))
        throw invalid(
          `name: names such as ${call.name} are reserved for single pages (POST /v1/scrape); choose another`,
        );
      const { crawl, isNew } = await fleet.create(mine, access.setterOf(request), () => {
        access.checkCaller(request);
        const refused = quotas?.refusal(mine.owner, fleet.list(mine.owner), mine.weight) ?? null;
        if (refused === null) return;
        calls?.noteRefused(mine.owner, mine.weight);
        throw tooMany(reply, refused);
      });
      return reply.code(isNew ? 201 : 200).send(access.shown(request, crawl));
    },
  });
}

function wishing(access: FleetAccess, operationId: string, wish: Wish, summary: string): FleetRoute {
  return {
    method: 'post',
    path: `/v1/crawls/{name}/${operationId}`,
    operationId,
    summary,
    tag: 'crawls',
    answers: { '200': json('The crawl, in its new state.', { crawlAnswer }) },
    async handle(request, reply) {
      const name = nameIn(request);
      access.seen(request, name);
      const { fleet, quotas } = access.parts();
      const judge = ({ owner, state }: CrawlAnswer) => {
        access.checkCaller(request);
        const isMore = wish === 'running' && restStates.has(state);
        const refused = isMore ? (quotas?.refusal(owner, fleet.list(owner), null) ?? null) : null;
        if (refused !== null) throw tooMany(reply, refused);
      };
      const crawl = await fleet.wish(name, wish, judge, access.setterOf(request));
      if (crawl === undefined) throw missingCrawl(name);
      return access.shown(request, crawl);
    },
  };
}

const restStates: ReadonlySet<string> = new Set(['paused', 'failed']);

function ownerOf(caller: Owner, given: string): string {
  if (given === '' || given === caller.name) return caller.name;
  throw invalid(`owner: the key belongs to ${caller.name}; remove this field`);
}
