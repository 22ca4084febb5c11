/**
 * The lease API by HTTP: clients of any language lease URLs of hosts that may be contacted now, fetch them, and report
 * the outcomes. `GET /v1/openapi.json` describes it. Each call needs the same rights as a control call
 * (runtime/http/access.ts).
 */
import type { HttpApp, Routes } from '../../runtime/http/http-server.ts';
import { readCall } from '../../runtime/http/read-call.ts';
import { leaseCall, renewCall } from './api-schemas.ts';
import { leaseCallsOf } from './lease-calls.ts';
import type { Lending } from './lending.ts';
import { lendingLimits } from './lending-limits.ts';
import { openApi } from './openapi.ts';
import { readAdd, readResults } from './read-items.ts';

export function leaseRoutes(lending: Lending): Routes {
  const calls = leaseCallsOf(lending);
  const bodyLimit = lendingLimits.bodyBytesMax;

  return (app: HttpApp) => {
    app.get('/v1/openapi.json', { config: { access: 'public' } }, () => openApi());

    app.get('/v1/leases', () => calls.status());

    app.post('/v1/leases', { config: { often: true } }, async (request, reply) => {
      const call = readCall(leaseCall, request.body ?? {});
      if (lending.pool.asks.calls >= lendingLimits.asksMax) reply.header('retry-after', '1');
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      return calls.lease(call, gone.signal);
    });

    app.post('/v1/results', { bodyLimit, config: { often: true } }, (request) =>
      calls.report(readResults(request.body)),
    );

    app.post('/v1/renewals', { config: { often: true } }, async (request) =>
      calls.renew(readCall(renewCall, request.body)),
    );

    app.post('/v1/urls', { bodyLimit, config: { often: true } }, async (request, reply) =>
      reply.code(202).send(await calls.add(readAdd(request.body))),
    );
  };
}
