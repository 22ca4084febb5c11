/**
 * The lease API by gRPC (schemas/leases.proto): the calls of lease-routes.ts, checked by the same schemas, and answered
 * by the same `LeaseCalls`.
 */
import type { z } from 'zod';
import { leasesProto } from '../../../schemas/leases.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { type Proto, plainCodecsOf } from '../../runtime/grpc/codec.ts';
import {
  type Caller,
  CallFailed,
  type GrpcListen,
  type GrpcServer,
  type Method,
  serveGrpc,
} from '../../runtime/grpc/grpc-server.ts';
import { readCall } from '../../runtime/http/read-call.ts';
import { leaseCall, renewCall } from './api-schemas.ts';
import { leaseCallsOf } from './lease-calls.ts';
import type { Lending } from './lending.ts';
import { readAdd, readResults } from './read-items.ts';

const packageName = 'crawlstream.v1';

export function serveLeases(
  lending: Lending,
  listen: GrpcListen,
  onBug: (error: unknown) => void,
): Promise<GrpcServer> {
  const codecOf = plainCodecsOf(leasesProto as Proto, packageName);
  return serveGrpc(`${packageName}.Leases`, leaseMethods(lending), codecOf, listen, onBug);
}

function leaseMethods(lending: Lending): Readonly<Record<string, Method>> {
  const calls = leaseCallsOf(lending);
  return {
    Lease: method('Lease', by(leaseCall), async (call, { gone }) => unknownIdle(await calls.lease(call, gone))),
    Tell: method('Tell', readResults, async (call) => {
      const { results } = await calls.report(call);
      return { results: results.map(({ state, ...rest }) => ({ ...rest, state: state.toUpperCase() })) };
    }),
    Renew: method('Renew', by(renewCall), async (call) => calls.renew(call)),
    Add: method('Add', readAdd, (call) => calls.add(call)),
    Status: {
      ...{ kind: 'unary', request: 'StatusRequest', answer: 'StatusAnswer' },
      act: async () => unknownIdle(calls.status()),
    },
  };
}

type Read<T> = (request: unknown, fields: string) => T;

function by<T extends z.ZodType>(schema: T): Read<z.output<T>> {
  return (request, fields) => readCall(schema, request, fields);
}

function method<T>(name: string, read: Read<T>, act: (call: T, caller: Caller) => Promise<object>): Method {
  return {
    kind: 'unary',
    request: `${name}Request`,
    answer: `${name}Answer`,
    act: async (request: Record<string, unknown>, caller) => {
      try {
        return await act(read(asCalled(request), 'see schemas/leases.proto for all fields'), caller);
      } catch (error) {
        if (!(error instanceof CrawlstreamError) || error.code !== 'INVALID_ARGUMENT') throw error;
        throw new CallFailed('INVALID_ARGUMENT', error.message);
      }
    },
  };
}

/** Converts a gRPC request to the form of the schemas: failures have their names from JSON. */
function asCalled(request: Record<string, unknown>): object {
  const { results, ...rest } = request as { results?: readonly { failure?: string | number }[] };
  if (results === undefined) return rest;
  return {
    ...rest,
    results: results.map(({ failure = 'NONE', ...result }) => ({
      ...result,
      // An unknown number stays a number, which every schema rejects.
      ...(failure !== 'NONE' && { failure: typeof failure === 'string' ? camel(failure) : failure }),
    })),
  };
}

function camel(name: string): string {
  return name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Unknown fields are left out. */
function unknownIdle<T extends { readonly idle: boolean | null }>({ idle, ...answer }: T): object {
  return idle === null ? answer : { ...answer, idle };
}
