/** `crawlstream check page`: prints the links, directives, title, text, canonical and charset of a page. */

import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { redirectTarget } from '../../../topology/fetch/redirect.ts';
import { type ParsedPage, parsePage } from '../../../topology/parse/page.ts';
import { isAllowed } from '../../../topology/robots/rules.ts';
import { headerUsage, metaUsage } from '../../../topology/usage/response-usage.ts';
import { robotsUsage } from '../../../topology/usage/robots-usage.ts';
import type { Statement } from '../../../topology/usage/statement.ts';
import { fetcherLimits } from '../../fetcher/fetcher-limits.ts';
import { contentTypeOf, headerOf, headersOf } from '../../fetcher/http/headers.ts';
import { productTokensOf } from '../../fetcher/http/identity.ts';
import { type FetchFlags, withCheckFetcher } from '../../hosting/check/fetcher.ts';
import { type StatedUse, statedUses } from '../../hosting/inspect/stated-uses.ts';
import { usesText } from '../../hosting/inspect/usage-text.ts';
import { identityOf } from '../../hosting/options/identity.ts';
import { normalUrl } from '../../hosting/options/url-argument.ts';
import { bad } from '../../runtime/option-text.ts';
import { rows } from '../../runtime/rows-text.ts';
import { wholeNumber } from '../flags/arguments.ts';
import { addReachOptions } from '../flags/fetcher-flags.ts';
import { readBytes } from '../flags/named-file.ts';
import { print } from '../terminal/print.ts';

interface PageFlags extends FetchFlags {
  readonly file?: string;
  readonly url?: string;
  readonly links: number;
  readonly json?: boolean;
}

interface PageSource {
  readonly url: string;
  /** 0: from a file. */
  readonly status: number;
  readonly contentType: string | null;
  readonly robotsTags: readonly string[];
  readonly redirectUrl: string | null;
  readonly body: Uint8Array;
  /** Usage statements of robots.txt and of the headers. */
  readonly said: readonly Statement[];
}

/** RFC 2606: a reserved name, for a file without a URL. */
const nowhere = 'https://page.invalid/';
const shownChars = 300;
const shownLinks = 20;
const linksDefault = 1_000;

export function addCheckPage(check: Command): void {
  const command = check
    .command('page')
    .description('print what the parser reads in a page: links, directives, title, text, canonical, charset')
    .argument('[url]', 'page to fetch, if its robots.txt allows it')
    .option('--file <file>', 'read this HTML file')
    .option('--url <base>', `the URL that --file came from (default: ${nowhere})`)
    .option('--links <n>', 'most links to read', wholeNumber('--links', 1, 100_000), linksDefault)
    .option('--json', 'print one line of JSON, with all links and the whole text');
  addReachOptions(command).action(checkPage);
}

async function checkPage(given: string | undefined, flags: PageFlags): Promise<void> {
  if ((given === undefined) === (flags.file === undefined))
    throw bad('url', given ?? '', 'give a URL to fetch, or a saved page with --file (and its URL with --url)');
  const source =
    flags.file === undefined ? await fetched(normalUrl(given!), flags) : await fromFile(flags.file, flags.url);
  const endMs = performance.now() + fetcherLimits.parseTimeoutMs;
  const page = parsePage(source.body, {
    url: source.url,
    contentType: source.contentType,
    robotsTags: source.robotsTags,
    productToken: productTokensOf(identityOf(flags)),
    linksMax: flags.links,
    textCharsMax: fetcherLimits.textCharsMax,
    byteBudget: source.body.length,
    expired: () => performance.now() > endMs,
  });
  const uses = statedUses([...source.said, ...metaUsage(page.usageMetas ?? [])], Date.now());
  print({ json: { ...jsonOf(source, page), uses }, text: textOf(source, page, uses) }, flags.json);
}

function jsonOf(source: PageSource, page: ParsedPage): Record<string, unknown> {
  const { robots, usageMetas: _, ...rest } = page;
  const { url, status, contentType, redirectUrl, body } = source;
  return { url, status, contentType, redirectUrl, bytes: body.length, ...robots, ...rest };
}

function textOf(source: PageSource, page: ParsedPage, uses: readonly StatedUse[]): string {
  const { links, linksDropped, text, robots, metaRefresh } = page;
  const directives = [robots.noindex && 'noindex', robots.nofollow && 'nofollow'].filter((one) => one !== false);
  const more = links.length > shownLinks ? [`… and ${links.length - shownLinks} more (--json prints all)`] : [];
  return rows([
    ['url', source.url],
    ['status', source.status || null],
    ['redirect', source.redirectUrl],
    ['type', source.contentType],
    ['charset', page.charset],
    ['title', page.title],
    ['description', page.description],
    ['canonical', page.canonical],
    ['base', page.base === source.url ? null : page.base],
    ['refresh', metaRefresh === null ? null : `${metaRefresh.url} after ${metaRefresh.delaySeconds} s`],
    ['directives', directives.join(', ') || 'none'],
    ['uses', usesText(uses)],
    ['text', text.length > shownChars ? `${text.slice(0, shownChars)}… (${text.length} characters)` : text],
    ['links', linksDropped > 0 ? `${links.length}, and ${linksDropped} dropped over the limit` : links.length],
    ['', [...links.slice(0, shownLinks), ...more].join('\n')],
    ['incomplete', page.complete ? null : 'parsing took too long; the rest of the page is missing'],
  ]);
}

async function fromFile(file: string, url: string | undefined): Promise<PageSource> {
  const body = await readBytes('--file', file);
  const at = url === undefined ? nowhere : normalUrl(url);
  return { url: at, status: 0, contentType: null, robotsTags: [], redirectUrl: null, body, said: [] };
}

function fetched(url: string, flags: PageFlags): Promise<PageSource> {
  return withCheckFetcher(flags, async (fetcher) => {
    const { robots } = await fetcher.robots(url);
    if (robots.status === 'unreachable' || (robots.status === 'rules' && !isAllowed(robots.rules, url))) {
      const why = robots.status === 'rules' ? 'its robots.txt disallows it' : robots.detail;
      const remedy = robots.blockedAddress
        ? 'add --allow-private to reach private addresses'
        : 'see crawlstream check robots, or save the page and read it with --file';
      throw new CrawlstreamError('INVALID_ARGUMENT', `url ${url}: ${why}; ${remedy}`);
    }
    const { status, headers, body } = await fetcher.page(url);
    return {
      url,
      status,
      contentType: contentTypeOf(headers) || null,
      robotsTags: headersOf(headers, 'x-robots-tag'),
      redirectUrl: redirectTarget(url, status, headerOf(headers, 'location') || null),
      body,
      said: [...robotsUsage(robots.usage, url), ...headerUsage(headers, productTokensOf(identityOf(flags)))],
    };
  });
}
