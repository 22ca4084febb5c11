/** The calls of the lease API, by either protocol: HTTP (lease-routes.ts) or gRPC (lease-methods.ts). */
import type { z } from 'zod';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { ClientUrl } from '../../runtime/leases/outside.ts';
import { type AddTarget, gatherUrls, publishGroups } from './add-urls.ts';
import type {
  addAnswer,
  ClientResult,
  leaseAnswer,
  leaseCall,
  leasedUrl,
  renewAnswer,
  renewCall,
  resultsAnswer,
  statusAnswer,
} from './api-schemas.ts';
import { reportOf, returned } from './client-report.ts';
import type { Lease } from './lease-pool.ts';
import type { Lending } from './lending.ts';
import { lendingLimits } from './lending-limits.ts';
import type { ReadResult, ReadUrls } from './read-items.ts';

/** Each call throws NOT_READY until the crawl is up; retry then. */
export interface LeaseCalls {
  /** Leases URLs. Throws NOT_READY, too, if too many calls wait already. `gone`: aborted when the client hangs up. */
  lease(call: z.output<typeof leaseCall>, gone: AbortSignal): Promise<z.output<typeof leaseAnswer>>;
  /** Reports results. An invalid result does not affect the others. */
  report(results: readonly ReadResult[]): Promise<z.output<typeof resultsAnswer>>;
  renew(call: z.output<typeof renewCall>): z.output<typeof renewAnswer>;
  add(urls: ReadUrls): Promise<z.output<typeof addAnswer>>;
  status(): z.output<typeof statusAnswer>;
}

export function leaseCallsOf(lending: Lending): LeaseCalls {
  const { clock, pool } = lending;

  const up = (): AddTarget => {
    if (lending.target !== undefined) return lending.target;
    throw new CrawlstreamError('NOT_READY', 'this crawl is starting or stopping: retry in a moment');
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

  const settle = (result: ClientResult, links: number) => {
    // Links may be waiting to be decided when the URL itself is done.
    lending.noteNews();
    return pool.settle(result.lease, (lease) => reportOf(result, links, lease, clock.nowMs()));
  };

  return {
    status: () => ({ ...pool.stats(), idle: lending.idle }),

    lease: async ({ count, waitMs, leaseMs }, gone) => {
      up();
      if (pool.asks.calls >= lendingLimits.asksMax)
        throw new CrawlstreamError('BUSY', 'too many calls are waiting: retry in a second');
      const mostMs = lending.idle === true ? Math.min(waitMs, lendingLimits.idleWaitMs) : waitMs;
      const leases = await pool.lease(count, leaseMs, clock.nowMs() + mostMs, gone);
      // The client never saw these leases.
      if (gone.aborted) for (const { token } of leases) pool.settle(token, () => returned('its client hung up'));
      return {
        leases: leases.map((lease) => leasedOf(lease, clock.nowMs())),
        idle: leases.length > 0 ? false : lending.idle,
      };
    },

    report: async (results) => {
      const target = up();
      const nowMs = clock.nowMs();
      const gathered = results.map((read) => {
        const { url } = pool.leased(read.lease) ?? {};
        const urls = 'why' in read ? noUrls : read.urls;
        return gatherUrls(urls, url === undefined ? null : { url: url.url, depth: url.depth }, nowMs);
      });
      // Links first: a result means that they are durable.
      await publish(target, gathered);
      return {
        results: results.map((read, at) => {
          const { accepted, refused } = gathered[at]!;
          const { lease } = read;
          if ('why' in read) return { lease, state: 'invalid', refused: [], why: read.why } as const;
          return { lease, state: settle(read.result, accepted), refused: [...refused] };
        }),
      };
    },

    renew: ({ leases, leaseMs }) => {
      const nowMs = clock.nowMs();
      return {
        leases: leases.map((lease) => {
          const renewed = pool.renew(lease, leaseMs);
          return { lease, leaseMs: renewed === undefined ? 0 : Math.max(0, renewed.deadlineMs - nowMs) };
        }),
      };
    },

    add: async (urls) => {
      const target = up();
      const gathered = gatherUrls(urls, null, clock.nowMs());
      await publish(target, [gathered]);
      return { accepted: gathered.accepted, refused: [...gathered.refused] };
    },
  };
}

const noUrls: ReadUrls = { urls: [], refused: [] };

function leasedOf({ token, url: clientUrl, deadlineMs }: Lease<ClientUrl>, nowMs: number): z.output<typeof leasedUrl> {
  const { url, hostKey: host, depth, hop, attempt, etag, lastModified, payload, userAgent, delayMs } = clientUrl;
  const leaseMs = Math.max(0, deadlineMs - nowMs);
  const renewableMs = Math.max(0, clientUrl.deadlineMs - nowMs);
  return {
    lease: token,
    ...{ url, host, depth, hop, attempt, etag, lastModified, payload, userAgent, delayMs, leaseMs, renewableMs },
  };
}
