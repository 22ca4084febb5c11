/**
 * A fleet's API. `GET /v1/openapi.json` describes it. Calls that change something need what a control call needs
 * (runtime/http/access.ts).
 */
import type { HttpApp, Routes } from '../runtime/http/http-server.ts';
import { readCall } from '../runtime/http/read-call.ts';
import type { Wish } from './crawl-file.ts';
import type { Fleet, ReadLog } from './fleet.ts';
import { fleetOpenApi } from './fleet-openapi.ts';
import { createCall, pagesQuery } from './fleet-schemas.ts';
import { fleetServiceLimits } from './fleet-service-limits.ts';
import { readPages } from './read-pages.ts';

export interface FleetDesk {
  readonly fleet: Fleet;
  readonly requestsInFlight: () => number;
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
      const { fleet, reading } = desk();
      const { cursor, limit } = readCall(pagesQuery, query);
      const crawl = needed(fleet.find(name), name);
      const take = (reads: ReadLog) => readPages(reads, Number(cursor), limit);
      const reads = fleet.reads(name);
      const { lines, cursor: next } = reads === undefined ? await reading(crawl.data, take) : await take(reads);
      return reply
        .header('x-cursor', `${next}`)
        .type('application/jsonl')
        .send(lines.map((line) => `${line}\n`).join(''));
    });
  };
}

function needed<T>(crawl: T | undefined, name: string): T {
  if (crawl === undefined) throw missing(name);
  return crawl;
}

function missing(name: string): Error {
  const message = `there is no crawl ${JSON.stringify(name)}: GET /v1/crawls lists those there are`;
  return Object.assign(new Error(message), { statusCode: 404, code: 'NOT_FOUND' });
}
