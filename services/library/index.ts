/** `import … from 'crawlstream'`: a crawl or a frontier inside another program. Consumers: `crawlstream/consumer`. */
export type { Counters } from '../../topology/frontier/changes/counters.ts';
export { defaultPolicy, type PolicyConfig } from '../../topology/policy/policy.ts';
export { type CrawledPage, type CrawlOptions, crawl, type FailedUrl, type FetchInit } from './crawl.ts';
export {
  createFrontier,
  type Frontier,
  type FrontierConfig,
  type HostLease,
  type UrlOutcome,
} from './frontier.ts';
