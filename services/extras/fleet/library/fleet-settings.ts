/** The settings of a fleet in a program, and the options of `crawlstream fleet` that they stand for. */
import { fleetLimits } from '../../../../topology/fleet/fleet-limits.ts';
import { seenLimits } from '../../../../topology/frontier/seen/seen-limits.ts';
import { crawlLimits } from '../../../../topology/policy/crawl-limits.ts';
import { parseResolveOverride } from '../../../fetcher/connect/resolve-override.ts';
import { fetcherLimits } from '../../../fetcher/fetcher-limits.ts';
import { requestLimits } from '../../../fetcher/http/request-limits.ts';
import { snapshotLimits } from '../../../frontier/snapshots/snapshot-limits.ts';
import { type Field, isCount, isStrings } from '../../../runtime/check-options.ts';
import { parseListenAddress } from '../../../runtime/http/listen-address.ts';
import type { FleetFlags } from '../command/fleet-flags.ts';

/** Settings of a fleet. Absent ones are those of `crawlstream fleet`. */
export interface FleetSettings {
  /** Folder of the fleet. Each crawl is a data folder in `crawls/` there. */
  readonly data: string;
  /** Web or mail address where webmasters can reach you. Required beyond localhost. */
  readonly contact?: string;
  /** Name of your crawler, as in NewsBot/2.1; may contain {contact} and {version}. */
  readonly userAgent?: string;
  /** Port of the HTTP API on this machine; 0: any free one. Absent: nothing listens. */
  readonly http?: number;
  /** Least delay between requests of the fleet to a host, ms. Absent: 1,000. */
  readonly hostDelayMs?: number;
  /** Requests under way, of all crawls together. Absent: as `crawlstream fleet --in-flight`. */
  readonly inFlight?: number;
  /** Reach loopback and private addresses too: all (true), or networks such as 10.1.0.0/16. */
  readonly allowPrivate?: boolean | readonly string[];
  /** Names with fixed addresses: host[:port]:address, as in curl. */
  readonly resolve?: readonly string[];
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isNumber = (value: unknown): boolean => value === 0 || isCount(value);

export const settingFields: Readonly<Record<keyof FleetSettings, Field>> = {
  data: { wants: 'the folder of the fleet', fits: isText, needed: true },
  contact: { wants: 'a web or mail address where webmasters can reach you', fits: isText },
  userAgent: { wants: 'the name of your crawler, as in NewsBot/2.1', fits: isText },
  http: { wants: 'a port, or 0 for a free one', fits: (value) => isNumber(value) && Number(value) < 65_536 },
  hostDelayMs: { wants: 'whole milliseconds', fits: isNumber },
  inFlight: { wants: 'a whole number of requests, from 1', fits: isCount },
  allowPrivate: {
    wants: "true, or networks as in ['10.1.0.0/16']",
    fits: (value) => typeof value === 'boolean' || isStrings(value),
  },
  resolve: { wants: "a list, as in ['example.org:443:127.0.0.1']", fits: isStrings },
};

const mebibyte = 1024 * 1024;

/** With the defaults of `crawlstream fleet`. */
export function fleetFlags({
  data,
  contact,
  userAgent,
  http,
  allowPrivate,
  resolve,
  ...own
}: FleetSettings): FleetFlags {
  return {
    data,
    ...(contact !== undefined && { contact }),
    ...(userAgent !== undefined && { userAgent }),
    ...(http !== undefined && { http: parseListenAddress('http', `${http}`) }),
    ...(allowPrivate !== undefined &&
      allowPrivate !== false && { allowPrivate: allowPrivate === true || [...allowPrivate] }),
    ...(resolve !== undefined && { resolve: resolve.map(parseResolveOverride) }),
    hostDelay: own.hostDelayMs ?? fleetLimits.hostDelayMs,
    inFlight: own.inFlight ?? fetcherLimits.requestsMax,
    concurrency: crawlLimits.leasesMax,
    archive: 'pages',
    http2: true,
    linksPerPage: crawlLimits.linksPerPage,
    maxBody: requestLimits.bodyBytesMax / mebibyte,
    firstByte: requestLimits.headersTimeoutMs,
    seen: 'exact',
    seenMemory: crawlLimits.seenMemoryMb,
    seenUrls: seenLimits.bloomUrls,
    seenErrors: seenLimits.bloomErrors,
    snapshotsKept: snapshotLimits.kept,
  };
}
