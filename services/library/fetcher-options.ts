/** The configuration of the real fetcher by the options of `crawl`. */
import type { Outcome } from '../../schemas/types.ts';
import { CrawlstreamError } from '../../topology/errors.ts';
import { crawlLimits } from '../../topology/policy/crawl-limits.ts';
import type { Policy } from '../../topology/policy/policy.ts';
import type { CrawlRun } from '../application/crawl/run-crawl.ts';
import {
  createFetchClient,
  type FetcherConfig,
  type FetchHooks,
  parseResolveOverride,
} from '../application/fetching.ts';
import { paymentsOf } from '../application/plugin/payments-of.ts';
import { productVersion } from '../runtime/version.ts';
import type { CrawledPage, CrawlOptions } from './crawl-options.ts';

export interface FetcherEars {
  readonly onPage: (page: CrawledPage) => void;
  readonly onOutcome: (outcome: Outcome, depth: number) => void;
  readonly room: NonNullable<FetcherConfig['room']>;
}

/** Throws INVALID_ARGUMENT. */
export async function fetcherOf(
  options: CrawlOptions,
  policy: Policy,
  concurrency: number,
  { onPage, onOutcome, room }: FetcherEars,
): Promise<CrawlRun['fetcher']> {
  const { userAgent, allowPrivate = false, resolve = [], ca, fetch } = options;
  const hooks = hooksOf(options);
  return {
    fetcherId: 'library',
    normalize: policy.normalize,
    config: {
      ...{ version: productVersion, contact: '', userAgent, room },
      resolve: resolve.map(overrideOf),
      // The address guard does not apply to a supplied fetch.
      allowPrivate: fetch === undefined ? allowPrivate : true,
      addressDelayMs: fetch === undefined ? crawlLimits.addressDelayMs : 0,
      groupSize: () => 1,
      linksMax: crawlLimits.linksPerPage,
      leasesMax: concurrency,
      outlinks: true,
      ...(ca !== undefined && { ca }),
      ...(hooks !== undefined && { hooks: [hooks], ...(await paymentsOf([hooks])) }),
      onPage({ outlinks, links: _, ...page }, { body }) {
        onPage({ ...page, links: outlinks, body });
      },
      onReport: (outcome, _, depth) => onOutcome(outcome, depth),
    },
    ...(fetch !== undefined && {
      openHttp: (given) => createFetchClient(fetch, given),
      // A custom fetch resolves names itself.
      dnsLookup: async () => ({ addresses: [], ttlMs: 0 }),
    }),
  };
}

function hooksOf({ urlFilter, normalize, priority, request, pay, response, parse, page }: CrawlOptions) {
  const given = { urlFilter, normalize, priority, request, pay, response, parse, page };
  const hooks = Object.fromEntries(Object.entries(given).filter(([, hook]) => hook !== undefined)) as FetchHooks;
  return Object.keys(hooks).length === 0 ? undefined : { name: 'crawl', ...hooks };
}

function overrideOf(text: string) {
  try {
    return parseResolveOverride(text);
  } catch (error) {
    const why = `${text}: write host[:port]:address, such as *.test:8080:127.0.0.1 or example.org:[::1]`;
    throw new CrawlstreamError('INVALID_ARGUMENT', `crawl: resolve: ${why}`, error);
  }
}
