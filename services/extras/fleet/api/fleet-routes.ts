/**
 * A fleet's API. `GET /v1/openapi.json` describes it. Calls that change something need the rights of a control call
 * (runtime/http/access.ts). If owners have keys, every call needs a key, and an owner reaches only its own crawls.
 */
import type { HttpApp, Routes } from '../../../runtime/http/http-server.ts';
import type { Callers } from '../owners/callers.ts';
import { crawlRoutes } from './crawl-routes.ts';
import { callsOf, createDoor } from './door.ts';
import { eventRoutes } from './event-routes.ts';
import { FleetAccess } from './fleet-access.ts';
import { fleetOpenApi } from './fleet-openapi.ts';
import type { FleetParts } from './fleet-parts.ts';
import type { RoutesOf } from './fleet-route.ts';
import { ownerRoutes } from './owner-routes.ts';
import { pageRoutes } from './page-routes.ts';

/**
 * `parts` throws NOT_READY until the fleet is up. `callers` null: owners have no keys, and every caller is the operator.
 * `more`: further routes.
 */
export function fleetRoutes(
  parts: () => FleetParts,
  callers: Callers | null = null,
  more: readonly RoutesOf[] = [],
): Routes {
  const calls = () => callsOf(parts);
  const { door, stranger, callerOf } = createDoor(callers, calls);
  const access = new FleetAccess(parts, callers, callerOf);
  const routes = [crawlRoutes, ownerRoutes, pageRoutes, eventRoutes, ...more].flatMap((of) => of(access));
  let document: string | undefined;
  return (app: HttpApp) => {
    const described = { ...stranger, config: { access: 'public' as const } };
    app.get('/v1/openapi.json', described, (_, reply) =>
      reply.type('application/json; charset=utf-8').send((document ??= JSON.stringify(fleetOpenApi(routes)))),
    );
    app.addHook('onRequest', async (request, reply) => {
      if (request.is404) await stranger.onRequest?.(request, reply);
    });
    for (const { method, path, bodyLimit, beforeBody, handle } of routes)
      app.route({
        ...door,
        ...(beforeBody !== undefined && {
          preParsing: async (request, reply, payload) => {
            beforeBody(request, reply);
            return payload;
          },
        }),
        method: method.toUpperCase(),
        url: path.replace('{name}', ':name'),
        ...(bodyLimit !== undefined && { bodyLimit }),
        handler: (request, reply) => {
          const shares = calls();
          const act = () => handle(request, reply);
          return shares === undefined ? act() : shares.run(callerOf(request)?.name ?? null, act);
        },
      });
  };
}
