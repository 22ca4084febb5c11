/**
 * Overlays: settings for part of the web that replace the policy's own, like Heritrix's sheets.
 *
 * Settings of a host (delay, leases, caps) can only be set for whole hosts. Settings of a URL (depth, filters, front
 * queue) can be set for any part of the web. If several matching overlays set a field, the last one decides. An
 * operator's command for a host overrides all overlays.
 */

import type { FilterConfig } from '../url/filters.ts';
import { frontQueueCount } from '../url/front-queue.ts';
import { fieldsOfHosts, type OverlaidName, type PolicyValues } from './policy-fields.ts';
import type { RecrawlRule } from './recrawl/recrawl-config.ts';
import type { CrawlWindow } from './windows.ts';

export interface OverlayConfig {
  /** Name of the overlay in `explain` and in messages. */
  readonly name: string;
  /** URLs that the overlay matches: those that fit any of these conditions. */
  readonly match: OverlayMatch;
  /** Fields that replace the policy's. If several overlays set a field, the last that matches decides. */
  readonly set: OverlaySettings;
}

export interface OverlayMatch {
  /** Host keys or host names, exactly. */
  readonly hosts?: readonly string[] | undefined;
  /** Domains with their subdomains. */
  readonly domains?: readonly string[] | undefined;
  /**
   * SURT prefixes: `(org,example,` is example.org with its subdomains, `(org,example,)/docs/` a part of that host alone.
   */
  readonly surts?: readonly string[] | undefined;
  /** Regular expressions without flags, in the syntax that `patterns` names, matched anywhere in the URL. */
  readonly patterns?: readonly string[] | undefined;
}

/** Settings of a host as a whole. */
export type HostSettings = Pick<PolicyValues, OverlaidName<'hosts'> | 'delayFactorCapMs'> &
  Pick<OverlaySettings, 'robotsNotAsked'>;

/** Fields of the policy, as declared in policy-fields.ts. */
type OverlaidFields = { readonly [K in OverlaidName]?: PolicyValues[K] | undefined };

export interface OverlaySettings extends OverlaidFields {
  /** Budget of each host, in URLs per period, instead of the number that `budget` gives. For whole hosts. */
  readonly budget?: number | undefined;
  /** Leases a host may have at once; overrides `parallel`. For whole hosts. */
  readonly leases?: number | undefined;
  /** Hours during which a host may be contacted; overrides `windows`. null: at any hour. For whole hosts. */
  readonly window?: OverlayWindow | null | undefined;
  /** Do not read robots.txt, for this reason in words ("our own site", "legal deposit law"). null: read it. For whole hosts. */
  readonly robotsNotAsked?: string | null | undefined;
  /** Fields of `filters`. Each replaces the policy's field. */
  readonly filters?: Partial<Omit<FilterConfig, 'lists'>> | undefined;
  /** True: in scope. False: out of scope. Overrides `scope`. */
  readonly inScope?: boolean | undefined;
  /** Front queue, 0 (first) to 7. Overrides scores and OPIC. */
  readonly frontQueue?: number | undefined;
  /**
   * Recrawl settings for these URLs, with the fields of a rule in `recrawl.rules`. Such an overlay precedes those
   * rules.
   */
  readonly recrawl?: Omit<RecrawlRule, 'hosts' | 'url'> | undefined;
}

export type OverlayWindow = Omit<CrawlWindow, 'hosts'>;

/** Settings that apply to whole hosts only. */
export const settingsOfHosts = [
  ...fieldsOfHosts,
  ...(['budget', 'leases', 'window', 'robotsNotAsked'] as const),
] satisfies readonly (keyof OverlaySettings)[];

export const frontQueueLast = frontQueueCount - 1;

const ofFetchers = 'fetchers read this setting; remove it here, and start them with';

/** Fields that people look for in an overlay, and where to set them instead. */
export const notInOverlays: Readonly<Record<string, string>> = {
  delayFactorCapMs: 'fetchers use one limit for all hosts; set it outside the overlays',
  windows: '`match` names the hosts; write `window` with hours only',
  parallel: '`match` names the hosts; write `leases: 4`',
  priority: 'write `frontQueue`, 0 (the first) to 7',
  scope: 'write `inScope: true` or `inScope: false`',
  depth: 'write `maxDepth`',
  delay: 'write `delayMs`',
  score: 'weights apply to the whole crawl; write `frontQueue`',
  traps: 'traps are detected per host; crawlstream release HOST PATTERN releases one',
  normalize: 'URLs are normalised before overlays are matched; write `normalize.hosts` outside the overlays',
  sitemaps: 'set `sitemaps.rules` outside the overlays; its rules name hosts',
  metadata: 'set it outside the overlays; its rules name URLs and sources',
  trace: 'set it outside the overlays; it names hosts',
  robots: 'write `robotsNotAsked`, with the reason as its value',
  pageQuota: 'it limits the whole crawl; write `pagesPerHostMax`',
  pagesPerDomainMax: 'all hosts of a domain share it; set it outside the overlays, or write `pagesPerHostMax`',
  queuedMax: 'it limits a partition; write `urlsPerHostMax`',
  bytesPerSecond: 'all fetchers share it; set it outside the overlays',
  extraction: `${ofFetchers} --extract FILE; its rules name hosts`,
  requests: `${ofFetchers} --requests FILE; its rules name hosts`,
  headers: `${ofFetchers} --requests FILE; its rules name hosts`,
  requisites: `${ofFetchers} --with render, which loads what a page needs`,
  render: `${ofFetchers} --with render, and rules in --extract FILE`,
  identity: `${ofFetchers} --contact and --user-agent: a crawl has one name`,
};
