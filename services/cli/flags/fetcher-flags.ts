/** Options of whatever fetches, shared by `crawl` and `fetcher`. */
import { isIP } from 'node:net';
import type { Command } from 'commander';
import { Option } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { archiveLimits } from '../../archive/archive-limits.ts';
import type { ResolveOverride } from '../../fetcher/connect/resolve-override.ts';
import { compileOverrides, parseResolveOverride } from '../../fetcher/connect/resolve-override.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import { requestLimits } from '../../fetcher/http/request-limits.ts';
import { type RequestRuleInput, requestRulesSchema } from '../../fetcher/http/request-rules-schema.ts';
import { type ExtractRules, extractRulesSchema } from '../../fetcher/pages/extract-rules.ts';
import { productVersion } from '../../runtime/version.ts';
import { collect, contact, networks, wholeNumber } from './arguments.ts';
import { certificates, oneHost } from './certificates.ts';
import { rulesFile } from './rules-file.ts';

export interface FetcherFlags {
  /** True: all of them. */
  readonly allowPrivate?: true | string[];
  readonly resolve?: ResolveOverride[];
  readonly contact?: string;
  readonly concurrency: number;
  /** Publish raw responses, for archives. */
  readonly responses?: boolean;
  /** Publish all links of a page in its record, for a link graph. */
  readonly outlinks?: boolean;
  readonly requests?: readonly RequestRuleInput[];
  readonly extract?: ExtractRules;
  readonly http2: boolean;
  readonly linksPerPage: number;
  /** MiB. */
  readonly maxBody: number;
  /** PEM. */
  readonly ca?: string[];
  readonly insecure?: string[];
}

const mebibyte = 1024 * 1024;

/** Name, help and parser of an option that several commands have. */
export const allowPrivateOption = [
  '--allow-private [networks]',
  'connect to loopback and private addresses too: to all, or to networks such as 10.1.0.0/16,::1',
  networks('--allow-private'),
] as const;

/** Of everything that reaches hosts. */
export function addReachOptions(command: Command): Command {
  return command
    .option(...allowPrivateOption)
    .option('--resolve <host[:port]:address>', "as curl's: do not look this name up", collect(parseResolveOverride))
    .option('--contact <url|mail>', 'where webmasters reach you; sent with each request', contact('--contact'));
}

export function addFetcherOptions(command: Command): Command {
  return addReachOptions(command)
    .option(
      '--requests <file>',
      'headers, cookies, auth, proxies, methods by host or URL (YAML or JSON)',
      rulesFile('--requests', requestRulesSchema, []),
    )
    .option(
      '--extract <file>',
      'main text, language, metadata, fields by CSS selector (YAML or JSON)',
      rulesFile('--extract', extractRulesSchema, {}),
    )
    .option('--no-http2', 'speak HTTP/1.1 alone')
    .option(
      '--ca <file>',
      'trust the authorities in this file too (PEM); may be repeated',
      collect(certificates('--ca')),
    )
    .option(
      '--insecure <host>',
      'do not check the certificate of this one host; each request to it says so on the log; may be repeated',
      collect(oneHost('--insecure')),
    )
    .addOption(
      new Option('--links-per-page <n>', 'links taken from a page; those beyond are counted')
        .argParser(wholeNumber('--links-per-page', 1, crawlLimits.linksPerPageMax))
        .default(crawlLimits.linksPerPage),
    )
    .addOption(
      new Option('--max-body <MiB>', 'bytes of a page that are read; what is cut is counted')
        .argParser(wholeNumber('--max-body', 1, requestLimits.bodyBytesMost / mebibyte))
        .default(requestLimits.bodyBytesMax / mebibyte),
    )
    .option('--outlinks', 'publish all links of a page in its record too, for a link graph')
    .option('--responses', 'publish raw responses too, for archives')
    .addOption(
      new Option('--concurrency <n>', 'hosts fetched from at once')
        .argParser(wholeNumber('--concurrency', 1, crawlLimits.concurrencyMax))
        .default(crawlLimits.leasesMax),
    );
}

export function fetcherConfig(flags: FetcherFlags): FetcherConfig {
  return {
    version: productVersion,
    contact: flags.contact ?? '',
    allowPrivate: flags.allowPrivate ?? false,
    resolve: flags.resolve ?? [],
    addressDelayMs: crawlLimits.addressDelayMs,
    groupSize: () => 1,
    linksMax: flags.linksPerPage,
    limits: { bodyBytesMax: flags.maxBody * mebibyte },
    leasesMax: flags.concurrency,
    http2: flags.http2,
    outlinks: flags.outlinks ?? false,
    ...(flags.ca !== undefined && { ca: flags.ca.join('\n') }),
    ...(flags.insecure !== undefined && { insecureHosts: flags.insecure }),
    ...(flags.requests !== undefined && { requests: flags.requests }),
    ...(flags.extract !== undefined && { extract: flags.extract }),
    ...(flags.responses && { responseBytesMax: archiveLimits.bodyBytesMax }),
  };
}

/** Webmasters must be able to reach whoever crawls them; only a web on this very machine needs none. */
export function needContact(flags: FetcherFlags, seeds: readonly string[]): void {
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
    '--contact is missing: give a web or mail address at which webmasters can reach you, as in --contact me@example.org',
  );
}

function isLoopback(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}
