/** `crawlstream check robots`: prints the rules of a robots.txt for us, and for a URL the line that decides. */

import type { Command } from 'commander';
import { tokenInForce } from '../../../topology/robots/product-token.ts';
import { parseRobots } from '../../../topology/robots/rules.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { compileUsage, robotsUsage } from '../../../topology/usage/robots-usage.ts';
import { agreedIdentities } from '../../fetcher/http/agreed-identity.ts';
import { productTokensOf } from '../../fetcher/http/identity.ts';
import { type RequestRuleInput, requestRulesSchema } from '../../fetcher/http/request-rules-schema.ts';
import { type FetchedRobots, type FetchFlags, withCheckFetcher } from '../../hosting/check/fetcher.ts';
import { decidingLine, groupOf } from '../../hosting/inspect/robots-line.ts';
import { statedUses } from '../../hosting/inspect/stated-uses.ts';
import { usesText } from '../../hosting/inspect/usage-text.ts';
import { identityOf } from '../../hosting/options/identity.ts';
import { rulesFile } from '../../hosting/options/rules-file.ts';
import { normalUrl } from '../../hosting/options/url-argument.ts';
import { bad } from '../../runtime/option-text.ts';
import { rows } from '../../runtime/rows-text.ts';
import { addReachOptions } from '../flags/fetcher-flags.ts';
import { readBytes } from '../flags/named-file.ts';
import { print } from '../terminal/print.ts';

interface RobotsFlags extends FetchFlags {
  readonly file?: string;
  readonly agent?: string;
  readonly requests?: readonly RequestRuleInput[];
  readonly json?: boolean;
}

/** The basis of the verdict: a file's bytes, or a verdict that needs none. */
type Source = Pick<FetchedRobots, 'url' | 'status' | 'body' | 'why'> & {
  readonly verdict: 'rules' | 'allowAll' | 'unreachable';
};

export function addCheckRobots(check: Command): void {
  const command = check
    .command('robots')
    .description('print whether robots.txt allows a URL, with the rule, Crawl-delay and sitemaps')
    .argument('[url]', 'page to check; its robots.txt is fetched unless --file is given')
    .option('--file <file>', 'read this robots.txt')
    .option('--agent <token>', 'product token to look up (default: that of the crawler)', agentToken)
    .option(
      '--requests <file>',
      'request rules, as for crawl; an agreed User-Agent in them is used for its host',
      rulesFile('--requests', requestRulesSchema, []),
    )
    .option('--json', 'print one line of JSON');
  addReachOptions(command).action((given: string | undefined, flags: RobotsFlags) =>
    checkRobots(given, given === undefined ? flags : agreedFlags(flags, hostKeyOf(normalUrl(given)))),
  );
}

/** Under the name that the crawl uses for that host. */
function agreedFlags(flags: RobotsFlags, hostKey: string): RobotsFlags {
  const as = agreedIdentities(identityOf(flags), flags.requests).of(hostKey);
  if (as === null) return flags;
  const { robotsToken: _, ...rest } = flags;
  const { userAgent, robotsTokens } = as;
  return { ...rest, userAgent: userAgent!, ...(robotsTokens !== undefined && { robotsToken: [...robotsTokens] }) };
}

/** RFC 9309 §2.2.1, and digits, which real ones have. */
function agentToken(value: string): string {
  if (/^(?:[A-Za-z0-9_-]+|\*)$/.test(value)) return value;
  throw bad('--agent', value, 'give a product token, such as crawlstream, without version');
}

async function checkRobots(given: string | undefined, flags: RobotsFlags): Promise<void> {
  if (given === undefined && flags.file === undefined) throw bad('url', '', 'name a URL, or a robots.txt with --file');
  const url = given === undefined ? null : normalUrl(given);
  const source = flags.file === undefined ? await fetched(url!, flags) : await read(flags.file, url);
  const agent = flags.agent ?? tokenInForce(source.body, productTokensOf(identityOf(flags)));
  const rules = parseRobots(source.body, agent, source.url);
  const line = url === null || source.verdict !== 'rules' ? null : decidingLine(source.body, agent, url);
  const allowed =
    url === null ? null : source.verdict === 'rules' ? (line?.allow ?? true) : source.verdict === 'allowAll';
  const answer = {
    url,
    robotsUrl: source.url,
    status: source.status,
    allowed,
    because: allowed === null ? null : becauseOf(source, line !== null),
    line: line?.line ?? null,
    rule: line?.text ?? null,
    group: source.verdict === 'rules' ? groupOf(source.body, agent) : null,
    crawlDelaySeconds: rules.crawlDelayMs === null ? null : rules.crawlDelayMs / 1000,
    sitemaps: rules.sitemaps,
    uses: url === null ? [] : statedUses(robotsUsage(compileUsage(rules), url), Date.now()),
  };
  const text = rows([
    ['url', url],
    ['verdict', allowed === null ? null : `${verdictText(source, allowed)}: ${answer.because}`],
    ['rule', line === null ? null : `line ${line.line}: ${line.text}`],
    ['robots.txt', `${answer.robotsUrl}${source.status > 0 ? ` (status ${source.status})` : ''}`],
    ['group', answer.group],
    ['crawl delay', answer.crawlDelaySeconds === null ? 'none' : `${answer.crawlDelaySeconds} s`],
    ['uses', usesText(answer.uses)],
    ['sitemaps', rules.sitemaps.length === 0 ? 'none' : rules.sitemaps.join('\n')],
  ]);
  print({ json: answer, text }, flags.json);
}

/** Without an answer, the rules of the site are unknown. */
function verdictText({ verdict, status }: Source, allowed: boolean): string {
  if (verdict === 'unreachable' && status === 0) return 'not known';
  return allowed ? 'allowed' : 'denied';
}

function becauseOf({ verdict, status, why }: Source, hasRule: boolean): string {
  if (verdict === 'allowAll') return `there is no robots.txt (status ${status})`;
  if (verdict === 'unreachable')
    return `robots.txt ${status === 0 ? `cannot be reached (${why})` : `answers with status ${status}`}, so the crawl fetches nothing from this host`;
  return hasRule ? 'a rule matches' : 'no rule matches';
}

async function fetched(url: string, flags: RobotsFlags): Promise<Source> {
  const { robots, ...rest } = await withCheckFetcher(flags, (fetcher) => fetcher.robots(url, flags.agent));
  return { ...rest, verdict: robots.status, body: robots.status === 'rules' ? rest.body : new Uint8Array() };
}

async function read(file: string, url: string | null): Promise<Source> {
  const body = await readBytes('--file', file);
  return { url: url === null ? file : `${new URL(url).origin}/robots.txt`, status: 0, body, why: '', verdict: 'rules' };
}
