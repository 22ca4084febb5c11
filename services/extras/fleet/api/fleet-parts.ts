/** The parts of a running fleet that its API uses. */
import type { EventReader } from '../events/event-reader.ts';
import type { EventStreams } from '../events/event-streams.ts';
import type { Fleet } from '../fleet.ts';
import type { KeptPages } from '../kept-pages.ts';
import type { OutputSender } from '../outputs/send-output.ts';
import type { Quotas } from '../owners/quotas.ts';
import type { ReadLog } from '../running-crawl.ts';
import type { ExplainLines } from '../scrape/no-page.ts';
import type { PageScraper } from '../scrape/page-scraper.ts';
import type { CallShares } from '../shares/call-shares.ts';

export interface FleetParts {
  readonly fleet: Fleet;
  readonly requestsInFlight: () => number;
  readonly kept: KeptPages;
  readonly events: EventReader;
  readonly streams: EventStreams;
  readonly pages: PageScraper;
  readonly outputs: OutputSender;
  /** Absent: callers do not share the process. */
  readonly calls?: CallShares;
  /** Returns how a crawl treats each URL: names and values. `path`: of the crawl's folder. */
  explain(path: string, urls: readonly string[]): Promise<readonly ExplainLines[]>;
  /** Called with the bytes of each read of a crawl's log for a call. Absent: they count for nobody. */
  onRead?(name: string, bytes: number): void;
  /** null: owners have no quotas. */
  readonly quotas: Quotas | null;
  /** Opens the log of a crawl that does not run. */
  reading<T>(path: string, act: (reads: ReadLog) => Promise<T>): Promise<T>;
}
