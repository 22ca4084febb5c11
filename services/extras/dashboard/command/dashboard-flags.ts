/** `--dashboard`: serves the dashboard of the crawl. One server answers for it and for `--http`. */

import type { Command } from 'commander';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { setting } from '../../../cli/flags/setting.ts';
import { crawlAddress, type HttpFlags } from '../../../hosting/options/http-side.ts';
import { type ListenAddress, parseListenAddress } from '../../../runtime/http/listen-address.ts';

export interface DashboardFlags extends HttpFlags {
  /** `true`: where `--http` listens, or at the default. */
  readonly dashboard?: ListenAddress | true;
}

export function addDashboardOption(command: Command): Command {
  return command.addOption(
    setting(
      '--dashboard [host:port]',
      'serve a web dashboard; with --http, give no address here (default: 127.0.0.1:9465)',
      'no port opens unasked; a port without a host listens on this machine only',
      (value) => parseListenAddress('--dashboard', value),
    ).forOneRun(),
  );
}

/** Returns the address of the service. Undefined: `dashboard` does not ask for one. */
export function listenFor({ http, dashboard }: DashboardFlags): ListenAddress | undefined {
  if (dashboard === undefined) return undefined;
  if (dashboard === true) return http ?? crawlAddress;
  if (http === undefined) return dashboard;
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    '--dashboard and --http share one server: give the address to --http only, and --dashboard without one',
  );
}

/** `listensOn`: the address of the service. */
export function dashboardUrl(listensOn: string, isSecure: boolean): string {
  return `${isSecure ? 'https' : 'http'}://${listensOn.replace(/^(0\.0\.0\.0|\[::\])(?=:\d+$)/, 'localhost')}/dashboard/`;
}
