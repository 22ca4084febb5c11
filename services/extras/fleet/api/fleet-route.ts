/**
 * A route of a fleet's API, declared once: path, rights, checks of its query, and the OpenAPI document are derived from
 * it.
 */
import type { z } from 'zod';
import type { HttpReply, HttpRequest } from '../../../runtime/http/http-server.ts';
import { bodyOf } from '../../../runtime/http/openapi.ts';
import { readCall } from '../../../runtime/http/read-call.ts';
import type { FleetAccess } from './fleet-access.ts';

export interface FleetRoute {
  readonly method: 'get' | 'post' | 'delete';
  /** As in OpenAPI: `/v1/crawls/{name}`. If it names a crawl, the caller must be allowed to see that crawl. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: 'crawls' | 'owners' | 'pages';
  /** `name`: of the schema, in the document. */
  readonly body?: { readonly name: string; readonly schema: z.ZodType };
  /** Most bytes of the body. Absent: as for any call. */
  readonly bodyLimit?: number;
  readonly query?: z.ZodType;
  /** Header fields that it reads, as parameters of OpenAPI. */
  readonly headers?: readonly object[];
  /** By status, beside the problems that every call may have. */
  readonly answers: Readonly<Record<string, RouteAnswer>>;
  /** Throws if a call is refused before its body is read. Absent: every body is read. */
  beforeBody?(request: HttpRequest, reply: HttpReply): void;
  handle(request: HttpRequest, reply: HttpReply): unknown;
}

export interface RouteAnswer {
  /** As in OpenAPI. */
  readonly response: object;
  /** Schemas that the response refers to, by name. */
  readonly schemas?: Readonly<Record<string, z.ZodType>>;
}

/** A route with its checked query and body. */
type Declared<Query, Body> = Omit<FleetRoute, 'query' | 'body' | 'handle'> & {
  readonly query?: z.ZodType<Query>;
  readonly body?: { readonly name: string; readonly schema: z.ZodType<Body> };
  handle(request: HttpRequest, reply: HttpReply, call: { readonly query: Query; readonly body: Body }): unknown;
};

/** Checks query and body before `handle`: a call that does not fit its schemas is refused. */
export function route<Query, Body>({ handle, query, body, ...rest }: Declared<Query, Body>): FleetRoute {
  return {
    ...rest,
    ...(query !== undefined && { query }),
    ...(body !== undefined && { body }),
    handle(request, reply) {
      return handle(request, reply, {
        query: query === undefined ? (undefined as Query) : readCall(query, request.query),
        body: body === undefined ? (undefined as Body) : readCall(body.schema, request.body),
      });
    },
  };
}

export type RoutesOf = (access: FleetAccess) => readonly FleetRoute[];

/** An answer in JSON. `schemas`: its schema, by name. */
export function json(description: string, schemas: Readonly<Record<string, z.ZodType>>): RouteAnswer {
  return { response: { description, content: bodyOf(Object.keys(schemas)[0]!) }, schemas };
}

/** The crawl that a request's path names. */
export function nameIn({ params }: HttpRequest): string {
  return (params as { readonly name: string }).name;
}
