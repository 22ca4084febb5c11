/** A fleet's API as an OpenAPI 3.1 document, derived from its routes and the schemas that check its calls. */
import { z } from 'zod';
import { extrasSchema } from '../../../../topology/policy/extra-fields.ts';
import { policySchema } from '../../../../topology/policy/validate.ts';
import { installedFields } from '../../../application/extra-fields.ts';
import { bodyOf, license, schemasOf, security, securitySchemes } from '../../../runtime/http/openapi.ts';
import { problem } from '../fleet-schemas.ts';
import type { FleetRoute } from './fleet-route.ts';

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

export function fleetOpenApi(routes: readonly FleetRoute[]): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const isNamed = route.path.includes('{name}');
    const path = (paths[route.path] ??= isNamed ? { parameters: [name] } : {});
    path[route.method] = operationOf(route, isNamed);
  }
  const calls = Object.assign(
    {},
    ...routes.map(({ body }) => (body === undefined ? {} : { [body.name]: body.schema })),
  );
  const answers = Object.assign(
    { problem },
    ...routes.flatMap((route) => Object.values(route.answers).map(({ schemas }) => schemas ?? {})),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Crawlstream: a fleet of crawls',
      version: '1',
      license,
      description:
        'Crawls are created, paused, resumed, ended and deleted while others continue. All crawls share one clock per host. Owners share the requests in flight equally, and the crawls of an owner by weight.',
    },
    security,
    tags: [
      { name: 'crawls', description: 'Crawls of the fleet.' },
      { name: 'owners', description: 'Owners of crawls.' },
      { name: 'pages', description: 'Single pages.' },
    ],
    paths,
    components: { schemas: { ...schemasOf(calls, answers), Policy: policyDocument() }, securitySchemes },
  };
}

/** A call has only the fields that it changes, in these parts too. */
const partial = ['normalize', 'filters', 'scope'];

/** The fields of a policy, from the schema that checks them. */
function policyDocument(): object {
  const target = { io: 'input', target: 'draft-2020-12', unrepresentable: 'any' } as const;
  const { properties = {} } = z.toJSONSchema(policySchema, target);
  const { $schema: _, ...extras } = z.toJSONSchema(extrasSchema(installedFields), target);
  properties['extras'] = extras;
  for (const name of partial) delete (properties[name] as { required?: readonly string[] }).required;
  return { type: 'object', properties, additionalProperties: false };
}

function operationOf(
  { operationId, summary, tag, body, query, headers, answers }: FleetRoute,
  isNamed: boolean,
): object {
  const parameters = [...(query === undefined ? [] : queryOf(query)), ...(headers ?? [])];
  const given = Object.entries(answers).map(([status, { response }]) => [status, response]);
  return {
    operationId,
    summary,
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: bodyOf(body.name) } }),
    responses: { ...Object.fromEntries(given), ...problems, ...(isNamed && missing) },
  };
}

function queryOf(query: z.ZodType): object[] {
  const { properties = {} } = z.toJSONSchema(query, { io: 'input', target: 'draft-2020-12' });
  return Object.entries(properties).map(([field, schema]) => ({ name: field, in: 'query', schema }));
}
