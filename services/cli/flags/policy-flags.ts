/** Options that make a policy, shared by `crawl` and `inject`. */
import type { Command, Option } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { scheduleNames } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { parseSeed } from '../../../topology/url/seed.ts';
import { installedFields } from '../../application/extra-fields.ts';
import { overlaysFile, payFile } from '../../hosting/options/policy-part.ts';
import { scopeDefault } from '../../hosting/policy/policy-of.ts';
import { note } from '../../runtime/logging/say.ts';
import { collect, duration, oneOf, pattern, retryList } from './arguments.ts';
import { recrawlHubsOption } from './changed-recrawl.ts';
import { addExtraOptions, fieldOption, fieldOptions } from './field-options.ts';
import { canonicalsOption, sameUrlOption, sameUrlProofsOption } from './same-url-option.ts';
import { setting } from './setting.ts';
import { addTracePolicyOptions } from './trace-flags.ts';

const recrawlEvery = duration('--recrawl-every');

const delay = duration('--delay', { mostMs: crawlLimits.delayMsMax });

export function addPolicyOptions(command: Command): Command {
  addTracePolicyOptions(command);
  const groups = [boundOptions(), requestOptions(), visitOptions(), queueOptions(), usageOptions(), quotaOptions()];
  const grouped = groups.flat();
  const names = new Set(grouped.map((option) => option.attributeName()));
  const others = fieldOptions().filter((option) => !names.has(option.attributeName()));
  for (const option of [...grouped, ...others]) command.addOption(option);
  return addExtraOptions(command, installedFields);
}

/** The bounds of a crawl. */
function boundOptions(): Option[] {
  return [
    fieldOption('pageQuota'),
    fieldOption('maxDepth'),
    setting(
      '--scope <kind>',
      `where links may lead: host or domain of a seed, or all (default: ${scopeDefault})`,
      'a first crawl stays on the registrable domains of its seeds',
    ).argParser(oneOf('--scope', ['host', 'domain', 'all'])),
    setting(
      '--include <re>',
      'crawl only URLs (seeds too) that match this regular expression; if repeated, any of them',
      'every URL in scope is wanted',
      collect(pattern('--include')),
    ),
    setting(
      '--exclude <re>',
      'skip URLs that match this regular expression (repeatable)',
      'every URL in scope is wanted',
      collect(pattern('--exclude')),
    ),
  ];
}

/** Delays, and the form in which URLs are requested. */
function requestOptions(): Option[] {
  return [
    setting(
      '--delay <duration>',
      'fixed delay between requests to a host (default: 10 times the last fetch, at least 1s)',
      'the policy’s value: ten times the last fetch, as in Mercator, and at least a second',
      delay,
    ),
    sameUrlOption(),
    fieldOption('fetchAs'),
    sameUrlProofsOption(),
    canonicalsOption(),
    fieldOption('politenessKey'),
    fieldOption('addressDelayMs'),
    fieldOption('crawlDelayCapMs'),
  ];
}

/** Visits: revisits, sitemaps, traps and order. */
function visitOptions(): Option[] {
  return [
    setting(
      '--recrawl <schedule>',
      'revisit pages: fixed, adaptive, nutch, stormcrawler (per page); optimal, importance (all)',
      'a first crawl should end; a crawl with revisits never does',
    ).argParser(oneOf('--recrawl', scheduleNames)),
    setting(
      '--recrawl-every <duration>',
      'average time between visits of a page; alone, it sets --recrawl optimal (default: 7d)',
      'the interval of seven-day freshness',
      recrawlEvery,
    ),
    recrawlHubsOption(),
    setting(
      '--sitemap <url>',
      'read this sitemap; a path such as /sitemap.xml is read on every host (repeatable)',
      'sitemaps in robots.txt are read anyway, and most hosts have no others',
      collect(sitemapLocation),
    ),
    setting(
      '--no-traps',
      'do not detect crawl traps, such as endless calendars',
      'endless calendars and counters would keep a crawl busy for ever',
    ),
    setting(
      '--score',
      'fetch the best-scored URLs of a host first (default: by depth; see `check score`)',
      'depth and spelling decide alone: enough for whole sites, and without counts of links',
    ),
  ];
}

/** Limits of the queue. */
function queueOptions(): Option[] {
  return [fieldOption('queuedMax'), fieldOption('urlsPerHostMax'), fieldOption('whenFull')];
}

/** Uses of pages, requisites and retries. */
function usageOptions(): Option[] {
  return [
    fieldOption('uses'),
    fieldOption('usesBarred'),
    fieldOption('requisites'),
    setting(
      '--retries <list>',
      'delays before each retry, as in 500ms,30s,5m, or none (default: 5s,30s,5m)',
      'short faults end in seconds, restarts in half a minute, outages in minutes; then the URL is a dead letter',
      retryList('--retries', note),
    ),
  ];
}

/** Limits per host and domain, files of rules, and leases. */
function quotaOptions(): Option[] {
  return [
    fieldOption('pagesPerHostMax'),
    fieldOption('pagesPerDomainMax'),
    fieldOption('bytesPerHostMax'),
    setting(
      '--overlays <file>',
      'policy overlays for hosts, domains or patterns (YAML or JSON file)',
      'all hosts have the same policy',
      overlaysFile,
    ),
    setting(
      '--pay <file>',
      'payment limits for 402 answers (YAML or JSON file), or none; needs a paying plugin',
      'no money is spent without a limit and a method',
      payFile,
    ),
    setting(
      '--lease-time <duration>',
      'longest time that a lease client may keep a URL, with renewals, as in 10m',
      'our fetchers need 30 s; with --clients 5 minutes, for slow downloads and processing',
      duration('--lease-time', { leastMs: 30_000, mostMs: 12 * 3_600_000 }),
    ),
  ];
}

/** The list itself, or a policy's field: the same file serves `policy set`. Its contents are checked with the policy. */
function sitemapLocation(text: string): string {
  if (text.startsWith('/') && !text.startsWith('//')) return text;
  try {
    return parseSeed(text);
  } catch (error) {
    const message = `--sitemap ${JSON.stringify(text)}: give an http or https URL, or a path such as /sitemap.xml`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message, error);
  }
}
