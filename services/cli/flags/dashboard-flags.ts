/** `--dashboard`: serves the dashboard of the crawl. One server answers for it and for `--http`. */

import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { HttpFlags } from '../../hosting/options/http-side.ts';
import { type ListenAddress, parseListenAddress } from '../../runtime/http/listen-address.ts';
import { setting } from './setting.ts';

export interface DashboardFlags extends HttpFlags {
  /** `true`: where `--http` listens, or at the default. */
  readonly dashboard?: ListenAddress | true;
}

/** Next to the port of the metrics. */
export const dashboardAddress: ListenAddress = { host: '127.0.0.1', port: 9465 };

export function addDashboardOption(command: Command): Command {
  return command.addOption(
    setting(
      '--dashboard [host:port]',
      'serve a web dashboard; with --http, give no address here (default: 127.0.0.1:9465)',
      'no port opens unasked; a port without a host listens on this machine only',
      (value) => parseListenAddress('--dashboard', value),
    ),
  );
}

/** Returns the flags with the address of the service. No address: it does not listen. */
export function listenFor({ http, dashboard, ...access }: DashboardFlags): HttpFlags {
  if (dashboard === undefined || dashboard === true) {
    const listen = http ?? (dashboard === true ? dashboardAddress : undefined);
    return listen === undefined ? access : { ...access, http: listen };
  }
  if (http === undefined) return { ...access, http: dashboard };
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    '--dashboard and --http share one server: give the address to --http only, and --dashboard without one',
  );
}

/** `listensOn`: the address of the service. */
export function dashboardUrl(listensOn: string, isSecure: boolean): string {
  return `${isSecure ? 'https' : 'http'}://${listensOn.replace(/^(0\.0\.0\.0|\[::\])(?=:\d+$)/, 'localhost')}/dashboard/`;
}
