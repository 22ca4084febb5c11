/** Counts of a fetcher's requests and outcomes. */
import type { OutcomeKind, Request } from '../../schemas/types.ts';
import { Distribution, secondsBounds, waitBounds } from '../runtime/metrics/distribution.ts';
import type { LeaseReporter, UrlReport } from './publish/publisher.ts';

export class FetcherCounts {
  readonly outcomes: Partial<Record<OutcomeKind, number>> = {};
  readonly requestSeconds = new Distribution(secondsBounds);
  readonly hostIntervalSeconds = new Distribution(waitBounds);
  requests = 0;
  bytes = 0;

  /** Counts what is reported. `onReport`: called before each report of a URL. */
  counting(reporter: LeaseReporter, onReport: (report: UrlReport) => void): LeaseReporter {
    return {
      ...reporter,
      requested: (request) => {
        this.#count(request);
        reporter.requested(request);
      },
      report: (report) => {
        const { kind, bytes } = report.outcome;
        this.outcomes[kind] = (this.outcomes[kind] ?? 0) + 1;
        for (const request of report.requests) this.#count(request);
        this.bytes += bytes;
        onReport(report);
        return reporter.report(report);
      },
    };
  }

  #count({ startMs, endMs }: Request): void {
    this.requests += 1;
    this.requestSeconds.observe((endMs - startMs) / 1000);
  }
}
