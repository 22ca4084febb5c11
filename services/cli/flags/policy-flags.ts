/** Options that make a policy, shared by `crawl` and `inject`. */
import type { Command, Option } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { politenessKeys, whenFullChoices } from '../../../topology/policy/policy.ts';
import { scheduleNames } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { parseSeed } from '../../../topology/url/seed.ts';
import { uses } from '../../../topology/usage/statement.ts';
import { whenBarred } from '../../../topology/usage/uses-policy.ts';
import { scopeDefault } from '../../hosting/policy/policy-of.ts';
import { note } from '../../runtime/logging/say.ts';
import { bytes, collect, duration, oneOf, orNone, pattern, retryList, useList, wholeNumber } from './arguments.ts';
import { recrawlHubsOption } from './changed-recrawl.ts';
import { overlaysFile, payFile } from './policy-part.ts';
import { canonicalsOption, fetchAsOption, sameUrlOption, sameUrlProofsOption } from './same-url-option.ts';
import { setting } from './setting.ts';
import { addTracePolicyOptions } from './trace-flags.ts';

const recrawlEvery = duration('--recrawl-every');

const delay = duration('--delay', { mostMs: crawlLimits.delayMsMax });

export function addPolicyOptions(command: Command): Command {
  addTracePolicyOptions(command);
  const groups = [boundOptions(), requestOptions(), visitOptions(), queueOptions(), usageOptions(), quotaOptions()];
  for (const option of groups.flat()) command.addOption(option);
  return command;
}

/** The bounds of a crawl. */
function boundOptions(): Option[] {
  return [
    setting(
      '--max-pages <n>',
      'end the crawl after n pages of all its runs, or "none" for no limit (default: none)',
      'the crawl ends when nothing is left to fetch',
      orNone(wholeNumber('--max-pages', 1)),
    ),
    setting(
      '--max-depth <n>',
      'follow links at most n steps from a seed, or "none" for no limit (default: none)',
      'scope and trap detection bound a crawl better than depth',
      orNone(wholeNumber('--max-depth')),
    ),
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
    fetchAsOption(),
    sameUrlProofsOption(),
    canonicalsOption(),
    setting(
      '--politeness <key>',
      'apply the delay per host or per registrable domain (default: host)',
      'hosts ask for delays, and hosts of one domain are often separate machines',
    ).argParser(oneOf('--politeness', politenessKeys)),
    setting(
      '--address-delay <duration>',
      'delay between requests to one IP address; 0: none (default: 100ms)',
      'many small hosts share one machine; large hosting networks can take more',
      duration('--address-delay', { mostMs: 3_600_000 }),
    ),
    setting(
      '--max-crawl-delay <duration>',
      'skip hosts with a longer Crawl-delay in robots.txt; "none": skip none (default: 30s)',
      'with 30 s, 3,000 pages of a host take a day',
      orNone(duration('--max-crawl-delay', { leastMs: 1, mostMs: crawlLimits.delayMsMax })),
    ),
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
  return [
    setting(
      '--max-queued <n>',
      'most URLs queued in a partition; beyond that, see --when-full (default: 10 million)',
      'the policy’s value: 10 million URLs take about 250 MB of disk',
      wholeNumber('--max-queued', 1),
    ),
    setting(
      '--max-queued-per-host <n>',
      'most URLs queued for a host; further URLs are dropped (default: no limit)',
      'most crawls want whole sites; a full host drops only its own URLs',
      wholeNumber('--max-queued-per-host', 1),
    ),
    setting(
      '--when-full <choice>',
      'when full: pause (read no links) or dropLowest (drop low-priority links) (default: pause)',
      'no link is lost: links wait in their topic',
    ).argParser(oneOf('--when-full', whenFullChoices)),
  ];
}

/** Uses of pages, requisites and retries. */
function usageOptions(): Option[] {
  return [
    setting(
      '--uses <list>',
      `intended uses, checked against sites’ preferences: ${uses.join(', ')}`,
      'page records state what each site bars, and their readers decide',
      useList('--uses'),
    ),
    setting(
      '--uses-barred <choice>',
      'barred pages: skip (if in robots.txt), withhold from output, mark (default: withhold)',
      'links of a barred page may lead to allowed ones, and no reader uses the page by mistake',
    ).argParser(oneOf('--uses-barred', whenBarred)),
    setting(
      '--requisites',
      'also fetch styles, scripts, images and fonts of pages, as scope and filters allow',
      'text and links need no requisites, which cost many times a page’s bytes and requests',
    ),
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
    setting(
      '--max-pages-per-host <n>',
      'most pages of a host, or "none" for no limit (default: none)',
      'most crawls want whole sites',
      orNone(wholeNumber('--max-pages-per-host')),
    ),
    setting(
      '--max-pages-per-domain <n>',
      'most pages of a registrable domain in each partition, or "none" (default: none)',
      'most crawls want whole sites',
      orNone(wholeNumber('--max-pages-per-domain')),
    ),
    setting(
      '--max-bytes-per-host <bytes>',
      'most bytes from a host, as in 500M or 10GiB, or "none" for no limit (default: none)',
      'pages are small, and each body has a limit',
      orNone(bytes('--max-bytes-per-host', 1, 'give bytes, at least 1, as in 500k, 2M or 10GiB')),
    ),
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
