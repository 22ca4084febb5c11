/** A fleet in the process of its test, with its API over a real socket. It tells when a call reaches its handler. */
import { join } from 'node:path';
import { Command } from 'commander';
import type { FleetParts } from '../../../../../services/extras/fleet/api/fleet-parts.ts';
import { CrawlDashboards } from '../../../../../services/extras/fleet/command/crawl-dashboards.ts';
import { addFleetOptions, type FleetFlags } from '../../../../../services/extras/fleet/command/fleet-flags.ts';
import { fleetHttp } from '../../../../../services/extras/fleet/command/fleet-http.ts';
import { runFleet } from '../../../../../services/extras/fleet/command/run-fleet.ts';
import { ownersOf, ownersSchema } from '../../../../../services/extras/fleet/owners/owner-file.ts';
import type { HttpApp } from '../../../../../services/runtime/http/http-server.ts';

export interface DeclaredRoute {
  readonly method: string;
  /** As it is declared: `/v1/crawls/:name`. */
  readonly path: string;
}

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly headers: Headers;
}

/** A call under way. */
export interface Call {
  /** Resolves once the call has reached its handler, or was refused before that. */
  readonly entered: Promise<unknown>;
  readonly answer: Promise<Answer>;
  /** Ends a stream: what was read by then is its answer. */
  end(): void;
}

export interface FleetHere {
  readonly parts: FleetParts;
  /** Those that know of crawls; files of pages do not. */
  readonly routes: readonly DeclaredRoute[];
  call(owner: string, method: string, path: string, body?: object): Call;
  stop(): Promise<void>;
}

export const operator = 'operator';
const keyOf = (owner: string) => `key-of-${owner}-0123456789abcdef`;

export async function fleetHere(
  folder: string,
  flags: readonly string[],
  owners: readonly { readonly name: string; readonly [quota: string]: unknown }[],
): Promise<FleetHere> {
  process.env['CRAWLSTREAM_HTTP_TOKEN'] = keyOf(operator);
  for (const { name } of owners) process.env[`KEY_${name}`] = keyOf(name);
  const file = ownersSchema.parse(owners.map((owner) => ({ ...owner, key: { env: `KEY_${owner.name}` } })));
  const dashboards = new CrawlDashboards();
  const routes: DeclaredRoute[] = [];
  const waiting = new Map<string, () => void>();
  let app: HttpApp | undefined;
  const watched = (one: HttpApp) => {
    app = one;
    one.addHook('onRoute', ({ method, path, config }) => {
      if ((config as { readonly access?: string } | undefined)?.access === 'public') return;
      for (const each of [method].flat()) if (each !== 'HEAD') routes.push({ method: each, path });
    });
    one.addHook('preHandler', (request, _, done) => {
      waiting.get(request.id)?.();
      done();
    });
  };
  let stop = () => {};
  const stopping = new Promise<void>((resolve) => (stop = resolve));
  let isUp: (parts: FleetParts) => void = () => {};
  const up = new Promise<FleetParts>((resolve) => (isUp = resolve));
  const over = runFleet(flagsOf([...flags, '--data', join(folder, 'fleet'), '--http', '127.0.0.1:0']), {
    dashboards,
    role: 'fleet',
    routes: (parts, callers) => [watched, ...fleetHttp(dashboards)(parts, callers)],
    owners: () => ownersOf(file),
    async serve(parts) {
      isUp(parts());
      await stopping;
    },
  });
  const parts = await Promise.race([up, over.then(() => Promise.reject(new Error('the fleet has ended')))]);
  const { port } = app!.server.address() as { readonly port: number };
  let calls = 0;
  return {
    parts,
    routes,
    call(owner, method, path, body) {
      const id = `call-${calls++}`;
      const ending = new AbortController();
      const entered = new Promise<void>((resolve) => waiting.set(id, resolve));
      const headers = {
        authorization: `Bearer ${keyOf(owner)}`,
        'x-request-id': id,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const answer = answered(
        fetch(`http://127.0.0.1:${port}${path}`, {
          ...{ method, headers, signal: ending.signal },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      ).finally(() => waiting.delete(id));
      answer.catch(() => {});
      return { entered: Promise.race([entered, answer]), answer, end: () => ending.abort() };
    },
    async stop() {
      stop();
      await over;
      // The command's own exit code is not the test's.
      process.exitCode = 0;
    },
  };
}

function flagsOf(args: readonly string[]): FleetFlags {
  const command = addFleetOptions(new Command('fleet')).exitOverride();
  command.parse([...args], { from: 'user' });
  return command.opts<FleetFlags>();
}

/** What was read before the end of a stream, or of its connection, is the answer. */
async function answered(fetched: Promise<Response>): Promise<Answer> {
  const response = await fetched;
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk);
  } catch {
    // A connection that breaks is how a file says that it is not whole.
  }
  return { status: response.status, body: Buffer.concat(chunks), headers: response.headers };
}
