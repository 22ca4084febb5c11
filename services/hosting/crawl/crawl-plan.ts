import type { PolicyConfig } from '../../../topology/policy/policy.ts';

/** A crawl that is about to start. */
export interface CrawlPlan {
  readonly policy: PolicyConfig;
  /** Normal. */
  readonly seeds: readonly string[];
  /** Its folder, or its brokers, in words. */
  readonly place: string;
  /** The options that name it to other commands; null: more than one is needed. */
  readonly options: string | null;
}
