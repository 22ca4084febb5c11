/** `/v1/crawls/{name}/pages`, and a crawl as files: its pages for programs. */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { cursorIn, cursorText } from '../events/incarnation.ts';
import type { Output } from '../outputs/output.ts';
import { bytesWhileThere, idOf, readCrawl, whileThere } from '../read-crawl.ts';
import type { ReadLog } from '../running-crawl.ts';
import type { FleetAccess } from './fleet-access.ts';
import { type FleetRoute, nameIn, type RoutesOf, route } from './fleet-route.ts';
import { isHead } from './is-head.ts';
import { pagesQuery } from './query-schemas.ts';
import { readPages } from './read-pages.ts';
import { tooMany } from './too-many.ts';

export const pageRoutes: RoutesOf = (access) => [
  route({
    method: 'get',
    path: '/v1/crawls/{name}/pages',
    operationId: 'pages',
    summary: 'Pages in the order they were fetched, starting at a cursor.',
    tag: 'crawls',
    query: pagesQuery,
    answers: {
      '200': {
        response: {
          description: 'One page per line (docs/page-record.md); empty: no more pages yet.',
          headers: { 'X-Cursor': { description: 'Cursor of the next page.', schema: { type: 'string' } } },
          content: { 'application/jsonl': { schema: { type: 'string' } } },
        },
      },
    },
    async handle(request, reply, { query }) {
      const name = nameIn(request);
      const { fleet, kept } = access.parts();
      const { cursor, limit } = query;
      const crawl = access.seen(request, name);
      const file = fleet.file(name)!;
      const from = cursorIn(file, cursor);
      const { lines, cursor: next } = await readCrawl(access.parts(), crawl, async (reads) =>
        readPages(reads, await kept.of(idOf(crawl), reads), from, limit),
      );
      return reply
        .header('x-cursor', cursorText(file, next))
        .type('application/jsonl')
        .send(lines.map((line) => `${line}\n`).join(''));
    },
  }),
];

export function outputRoutes(outputs: readonly Output[]): RoutesOf {
  return (access) => outputs.map((output) => outputRoute(access, output));
}

function outputRoute(access: FleetAccess, output: Output): FleetRoute {
  const { file, type, about } = output;
  return {
    method: 'get',
    path: `/v1/crawls/{name}/${file}`,
    operationId: file.replace(/\W.*/, 'File'),
    summary: about,
    tag: 'crawls',
    answers: {
      '200': {
        response: {
          description: 'The file, streamed. If the connection breaks before its end, it failed.',
          content: { [type]: { schema: { type: 'string', format: 'binary' } } },
        },
      },
    },
    async handle(request, reply) {
      const { fleet, reading, outputs: sender } = access.parts();
      const crawl = access.seen(request, nameIn(request));
      const { name, owner, data } = crawl;
      const why = output.refusal?.(fleet.file(name)!) ?? null;
      if (why !== null) throw new CrawlstreamError('NO_MATCH', why);
      if (isHead(request)) return reply.type(type).send();
      const taken = sender.takenFor(owner);
      if (taken !== null) throw tooMany(reply, { message: `${taken}: wait for one to end`, waitS: 5 });
      // `reading` does not use the log of the running crawl, which may stop meanwhile.
      const send = (reads: ReadLog) =>
        sender.send(
          output,
          bytesWhileThere(fleet, crawl, output.bytes(reads, sender.folder)),
          {
            crawl: name,
            response: reply.raw,
            begin: () => reply.hijack(),
            sent: access.streamed(request),
          },
          request.raw,
        );
      await sender.place(owner, () => whileThere(access.parts(), crawl, () => reading(data, send)));
      return undefined;
    },
  };
}
