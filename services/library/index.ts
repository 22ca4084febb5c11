/** `import … from 'crawlstream'`: a crawl or a frontier inside another program. Consumers: `crawlstream/consumer`. */

export { CrawlstreamError } from '../../topology/errors.ts';
export type { Counters } from '../../topology/frontier/changes/counters.ts';
export { defaultPolicy, type PolicyConfig } from '../../topology/policy/policy.ts';
export type {
  FetchHooks,
  FetchInit,
  FoundUrl,
  HookDocument,
  HookParsed,
  HookRequest,
  HookResponse,
} from '../application/fetching.ts';
export { type CrawlResult, crawl, type RunningCrawl } from './crawl.ts';
export type { CrawledPage, CrawlOptions, FailedUrl } from './crawl-options.ts';
export {
  type AddedUrl,
  createFrontier,
  type Frontier,
  type FrontierConfig,
  type HostLease,
  type UrlOutcome,
} from './frontier.ts';
