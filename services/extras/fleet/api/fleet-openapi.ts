/** A fleet's API as an OpenAPI 3.1 document, generated from the schemas that check its calls. */
import { z } from 'zod';
import { bodyOf, license, schemasOf, security, securitySchemes } from '../../../runtime/http/openapi.ts';
import { crawlAnswer, createCall, listAnswer, ownersAnswer, problem } from '../fleet-schemas.ts';
import type { Output } from '../outputs/output.ts';
import { scrapeAnswer, scrapeCall, scrapeWait } from '../scrape/scrape-schemas.ts';
import { eventsQuery, pagesQuery } from './query-schemas.ts';

const problems = {
  '400': { description: 'A field is invalid: `message` names it and the remedy.', content: bodyOf('problem') },
  '401': { description: 'The token is missing or wrong.', content: bodyOf('problem') },
  '429': {
    description:
      'A quota or rate limit is used up: `message` names it. Retry-After says when to retry, if waiting helps.',
    headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } },
    content: bodyOf('problem'),
  },
  '403': { description: 'Calls from other machines need a token.', content: bodyOf('problem') },
  '503': { description: 'The fleet is stopping: retry in a moment.', content: bodyOf('problem') },
};
const missing = { '404': { description: 'No crawl has that name.', content: bodyOf('problem') } };

const name = { name: 'name', in: 'path', required: true, schema: { type: 'string' } };
const answering = (description: string, answer: string, status = '200') => ({
  [status]: { description, content: bodyOf(answer) },
});

const wishing = (operationId: string, summary: string) => ({
  parameters: [name],
  post: {
    ...{ operationId, summary, tags: ['crawls'] },
    responses: { ...answering('The crawl, in its new state.', 'crawlAnswer'), ...problems, ...missing },
  },
});

function queryOf(query: z.ZodType): object[] {
  const { properties = {} } = z.toJSONSchema(query, { io: 'input', target: 'draft-2020-12' });
  return Object.entries(properties).map(([field, schema]) => ({ name: field, in: 'query', schema }));
}

/** Returns the document, which the first call makes. `outputs`: the files that the API serves of a crawl. */
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
              description: 'The file, streamed. If the connection breaks before its end, it failed.',
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
      'Crawls are created, paused, resumed, ended and deleted while others continue. All crawls share one clock per host. They share the requests in flight by weight.',
  },
  security,
  tags: [
    { name: 'crawls', description: 'Crawls of the fleet.' },
    { name: 'owners', description: 'Owners of crawls.' },
    { name: 'pages', description: 'Single pages.' },
  ],
  paths: {
    '/v1/crawls': {
      post: {
        ...{ operationId: 'create', summary: 'Create a crawl, which starts at once.', tags: ['crawls'] },
        requestBody: { required: true, content: bodyOf('createCall') },
        responses: {
          ...answering('The crawl.', 'crawlAnswer', '201'),
          ...answering('The crawl that the same call created before.', 'crawlAnswer'),
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
          summary: 'One page: a recent copy, or fetched now.',
          tags: ['pages'],
        },
        requestBody: { required: true, content: bodyOf('scrapeCall') },
        responses: {
          ...answering('The page.', 'scrapeAnswer'),
          ...answering('It is still being fetched.', 'scrapeWait', '202'),
          '422': { description: 'There is no page: `message` says why.', content: bodyOf('problem') },
          ...problems,
        },
      },
    },
    '/v1/owners': {
      get: {
        ...{ operationId: 'owners', summary: 'Owners with their usage and quotas.', tags: ['owners'] },
        responses: { ...answering('All owners, or only the caller.', 'ownersAnswer'), ...problems },
      },
    },
    '/v1/crawls/{name}': {
      parameters: [name],
      get: {
        ...{ operationId: 'get', summary: 'A crawl: its state and counts.', tags: ['crawls'] },
        responses: { ...answering('The crawl.', 'crawlAnswer'), ...problems, ...missing },
      },
      delete: {
        ...{ operationId: 'delete', summary: 'Ends a crawl and deletes its data.', tags: ['crawls'] },
        responses: {
          '204': { description: 'The crawl is deleted; its name can be used again.' },
          ...problems,
          ...missing,
        },
      },
    },
    '/v1/crawls/{name}/pages': {
      parameters: [name],
      get: {
        operationId: 'pages',
        summary: 'Pages in the order they were fetched, starting at a cursor.',
        tags: ['crawls'],
        parameters: queryOf(pagesQuery),
        responses: {
          '200': {
            description: 'One page per line (docs/page-record.md); empty: no more pages yet.',
            headers: { 'X-Cursor': { description: 'Cursor of the next page.', schema: { type: 'string' } } },
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
        summary: 'Its pages and state changes as events, in order.',
        tags: ['crawls'],
        parameters: [
          ...queryOf(eventsQuery),
          {
            name: 'Last-Event-ID',
            in: 'header',
            schema: { type: 'string' },
            description: 'The id of the last event received.',
          },
        ],
        responses: {
          '200': {
            description: 'Events (docs/fleet.md), until the crawl has ended and all events are sent.',
            content: { 'text/event-stream': { schema: { type: 'string' } } },
          },
          '204': { description: 'The crawl has ended, and all its events were received.' },
          ...problems,
          ...missing,
        },
      },
    },
    ...outputPaths(outputs),
    '/v1/crawls/{name}/pause': wishing('pause', 'Pauses a crawl until it is resumed; a paused crawl uses no memory.'),
    '/v1/crawls/{name}/resume': wishing('resume', 'Resumes a paused or failed crawl.'),
    '/v1/crawls/{name}/end': wishing('end', 'Ends a crawl; its pages stay.'),
  },
  components: {
    schemas: schemasOf(
      { createCall, scrapeCall },
      { crawlAnswer, listAnswer, ownersAnswer, problem, scrapeAnswer, scrapeWait },
    ),
    securitySchemes,
  },
});
