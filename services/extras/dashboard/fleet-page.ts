/** The page of a fleet, at `/dashboard/`: its crawls, their shares and owners. It uses the fleet's API. */
import type { HttpApp } from '../../runtime/http/http-server.ts';
import { servePages } from './page-files.ts';

export function fleetPage(app: HttpApp): void {
  servePages(app, 'page/fleet.html');
}
