/**
 * `crawlstream fetch`: fetches one page, with all the steps of a crawl: spelling, filters, robots.txt, redirects under
 * the same rules, and parsing. It prints the page's content and a verdict on each of its links.
 */

import type { Command } from 'commander';
import { redirectTarget } from '../../../topology/fetch/redirect.ts';
import { type ParsedPage, parsePage } from '../../../topology/parse/page.ts';
import type { Policy } from '../../../topology/policy/policy.ts';
import { fetcherLimits } from '../../fetcher/fetcher-limits.ts';
import type { HttpResponse } from '../../fetcher/http/client.ts';
import { contentTypeOf, headerOf, headersOf } from '../../fetcher/http/headers.ts';
import { productTokensOf } from '../../fetcher/http/identity.ts';
import { type CheckFetcher, type FetchFlags, withCheckFetcher } from '../../hosting/check/fetcher.ts';
import { decidingLine } from '../../hosting/inspect/robots-line.ts';
import { identityOf } from '../../hosting/options/identity.ts';
import { normalUrl } from '../../hosting/options/url-argument.ts';
import { rows } from '../../runtime/rows-text.ts';
import { wholeNumber } from '../flags/arguments.ts';
import { addReachOptions } from '../flags/fetcher-flags.ts';
import { print } from '../terminal/print.ts';
import { addCheckPolicyOptions, type CheckPolicyFlags, checkedPolicy } from './policy.ts';

interface FetchCommandFlags extends CheckPolicyFlags, FetchFlags {
  readonly links: number;
  readonly json?: boolean;
}

interface Hop {
  readonly url: string;
  /** The verdict of a crawl that starts from this page. */
  readonly filter: string;
  readonly robots: string;
  /** 0: it was not requested. */
  readonly status: number;
  readonly redirectUrl: string | null;
}

interface Link {
  readonly url: string;
  readonly verdict: string;
}

const shownChars = 300;
const shownLinks = 30;
const linksDefault = 1_000;

export function addFetchCommand(program: Command): void {
  const command = program
    .command('fetch')
    .description('fetch one page as a crawl would, and show each step: filters, robots.txt, redirects, text, links')
    .argument('<url>', 'a URL in any spelling')
    .option('--links <n>', 'most links to read', wholeNumber('--links', 1, 100_000), linksDefault)
    .option('--json', 'print one line of JSON, with all links and the whole text');
  addCheckPolicyOptions(addReachOptions(command)).action(fetchPage);
}

async function fetchPage(given: string, flags: FetchCommandFlags): Promise<void> {
  const url = normalUrl(given);
  const isOfSeed = flags.policy === undefined && flags.seed === undefined;
  const policy = await checkedPolicy(isOfSeed ? { ...flags, seed: [url] } : flags);
  await withCheckFetcher(flags, async (fetcher) => {
    const { hops, response } = await follow(fetcher, policy, url);
    const at = hops.at(-1)!.url;
    const page = response === null ? null : parsed(response, at, flags);
    const links =
      page === null ? [] : page.links.map((link) => ({ url: link, verdict: verdictOf(policy, link, 1, 0) }));
    print({ json: jsonOf(hops, page, links), text: textOf(hops, page, links) }, flags.json);
    if (page === null) process.exitCode = 1;
  });
}

async function follow(
  fetcher: CheckFetcher,
  policy: Policy,
  first: string,
): Promise<{ readonly hops: readonly Hop[]; readonly response: HttpResponse | null }> {
  const hops: Hop[] = [];
  for (let url = first; ; ) {
    const filter = verdictOf(policy, url, 0, hops.length);
    const { robots: found, body, why } = await fetcher.robots(url);
    const line = found.status === 'rules' ? decidingLine(body, found.token, url) : null;
    const isAllowed = found.status === 'allowAll' || (found.status === 'rules' && (line?.allow ?? true));
    const robots =
      found.status === 'unreachable'
        ? `unreachable, so the crawl fetches nothing from this host (${why || found.detail})`
        : `${isAllowed ? 'allowed' : 'denied'}${line === null ? '' : ` by line ${line.line}: ${line.text}`}`;
    const hop = { url, filter, robots, status: 0, redirectUrl: null };
    if (!isAllowed || filter !== taken) return { hops: [...hops, hop], response: null };
    const response = await fetcher.page(url);
    const redirectUrl = redirectTarget(url, response.status, headerOf(response.headers, 'location') || null);
    hops.push({ ...hop, status: response.status, redirectUrl });
    if (redirectUrl === null) return { hops, response: response.status < 300 ? response : null };
    url = policy.normalize(redirectUrl) ?? redirectUrl;
  }
}

const taken = 'taken';

/** Also refuses a redirect beyond the policy's limit, so that chains end. */
function verdictOf(policy: Policy, url: string, depth: number, hop: number): string {
  const admission = policy.admit(url, depth, hop);
  return admission.ok ? taken : `refused by ${admission.rule}: ${admission.detail}`;
}

function parsed({ headers, body }: HttpResponse, url: string, flags: FetchCommandFlags): ParsedPage {
  const endMs = performance.now() + fetcherLimits.parseTimeoutMs;
  return parsePage(body, {
    url,
    contentType: contentTypeOf(headers) || null,
    robotsTags: headersOf(headers, 'x-robots-tag'),
    productToken: productTokensOf(identityOf(flags)),
    linksMax: flags.links,
    textCharsMax: fetcherLimits.textCharsMax,
    byteBudget: body.length,
    expired: () => performance.now() > endMs,
  });
}

function jsonOf(hops: readonly Hop[], page: ParsedPage | null, links: readonly Link[]): object {
  if (page === null) return { hops, page };
  const { robots, links: _, ...rest } = page;
  return { hops, page: { ...rest, ...robots }, links };
}

function textOf(hops: readonly Hop[], page: ParsedPage | null, links: readonly Link[]): string {
  const steps = hops.flatMap(({ url, filter, robots, status, redirectUrl }): [string, string | null][] => [
    ['url', url],
    ['  filter', filter],
    ['  robots.txt', robots],
    ['  status', status === 0 ? 'not asked' : `${status}${redirectUrl === null ? '' : `, to ${redirectUrl}`}`],
  ]);
  if (page === null) return rows(steps);
  const { robots, text, linksDropped } = page;
  const directives = [robots.noindex && 'noindex', robots.nofollow && 'nofollow'].filter((one) => one !== false);
  const more = links.length > shownLinks ? [`… and ${links.length - shownLinks} more (--json prints all)`] : [];
  const shown = links.slice(0, shownLinks).map(({ url, verdict }) => (verdict === taken ? url : `${url}  ${verdict}`));
  const count = links.filter(({ verdict }) => verdict === taken).length;
  return rows([
    ...steps,
    ['title', page.title],
    ['description', page.description],
    ['canonical', page.canonical],
    ['directives', directives.join(', ') || 'none'],
    ['text', text.length > shownChars ? `${text.slice(0, shownChars)}… (${text.length} characters)` : text],
    [
      'links',
      `${links.length}, ${count} of them accepted${linksDropped > 0 ? `, ${linksDropped} beyond the limit` : ''}`,
    ],
    ['', [...shown, ...more].join('\n')],
  ]);
}
