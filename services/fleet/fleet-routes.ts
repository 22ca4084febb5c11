/**
 * A fleet's API. `GET /v1/openapi.json` describes it. Calls that change something need what a control call needs
 * (runtime/http/access.ts).
 */
import { CrawlstreamError } from '../../topology/errors.ts';
import type { HttpApp, Routes } from '../runtime/http/http-server.ts';
import { readCall } from '../runtime/http/read-call.ts';
import type { Wish } from './crawl-file.ts';
import { positionOf } from './events/event-position.ts';
import type { EventReader } from './events/event-reader.ts';
import type { EventStreams } from './events/event-streams.ts';
import type { Fleet, ReadLog } from './fleet.ts';
import { fleetOpenApi } from './fleet-openapi.ts';
import { createCall, eventsQuery, pagesQuery } from './fleet-schemas.ts';
import { fleetServiceLimits } from './fleet-service-limits.ts';
import type { KeptPages } from './kept-pages.ts';
import { readPages } from './read-pages.ts';

export interface FleetDesk {
  readonly fleet: Fleet;
  readonly requestsInFlight: () => number;
  readonly kept: KeptPages;
  readonly events: EventReader;
  readonly streams: EventStreams;
  /** Opens the log of a crawl that does not run. */
  reading<T>(path: string, act: (reads: ReadLog) => Promise<T>): Promise<T>;
}

interface Named {
  readonly Params: { readonly name: string };
}

const verbs: Readonly<Record<string, Wish>> = { pause: 'paused', resume: 'running', end: 'ended' };

/** `desk` throws OWNERSHIP_LOST while the fleet is not up. */
export function fleetRoutes(desk: () => FleetDesk): Routes {
  return (app: HttpApp) => {
    app.get('/v1/openapi.json', { config: { access: 'public' } }, () => fleetOpenApi());

    app.post('/v1/crawls', { bodyLimit: fleetServiceLimits.bodyBytesMax }, async (request, reply) => {
      const { crawl, isNew } = await desk().fleet.create(readCall(createCall, request.body));
      return reply.code(isNew ? 201 : 200).send(crawl);
    });

    app.get('/v1/crawls', () => {
      const { fleet, requestsInFlight } = desk();
      return { crawls: fleet.list(), requestsInFlight: requestsInFlight() };
    });

    app.get<Named>('/v1/crawls/:name', ({ params: { name } }) => needed(desk().fleet.find(name), name));

    app.delete<Named>('/v1/crawls/:name', async ({ params: { name } }, reply) => {
      if (!(await desk().fleet.delete(name))) throw missing(name);
      return reply.code(204).send();
    });

    for (const [verb, wish] of Object.entries(verbs)) {
      app.post<Named>(`/v1/crawls/:name/${verb}`, async ({ params: { name } }) =>
        needed(await desk().fleet.wish(name, wish), name),
      );
    }

    app.get<Named>('/v1/crawls/:name/pages', async ({ params: { name }, query }, reply) => {
      const { fleet, reading, kept } = desk();
      const { cursor, limit } = readCall(pagesQuery, query);
      const crawl = needed(fleet.find(name), name);
      const id = `${name} ${crawl.createdAtMs}`;
      const take = async (reads: ReadLog) => readPages(reads, await kept.of(id, reads), Number(cursor), limit);
      const reads = fleet.reads(name);
      const { lines, cursor: next } = reads === undefined ? await reading(crawl.data, take) : await take(reads);
      return reply
        .header('x-cursor', `${next}`)
        .type('application/jsonl')
        .send(lines.map((line) => `${line}\n`).join(''));
    });

    app.get<Named>('/v1/crawls/:name/events', async ({ params: { name }, query, headers }, reply) => {
      const { fleet, events, streams } = desk();
      const { from = '0-0', content } = readCall(eventsQuery, query);
      const crawl = needed(fleet.find(name), name);
      const last = headers['last-event-id'] ?? from;
      const place = typeof last === 'string' ? positionOf(last) : undefined;
      if (place === undefined) throw invalid(`Last-Event-ID ${JSON.stringify(last)} is the id of no event of a crawl`);
      const look = { content, most: 1, charsSoft: 1 };
      if ((await events.read(name, place, look).catch(() => undefined))?.isOver === true) return reply.code(204).send();
      const taken = streams.takenFor(crawl.owner);
      if (taken !== null) throw tooMany(`${taken} are open already: close one`);
      reply.hijack();
      await streams.stream(reply.raw, events, { crawl: name, owner: crawl.owner, content, from: place });
    });
  };
}

function needed<T>(crawl: T | undefined, name: string): T {
  if (crawl === undefined) throw missing(name);
  return crawl;
}

function tooMany(message: string): Error {
  return Object.assign(new Error(message), { statusCode: 429, code: 'TOO_MANY' });
}

function invalid(message: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', message);
}

function missing(name: string): Error {
  const message = `there is no crawl ${JSON.stringify(name)}: GET /v1/crawls lists those there are`;
  return Object.assign(new Error(message), { statusCode: 404, code: 'NOT_FOUND' });
}
