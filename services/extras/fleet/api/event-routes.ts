/** `/v1/crawls/{name}/events`: a crawl's events as a stream. */
import { invalid } from '../../../../topology/errors.ts';
import type { HttpRequest } from '../../../runtime/http/http-server.ts';
import type { CrawlFile } from '../crawl-file.ts';
import { positionIn } from '../events/incarnation.ts';
import { nameIn, type RoutesOf, route } from './fleet-route.ts';
import { isHead } from './is-head.ts';
import { onceUp } from './once-up.ts';
import { eventsQuery } from './query-schemas.ts';
import { tooMany } from './too-many.ts';

export const eventRoutes: RoutesOf = (access) => [
  route({
    ...described,
    query: eventsQuery,
    async handle(request, reply, { query }) {
      const name = nameIn(request);
      if (!(await onceUp(access.parts, request.raw))) {
        reply.hijack();
        request.raw.destroy();
        return undefined;
      }
      const { fleet, events, streams } = access.parts();
      const { from = '0-0', content } = query;
      const { owner, createdAtMs } = access.seen(request, name);
      const place = placeOf(request, fleet.file(name)!, from);
      const look = { content, most: 1, charsSoft: 1, createdAtMs };
      if ((await events.read(name, place, look).catch(() => undefined))?.isOver === true) return reply.code(204).send();
      if (isHead(request)) return reply.type('text/event-stream; charset=utf-8').send();
      const taken = streams.takenFor(owner);
      if (taken !== null)
        throw tooMany(reply, { message: `${taken} are already open, which is the limit: close one`, waitS: 0 });
      reply.hijack();
      const caller = access.callerOf(request);
      const stream = { crawl: name, createdAtMs, owner, content, from: place };
      await streams.stream(reply.raw, events, stream, {
        mayListen: () => access.isIn(caller),
        sent: access.streamed(request),
      });
      return undefined;
    },
  }),
];

const described = {
  method: 'get',
  path: '/v1/crawls/{name}/events',
  operationId: 'events',
  summary: 'Its pages and state changes as events, in order.',
  tag: 'crawls',
  headers: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      schema: { type: 'string' },
      description: 'The id of the last event received.',
    },
  ],
  answers: {
    '200': {
      response: {
        description: 'Events (docs/fleet.md), until the crawl has ended and all events are sent.',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
    },
    '204': { response: { description: 'The crawl has ended, and all its events were received.' } },
  },
} as const;

function placeOf({ headers }: HttpRequest, file: CrawlFile, from: string) {
  const last = headers['last-event-id'] ?? from;
  const place = typeof last === 'string' ? positionIn(file, last) : undefined;
  if (place !== undefined) return place;
  throw invalid(
    `Last-Event-ID ${JSON.stringify(last)} is not an event id of this crawl: send the id of an event that you received`,
  );
}
