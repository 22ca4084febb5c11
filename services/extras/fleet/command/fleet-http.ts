/** The HTTP API of a fleet, with its dashboards. */
import { fleetPage } from '../../dashboard/fleet-page.ts';
import { fleetRoutes } from '../api/fleet-routes.ts';
import { outputRoutes } from '../api/page-routes.ts';
import { scrapeRoutes } from '../api/scrape-routes.ts';
import type { CrawlDashboards } from './crawl-dashboards.ts';
import { fleetOutputs } from './fleet-outputs.ts';
import type { FleetCommand } from './run-fleet.ts';

/** The HTTP routes of a fleet. */
export function fleetHttp(dashboards: CrawlDashboards): FleetCommand['routes'] {
  return (parts, callers) => [
    fleetRoutes(parts, callers, [outputRoutes(fleetOutputs), scrapeRoutes]),
    dashboards.routes(parts, callers),
    fleetPage,
  ];
}
