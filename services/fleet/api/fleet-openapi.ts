/** A fleet's API as an OpenAPI 3.1 document, made of the schemas by which its calls are checked. */
import { z } from 'zod';
import { bodyOf, license, schemasOf, security, securitySchemes } from '../../runtime/http/openapi.ts';
import { crawlAnswer, createCall, listAnswer, ownersAnswer, problem } from '../fleet-schemas.ts';
import type { Output } from '../outputs/output.ts';
import { scrapeAnswer, scrapeCall, scrapeWait } from '../scrape/scrape-schemas.ts';
import { eventsQuery, pagesQuery } from './query-schemas.ts';

const problems = {
  '400': { description: 'A field is wrong: `message` names it, and what to do.', content: bodyOf('problem') },
  '401': { description: 'The token is missing or wrong.', content: bodyOf('problem') },
  '429': {
    description:
      'A quota or a rate is spent: `message` says which. Retry-After says when it is mended, where time does.',
    headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } },
    content: bodyOf('problem'),
  },
  '403': { description: 'Beyond loopback there must be a token.', content: bodyOf('problem') },
  '503': { description: 'The fleet stops: ask again in a moment.', content: bodyOf('problem') },
};
const missing = { '404': { description: 'There is no crawl of that name.', content: bodyOf('problem') } };

const name = { name: 'name', in: 'path', required: true, schema: { type: 'string' } };
const answering = (description: string, answer: string, status = '200') => ({
  [status]: { description, content: bodyOf(answer) },
});

const wishing = (operationId: string, summary: string) => ({
  parameters: [name],
  post: {
    ...{ operationId, summary, tags: ['crawls'] },
    responses: { ...answering('The crawl, once it is so.', 'crawlAnswer'), ...problems, ...missing },
  },
});

function queryOf(query: z.ZodType): object[] {
  const { properties = {} } = z.toJSONSchema(query, { io: 'input', target: 'draft-2020-12' });
  return Object.entries(properties).map(([field, schema]) => ({ name: field, in: 'query', schema }));
}

/** Made when it is first asked for. `outputs`: files that crawls give. */
export function fleetOpenApi(outputs: readonly Output[]): object {
  return (made ??= document(outputs));
}

let made: object | undefined;

const outputPaths = (outputs: readonly Output[]) =>
  Object.fromEntries(
    outputs.map(({ file, type, about }) => [
      `/v1/crawls/{name}/${file}`,
      {
        parameters: [name],
        get: {
          ...{ operationId: file.replace(/\W.*/, 'File'), summary: about, tags: ['crawls'] },
          responses: {
            '200': {
              description: 'The file, as it is made. A connection that breaks before its end tells of a failure.',
              content: { [type]: { schema: { type: 'string', format: 'binary' } } },
            },
            ...problems,
            ...missing,
          },
        },
      },
    ]),
  );

const document = (outputs: readonly Output[]) => ({
  openapi: '3.1.0',
  info: {
    title: 'Crawlstream: a fleet of crawls',
    version: '1',
    license,
    description:
      'Crawls are made, paused, resumed, ended and deleted while others go on. All of them share one clock for each host, and the requests in flight by their weights.',
  },
  security,
  tags: [
    { name: 'crawls', description: 'Crawls of the fleet.' },
    { name: 'owners', description: 'Whose they are.' },
    { name: 'pages', description: 'Single pages.' },
  ],
  paths: {
    '/v1/crawls': {
      post: {
        ...{ operationId: 'create', summary: 'A new crawl, which begins at once.', tags: ['crawls'] },
        requestBody: { required: true, content: bodyOf('createCall') },
        responses: {
          ...answering('The crawl.', 'crawlAnswer', '201'),
          ...answering('The crawl that the same call made before.', 'crawlAnswer'),
          ...problems,
        },
      },
      get: {
        ...{ operationId: 'list', summary: 'All crawls.', tags: ['crawls'] },
        responses: { ...answering('The crawls.', 'listAnswer'), ...problems },
      },
    },
    '/v1/scrape': {
      post: {
        ...{
          operationId: 'scrape',
          summary: 'One page: a copy that is young enough, or fetched now.',
          tags: ['pages'],
        },
        requestBody: { required: true, content: bodyOf('scrapeCall') },
        responses: {
          ...answering('The page.', 'scrapeAnswer'),
          ...answering('It is still being fetched.', 'scrapeWait', '202'),
          '422': { description: 'There is no such page: `message` says why.', content: bodyOf('problem') },
          ...problems,
        },
      },
    },
    '/v1/owners': {
      get: {
        ...{ operationId: 'owners', summary: 'Owners, what they have used and may use.', tags: ['owners'] },
        responses: { ...answering('All, or the one whose key calls.', 'ownersAnswer'), ...problems },
      },
    },
    '/v1/crawls/{name}': {
      parameters: [name],
      get: {
        ...{ operationId: 'get', summary: 'A crawl: its state and counts.', tags: ['crawls'] },
        responses: { ...answering('The crawl.', 'crawlAnswer'), ...problems, ...missing },
      },
      delete: {
        ...{ operationId: 'delete', summary: 'Ends a crawl, and removes all it has.', tags: ['crawls'] },
        responses: { '204': { description: 'It is gone, and its name free.' }, ...problems, ...missing },
      },
    },
    '/v1/crawls/{name}/pages': {
      parameters: [name],
      get: {
        operationId: 'pages',
        summary: 'Pages in the order of their fetching, from a cursor on.',
        tags: ['crawls'],
        parameters: queryOf(pagesQuery),
        responses: {
          '200': {
            description: 'A page a line (docs/page-record.md); none: there are no more for now.',
            headers: { 'X-Cursor': { description: 'Where to go on.', schema: { type: 'string' } } },
            content: { 'application/jsonl': { schema: { type: 'string' } } },
          },
          ...problems,
          ...missing,
        },
      },
    },
    '/v1/crawls/{name}/events': {
      parameters: [name],
      get: {
        operationId: 'events',
        summary: 'Its pages, and what becomes of it, in one order, as they come.',
        tags: ['crawls'],
        parameters: [
          ...queryOf(eventsQuery),
          {
            name: 'Last-Event-ID',
            in: 'header',
            schema: { type: 'string' },
            description: 'The id of the last event that was seen.',
          },
        ],
        responses: {
          '200': {
            description: 'Events (docs/fleet.md), until the crawl has ended and all are told.',
            content: { 'text/event-stream': { schema: { type: 'string' } } },
          },
          '204': { description: 'The crawl has ended, and all its events were seen.' },
          ...problems,
          ...missing,
        },
      },
    },
    ...outputPaths(outputs),
    '/v1/crawls/{name}/pause': wishing('pause', 'Stops a crawl until it is resumed; it takes no memory meanwhile.'),
    '/v1/crawls/{name}/resume': wishing('resume', 'Goes on with a crawl that was paused or has failed.'),
    '/v1/crawls/{name}/end': wishing('end', 'Stops a crawl for good; what it fetched stays.'),
  },
  components: {
    schemas: schemasOf(
      { createCall, scrapeCall },
      { crawlAnswer, listAnswer, ownersAnswer, problem, scrapeAnswer, scrapeWait },
    ),
    securitySchemes,
  },
});
