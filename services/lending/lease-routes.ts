/**
 * The lease API: clients of any language lease URLs whose hosts may be contacted now, fetch them, and tell what became
 * of them. `GET /v1/openapi.json` describes it. Each call needs what a control call needs (runtime/http/access.ts).
 */
import { CrawlstreamError } from '../../topology/errors.ts';
import type { HttpApp, Routes } from '../runtime/http/http-server.ts';
import { readCall } from '../runtime/http/read-call.ts';
import type { Errand } from '../runtime/leases/outside.ts';
import { type AddTarget, gatherUrls, publishGroups } from './add-urls.ts';
import { addCall, leaseCall, renewCall, resultsCall, type ToldResult } from './api-schemas.ts';
import type { Lease } from './desk.ts';
import type { Lending } from './lending.ts';
import { lendingLimits } from './lending-limits.ts';
import { openApi } from './openapi.ts';
import { returned, toldOf } from './told.ts';

export function leaseRoutes(lending: Lending): Routes {
  const { clock, desk } = lending;
  const bodyLimit = lendingLimits.bodyBytesMax;

  const up = (): AddTarget => {
    if (lending.target !== undefined) return lending.target;
    throw new CrawlstreamError('OWNERSHIP_LOST', 'this crawl is not up yet, or stops: ask again in a moment');
  };

  const publish = async (target: AddTarget, gathered: readonly ReturnType<typeof gatherUrls>[]) => {
    lending.noteNews();
    try {
      await publishGroups(
        target,
        gathered.flatMap(({ groups }) => groups),
      );
    } finally {
      lending.noteNews();
    }
  };

  const settle = (result: ToldResult, links: number) => {
    // Links may be waiting to be decided when the URL itself is done.
    lending.noteNews();
    return desk.settle(result.lease, (lease) => toldOf(result, links, lease, clock.nowMs()));
  };

  return (app: HttpApp) => {
    app.get('/v1/openapi.json', { config: { access: 'public' } }, () => openApi());

    app.get('/v1/leases', () => ({ ...desk.stats(), idle: lending.idle }));

    app.post('/v1/leases', async (request, reply) => {
      const { count, waitMs, leaseMs } = readCall(leaseCall, request.body ?? {});
      up();
      if (desk.asks.calls >= lendingLimits.asksMax) {
        reply.header('retry-after', '1');
        throw new CrawlstreamError('OWNERSHIP_LOST', 'too many calls wait already: ask again in a second');
      }
      const gone = new AbortController();
      const hangUp = () => gone.abort();
      reply.raw.once('close', hangUp);
      const mostMs = lending.idle === true ? Math.min(waitMs, lendingLimits.idleWaitMs) : waitMs;
      const leases = await desk.lease(count, leaseMs, clock.nowMs() + mostMs, gone.signal);
      // Nobody has seen them.
      if (gone.signal.aborted) for (const { token } of leases) desk.settle(token, () => returned('its client hung up'));
      return {
        leases: leases.map((lease) => leaseOf(lease, clock.nowMs())),
        idle: leases.length > 0 ? false : lending.idle,
      };
    });

    app.post('/v1/results', { bodyLimit }, async (request) => {
      const { results } = readCall(resultsCall, request.body);
      const target = up();
      const nowMs = clock.nowMs();
      const gathered = results.map(({ lease, urls }) => {
        const { url } = desk.leased(lease) ?? {};
        return gatherUrls(urls, url === undefined ? null : { url: url.url, depth: url.depth }, nowMs);
      });
      // Links first: a result means that they are durable.
      await publish(target, gathered);
      return {
        results: results.map((result, at) => {
          const { accepted, refused } = gathered[at]!;
          return { lease: result.lease, state: settle(result, accepted), refused };
        }),
      };
    });

    app.post('/v1/renewals', async (request) => {
      const { leases, leaseMs } = readCall(renewCall, request.body);
      const nowMs = clock.nowMs();
      return {
        leases: leases.map((lease) => {
          const renewed = desk.renew(lease, leaseMs);
          return { lease, leaseMs: renewed === undefined ? 0 : Math.max(0, renewed.deadlineMs - nowMs) };
        }),
      };
    });

    app.post('/v1/urls', { bodyLimit }, async (request, reply) => {
      const { urls } = readCall(addCall, request.body);
      const target = up();
      const gathered = gatherUrls(urls, null, clock.nowMs());
      await publish(target, [gathered]);
      return reply.code(202).send({ accepted: gathered.accepted, refused: gathered.refused });
    });
  };
}

function leaseOf({ token, url: errand, deadlineMs }: Lease<Errand>, nowMs: number): object {
  const { url, hostKey: host, depth, hop, attempt, etag, lastModified, payload, userAgent, delayMs } = errand;
  const leaseMs = Math.max(0, deadlineMs - nowMs);
  const renewableMs = Math.max(0, errand.deadlineMs - nowMs);
  return {
    lease: token,
    ...{ url, host, depth, hop, attempt, etag, lastModified, payload, userAgent, delayMs, leaseMs, renewableMs },
  };
}
