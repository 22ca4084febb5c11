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
  return new LendingCalls(lending);
}

/** Its public acts are fields, since callers hand out single ones. */
class LendingCalls implements LeaseCalls {
  readonly #lending: Lending;
  readonly #clock: Lending['clock'];
  readonly #pool: Lending['pool'];

  constructor(lending: Lending) {
    this.#lending = lending;
    const { clock, pool } = lending;
    this.#clock = clock;
    this.#pool = pool;
  }

  #up(): AddTarget {
    if (this.#lending.target !== undefined) return this.#lending.target;
    throw new CrawlstreamError('NOT_READY', 'this crawl is starting or stopping: retry in a moment');
  }

  async #publish(target: AddTarget, gathered: readonly ReturnType<typeof gatherUrls>[]) {
    this.#lending.noteNews();
    try {
      await publishGroups(
        target,
        gathered.flatMap(({ groups }) => groups),
      );
    } finally {
      this.#lending.noteNews();
    }
  }

  #settle(result: ClientResult, links: number) {
    // Links may be waiting to be decided when the URL itself is done.
    this.#lending.noteNews();
    return this.#pool.settle(result.lease, (lease) => reportOf(result, links, lease, this.#clock.nowMs()));
  }

  readonly status: LeaseCalls['status'] = () => ({ ...this.#pool.stats(), idle: this.#lending.idle });

  readonly lease: LeaseCalls['lease'] = async ({ count, waitMs, leaseMs }, gone) => {
    this.#up();
    if (this.#pool.asks.calls >= lendingLimits.asksMax)
      throw new CrawlstreamError('BUSY', 'too many calls are waiting: retry in a second');
    const mostMs = this.#lending.idle === true ? Math.min(waitMs, lendingLimits.idleWaitMs) : waitMs;
    const leases = await this.#pool.lease(count, leaseMs, this.#clock.nowMs() + mostMs, gone);
    // The client never saw these leases.
    if (gone.aborted) for (const { token } of leases) this.#pool.settle(token, () => returned('its client hung up'));
    return {
      leases: leases.map((lease) => leasedOf(lease, this.#clock.nowMs())),
      idle: leases.length > 0 ? false : this.#lending.idle,
    };
  };

  readonly report: LeaseCalls['report'] = async (results) => {
    const target = this.#up();
    const nowMs = this.#clock.nowMs();
    const gathered = results.map((read) => {
      const { url } = this.#pool.leased(read.lease) ?? {};
      const urls = 'why' in read ? noUrls : read.urls;
      return gatherUrls(urls, url === undefined ? null : { url: url.url, depth: url.depth }, nowMs);
    });
    // Links first: a result means that they are durable.
    await this.#publish(target, gathered);
    return {
      results: results.map((read, at) => {
        const { accepted, refused } = gathered[at]!;
        const { lease } = read;
        if ('why' in read) return { lease, state: 'invalid', refused: [], why: read.why } as const;
        return { lease, state: this.#settle(read.result, accepted), refused: [...refused] };
      }),
    };
  };

  readonly renew: LeaseCalls['renew'] = ({ leases, leaseMs }) => {
    const nowMs = this.#clock.nowMs();
    return {
      leases: leases.map((lease) => {
        const renewed = this.#pool.renew(lease, leaseMs);
        return { lease, leaseMs: renewed === undefined ? 0 : Math.max(0, renewed.deadlineMs - nowMs) };
      }),
    };
  };

  readonly add: LeaseCalls['add'] = async (urls) => {
    const target = this.#up();
    const gathered = gatherUrls(urls, null, this.#clock.nowMs());
    await this.#publish(target, [gathered]);
    return { accepted: gathered.accepted, refused: [...gathered.refused] };
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
