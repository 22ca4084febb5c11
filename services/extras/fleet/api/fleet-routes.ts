/**
 * A fleet's API. `GET /v1/openapi.json` describes it. Calls that change something need the rights of a control call
 * (runtime/http/access.ts). If owners have keys, every call needs a key, and an owner reaches only its own crawls.
 */
import { CrawlstreamError, invalid } from '../../../../topology/errors.ts';
import type { HttpApp, HttpRequest, Routes } from '../../../runtime/http/http-server.ts';
import { readCall } from '../../../runtime/http/read-call.ts';
import type { Wish } from '../crawl-file.ts';
import type { EventReader } from '../events/event-reader.ts';
import type { EventStreams } from '../events/event-streams.ts';
import { cursorIn, cursorText, positionIn } from '../events/incarnation.ts';
import type { Fleet } from '../fleet.ts';
import { type CrawlAnswer, createCall } from '../fleet-schemas.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import type { KeptPages } from '../kept-pages.ts';
import type { Output } from '../outputs/output.ts';
import type { OutputSender } from '../outputs/send-output.ts';
import type { Callers } from '../owners/callers.ts';
import type { Owner } from '../owners/owner-file.ts';
import type { Quotas } from '../owners/quotas.ts';
import { bytesWhileThere, idOf, readCrawl, whileThere } from '../read-crawl.ts';
import type { ReadLog } from '../running-crawl.ts';
import { isPageCrawl, type PageScraper } from '../scrape/page-scraper.ts';
import { missingCrawl } from '../turns.ts';
import { createDoor } from './door.ts';
import { fleetOpenApi } from './fleet-openapi.ts';
import { onceUp } from './once-up.ts';
import { eventsQuery, pagesQuery } from './query-schemas.ts';
import { readPages } from './read-pages.ts';
import { tooMany } from './too-many.ts';

export interface FleetParts {
  readonly fleet: Fleet;
  readonly requestsInFlight: () => number;
  readonly kept: KeptPages;
  readonly events: EventReader;
  readonly streams: EventStreams;
  readonly pages: PageScraper;
  readonly outputs: OutputSender;
  /** Returns how a crawl treats a URL: names and values. `path`: of the crawl's folder. */
  explain(path: string, url: string): Promise<readonly (readonly [name: string, value: string])[]>;
  /** null: owners have no quotas. */
  readonly quotas: Quotas | null;
  /** Opens the log of a crawl that does not run. */
  reading<T>(path: string, act: (reads: ReadLog) => Promise<T>): Promise<T>;
}

interface Named {
  readonly Params: { readonly name: string };
}

const verbs: Readonly<Record<string, Wish>> = { pause: 'paused', resume: 'running', end: 'ended' };

/**
 * `parts` throws NOT_READY until the fleet is up. `callers` null: owners have no keys, and every caller is the operator.
 * `outputs`: the files that the API serves of a crawl.
 */
export function fleetRoutes(
  parts: () => FleetParts,
  callers: Callers | null = null,
  outputs: readonly Output[] = [],
): Routes {
  const { door, callerOf } = createDoor(callers);
  /** Returns a crawl that the caller may see. A crawl of another owner is reported as missing. */
  const seen = (request: HttpRequest, name: string): CrawlAnswer => {
    const crawl = parts().fleet.find(name);
    const caller = callerOf(request);
    if (crawl === undefined || (caller !== null && crawl.owner !== caller.name)) throw missingCrawl(name);
    return crawl;
  };
  /** Refuses a call if its key was revoked while it waited for its turn. */
  const checkCaller = (request: HttpRequest): void => {
    if (callers === null || callers.isIn(callerOf(request))) return;
    throw Object.assign(new Error('the key of this call was revoked'), {
      statusCode: 401,
      code: 'UNAUTHORIZED',
    });
  };
  const crawlOf = (request: HttpRequest, crawl: CrawlAnswer): object =>
    callerOf(request) === null ? crawl : forOwner(crawl);
  const seenBy = (request: HttpRequest): CrawlAnswer[] => {
    const caller = callerOf(request);
    return parts().fleet.list(caller?.name);
  };

  return (app: HttpApp) => {
    app.get('/v1/openapi.json', { config: { access: 'public' } }, () => fleetOpenApi(outputs));

    const making = { ...door, bodyLimit: fleetServiceLimits.bodyBytesMax };
    app.post('/v1/crawls', making, async (request, reply) => {
      const { fleet, quotas } = parts();
      const call = readCall(createCall, request.body);
      const caller = callerOf(request);
      const mine = caller === null ? call : { ...call, owner: ownerOf(caller, call.owner) };
      if (call.name !== undefined && isPageCrawl(call.name))
        throw invalid(
          `name: names such as ${call.name} are reserved for single pages (POST /v1/scrape); choose another`,
        );
      const { crawl, isNew } = await fleet.create(mine, caller === null ? 'operator' : 'owner', () => {
        checkCaller(request);
        const refused = quotas?.refusal(mine.owner, fleet.list(mine.owner), mine.weight) ?? null;
        if (refused !== null) throw tooMany(reply, refused);
      });
      return reply.code(isNew ? 201 : 200).send(crawlOf(request, crawl));
    });

    app.get('/v1/crawls', door, (request) => {
      const { requestsInFlight } = parts();
      const crawls = seenBy(request).map((crawl) => crawlOf(request, crawl));
      return { crawls, requestsInFlight: callerOf(request) === null ? requestsInFlight() : 0 };
    });

    app.get('/v1/owners', door, (request) => {
      const { quotas, fleet } = parts();
      const caller = callerOf(request);
      const all = quotas?.status(fleet.list(caller?.name)) ?? [];
      return { owners: all.filter(({ name }) => caller === null || name === caller.name) };
    });

    app.get<Named>('/v1/crawls/:name', door, (request) => {
      const { name } = request.params;
      return crawlOf(request, seen(request, name));
    });

    app.delete<Named>('/v1/crawls/:name', door, async (request, reply) => {
      const { name } = request.params;
      seen(request, name);
      if (!(await parts().fleet.delete(name, () => checkCaller(request)))) throw missingCrawl(name);
      return reply.code(204).send();
    });

    for (const [verb, wish] of Object.entries(verbs)) {
      app.post<Named>(`/v1/crawls/:name/${verb}`, door, async (request, reply) => {
        const { name } = request.params;
        seen(request, name);
        const { fleet, quotas } = parts();
        const judge = ({ owner, state }: CrawlAnswer) => {
          checkCaller(request);
          const isMore = wish === 'running' && restStates.has(state);
          const refused = isMore ? (quotas?.refusal(owner, fleet.list(owner), null) ?? null) : null;
          if (refused !== null) throw tooMany(reply, refused);
        };
        const crawl = await fleet.wish(name, wish, judge, callerOf(request) === null ? 'operator' : 'owner');
        if (crawl === undefined) throw missingCrawl(name);
        return crawlOf(request, crawl);
      });
    }

    app.get<Named>('/v1/crawls/:name/pages', door, async (request, reply) => {
      const { name } = request.params;
      const { fleet, kept } = parts();
      const { cursor, limit } = readCall(pagesQuery, request.query);
      const crawl = seen(request, name);
      const file = fleet.file(name)!;
      const from = cursorIn(file, cursor);
      const { lines, cursor: next } = await readCrawl(parts(), crawl, async (reads) =>
        readPages(reads, await kept.of(idOf(crawl), reads), from, limit),
      );
      return reply
        .header('x-cursor', cursorText(file, next))
        .type('application/jsonl')
        .send(lines.map((line) => `${line}\n`).join(''));
    });

    for (const output of outputs) {
      app.get<Named>(`/v1/crawls/:name/${output.file}`, door, async (request, reply) => {
        const { fleet, reading, outputs: sender } = parts();
        const crawl = seen(request, request.params.name);
        const { name, owner, data } = crawl;
        const why = output.refusal?.(fleet.file(name)!) ?? null;
        if (why !== null) throw new CrawlstreamError('NO_MATCH', why);
        if (isHead(request)) return reply.type(output.type).send();
        const taken = sender.takenFor(owner);
        if (taken !== null) throw tooMany(reply, { message: `${taken}: wait for one to end`, waitS: 5 });
        // `reading` does not use the log of the running crawl, which may stop meanwhile.
        const send = (reads: ReadLog) =>
          sender.send(
            output,
            bytesWhileThere(fleet, crawl, output.bytes(reads, sender.folder)),
            { crawl: name, response: reply.raw, begin: () => reply.hijack() },
            request.raw,
          );
        await sender.place(owner, () => whileThere(parts(), crawl, () => reading(data, send)));
      });
    }

    app.get<Named>('/v1/crawls/:name/events', door, async (request, reply) => {
      const { name } = request.params;
      if (!(await onceUp(parts, request.raw))) {
        reply.hijack();
        request.raw.destroy();
        return;
      }
      const { fleet, events, streams } = parts();
      const { from = '0-0', content } = readCall(eventsQuery, request.query);
      const { owner, createdAtMs } = seen(request, name);
      const last = request.headers['last-event-id'] ?? from;
      const place = typeof last === 'string' ? positionIn(fleet.file(name)!, last) : undefined;
      if (place === undefined)
        throw invalid(
          `Last-Event-ID ${JSON.stringify(last)} is not an event id of this crawl: send the id of an event that you received`,
        );
      const look = { content, most: 1, charsSoft: 1, createdAtMs };
      if ((await events.read(name, place, look).catch(() => undefined))?.isOver === true) return reply.code(204).send();
      if (isHead(request)) return reply.type('text/event-stream; charset=utf-8').send();
      const taken = streams.takenFor(owner);
      if (taken !== null)
        throw tooMany(reply, { message: `${taken} are already open, which is the limit: close one`, waitS: 0 });
      reply.hijack();
      const caller = callerOf(request);
      const mayListen = () => callers === null || callers.isIn(caller);
      await streams.stream(reply.raw, events, { crawl: name, createdAtMs, owner, content, from: place }, mayListen);
    });
  };
}

/** A HEAD gets only the header fields: a stream has no length and no end. */
const isHead = (request: HttpRequest) => request.method === 'HEAD';

const restStates: ReadonlySet<string> = new Set(['paused', 'failed']);

/** Returns the answer for an owner, which has no path of the fleet's machine. */
function forOwner({ data, failure, ...crawl }: CrawlAnswer): object {
  const folder = data.slice(0, -crawl.name.length - 1);
  return { ...crawl, failure: failure?.replaceAll(folder, '…') ?? null };
}

function ownerOf(caller: Owner, given: string): string {
  if (given === '' || given === caller.name) return caller.name;
  throw invalid(`owner: the key belongs to ${caller.name}; remove this field`);
}
