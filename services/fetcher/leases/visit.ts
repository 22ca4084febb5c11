/** One URL of a lease on its way to an outcome, and what the gates have learned of it. */
import type { Outcome, OutcomeKind, TaskUrl } from '../../../schemas/types.ts';
import type { Statement } from '../../../topology/usage/statement.ts';
import type { Headers } from '../http/headers.ts';
import { outcomeOf } from '../http/outcomes.ts';
import type { SiteUsage } from '../pages/usage-record.ts';
import type { UrlReport } from '../publish/publisher.ts';
import { originOf, type RobotsAnswer } from '../robots/cache.ts';
import type { Lease } from './lease.ts';
import { type UrlSpans, urlSpans } from './url-spans.ts';

/** The lease continues, or its rest returns with this outcome. */
export type Next = 'on' | 'returned' | 'crawlDelayTooLong' | 'blockedAddress';

/** The end of a visit. `report` absent: the URL returns with the rest. */
export interface Step {
  readonly next: Next;
  readonly report?: UrlReport;
}

export const returned: Step = { next: 'returned' };

export class Visit {
  readonly lease: Lease;
  readonly index: number;
  readonly item: TaskUrl;
  readonly origin: string;
  /** undefined: the URL is not traced. */
  readonly spans: UrlSpans | undefined;
  /** For a traced URL: when its robots.txt was asked for. */
  robotsAskedAtMs = 0;
  /** The robots.txt of its origin: set by the gate `robotsTxt`. */
  answer!: RobotsAnswer;
  /** Usage preferences in files of its site: set by the gate `usage`. */
  site: readonly SiteUsage[] = [];
  /** Headers for the request: plugins may change them. */
  headers: Headers;

  constructor(lease: Lease, index: number) {
    this.lease = lease;
    this.index = index;
    this.item = lease.task.urls[index]!;
    this.origin = originOf(this.item.url);
    this.spans = spansOf(lease, index);
    this.headers = lease.runner.headers;
  }

  get robots(): RobotsAnswer['robots'] {
    return this.answer.robots;
  }

  get crawlDelayMs(): number {
    return this.robots.rules.crawlDelayMs ?? 0;
  }

  /** Shortest time since the end of the host's last contact. */
  get delayMs(): number {
    return Math.max(this.lease.task.delayMs, this.crawlDelayMs);
  }

  get said(): Statement[] {
    return this.site.flatMap(({ said }) => said);
  }

  /** An end without a page, after which the lease continues. */
  ends(kind: OutcomeKind, more?: Partial<Outcome>): Step {
    return { next: 'on', report: withoutPage(outcomeOf(this.index, this.item.url, kind, more)) };
  }

  /** An end without a page, by trouble of the host, which gets no more requests from the lease. */
  endsHost(kind: OutcomeKind, more: Partial<Outcome>): Step {
    const { runner } = this.lease;
    runner.inTrouble?.(runner.requestPath.clock.nowMs());
    return { ...this.ends(kind, more), next: 'returned' };
  }
}

export function withoutPage(outcome: Outcome): UrlReport {
  return { outcome, requests: [], page: null, groups: [], pending: [] };
}

export function spansOf({ runner, task }: Lease, index: number): UrlSpans | undefined {
  return urlSpans(runner.onSpan, runner.requestPath.clock, task, index);
}
