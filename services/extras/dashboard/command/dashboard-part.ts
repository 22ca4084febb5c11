/** The dashboard of a process with a frontier, and the option of `crawl` that opens it. */
import type { CrawlPart } from '../../../application/extension/crawl-part.ts';
import { displayCrawl } from './crawl-display.ts';
import { addDashboardOption, type DashboardFlags, dashboardUrl, listenFor } from './dashboard-flags.ts';

export const dashboardPart: CrawlPart = {
  addOptions: addDashboardOption,
  listens: (options) => listenFor(options),
  greets: ({ dashboard }: DashboardFlags, address, isSecure) =>
    dashboard === undefined ? undefined : `see it at ${dashboardUrl(address, isSecure)}`,
  display: displayCrawl,
};
