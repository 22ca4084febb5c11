/** Makes a fetcher's configuration from the options of a process. */
import { isIP } from 'node:net';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { installedReaders } from '../../application/document-readers.ts';
import { compileOverrides, type ResolveOverride } from '../../fetcher/connect/resolve-override.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import { archivedBodyLimits } from '../../fetcher/http/archived-body-limits.ts';
import { requestLimits } from '../../fetcher/http/request-limits.ts';
import type { RequestRuleInput } from '../../fetcher/http/request-rules-schema.ts';
import { type ExtractRules, wantedReaders } from '../../fetcher/pages/extract-rules.ts';
import type { ArchiveConfig } from '../../fetcher/publish/exchange-records.ts';
import { type IdentityFlags, identityOf } from './identity.ts';

export interface FetcherFlags extends IdentityFlags {
  /** True: all of them. */
  readonly allowPrivate?: true | string[];
  readonly resolve?: ResolveOverride[];
  readonly concurrency: number;
  /** Publish raw responses, for archives. */
  readonly responses?: boolean;
  /** Parts of exchanges for archives. */
  readonly archive: ArchiveConfig['what'];
  /** MiB. */
  readonly archiveBody?: number;
  readonly bodies?: string;
  /** Fetch page requisites (images, styles, scripts) too, for a complete archive. */
  readonly requisites?: true;
  /** Publish all links of a page in its record, for a link graph. */
  readonly outlinks?: boolean;
  readonly requests?: readonly RequestRuleInput[];
  readonly extract?: ExtractRules;
  readonly http2: boolean;
  readonly linksPerPage: number;
  /** MiB. */
  readonly maxBody: number;
  /** Milliseconds. */
  readonly firstByte: number;
  /** PEM. */
  readonly ca?: string[];
  readonly insecure?: string[];
}

export const mebibyte = 1024 * 1024;

/** TLS settings for a fetcher, and for anything else that connects to hosts. */
export function trustSettings({ ca, insecure }: Pick<FetcherFlags, 'ca' | 'insecure'>) {
  return {
    ...(ca !== undefined && { ca: ca.join('\n') }),
    ...(insecure !== undefined && { insecureHosts: insecure }),
  };
}

export function fetcherConfig(flags: FetcherFlags): FetcherConfig {
  return {
    ...identityOf(flags),
    allowPrivate: flags.allowPrivate ?? false,
    resolve: flags.resolve ?? [],
    addressDelayMs: crawlLimits.addressDelayMs,
    groupSize: () => 1,
    linksMax: flags.linksPerPage,
    limits: { bodyBytesMax: flags.maxBody * mebibyte, headersTimeoutMs: flags.firstByte },
    leasesMax: flags.concurrency,
    http2: flags.http2,
    outlinks: flags.outlinks ?? false,
    ...trustSettings(flags),
    ...(flags.requests !== undefined && { requests: flags.requests }),
    ...(flags.extract !== undefined && {
      extract: flags.extract,
      readers: wantedReaders(installedReaders, flags.extract),
    }),
    ...archiveSettings(flags),
  };
}

/** The setting with which any requester publishes its exchanges for archives. */
export function archiveSettings(flags: Partial<FetcherFlags>): { readonly archive?: ArchiveConfig } {
  return flags.responses ? { archive: archiveConfig(flags) } : {};
}

/** Webmasters must be able to identify and reach the operator; only a web on this very machine needs no contact. */
export function needContact(flags: FetcherFlags, seeds: readonly string[]): void {
  identityOf(flags);
  if (flags.contact !== undefined) return;
  const overrides = flags.resolve ?? [];
  const lookup = compileOverrides(overrides);
  const isLocal = (seed: string) => {
    const { hostname, port, protocol } = new URL(seed);
    const host = hostname.replace(/^\[|\]$/g, '');
    return host === 'localhost' || isLoopback(lookup(host, Number(port || (protocol === 'https:' ? 443 : 80))) ?? host);
  };
  // A fetcher process has no seeds: its names must all be given, on this machine.
  const local =
    seeds.length > 0
      ? seeds.every(isLocal)
      : overrides.some(({ host }) => host.startsWith('*')) && overrides.every(({ address }) => isLoopback(address));
  if (local) return;
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    '--contact is missing: give a web or mail address where webmasters can reach you, as in --contact me@example.org',
  );
}

function isLoopback(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

export function archiveConfig({ requisites, archiveBody, bodies, ...flags }: Partial<FetcherFlags>): ArchiveConfig {
  const archive = requisites ? 'all' : (flags.archive ?? 'pages');
  const maxBody = flags.maxBody ?? requestLimits.bodyBytesMax / mebibyte;
  const bodyMb = archiveBody ?? (archive === 'all' ? archivedBodyLimits.bodyBytesOfAll / mebibyte : maxBody);
  const limits = { bodyBytesMax: bodyMb * mebibyte, messageBytesMax: archivedBodyLimits.messageBytesMax };
  return { what: archive, ...limits, ...(bodies !== undefined && { folder: bodies }) };
}
