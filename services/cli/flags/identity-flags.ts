/** Options by which an operator says whose crawl it is: to hosts in every request, and to robots.txt by name. */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Identity } from '../../fetcher/http/identity.ts';
import { productVersion } from '../../runtime/version.ts';
import { bad, collect, contact } from './arguments.ts';
import { setting } from './setting.ts';

export interface IdentityFlags {
  readonly contact?: string;
  readonly userAgent?: string;
  readonly robotsToken?: string[];
}

export function addIdentityOptions(command: Command): Command {
  return command
    .addOption(
      setting(
        '--contact <url|mail>',
        'where webmasters reach you; sent with each request',
        'a crawl of other people’s hosts refuses to start without one',
        contact('--contact'),
      ),
    )
    .addOption(
      setting(
        '--user-agent <text>',
        'your crawler’s name, such as NewsBot/2.1; {contact} and {version} (of this product) are filled in',
        'the product’s own name is a beginning; with it, a robots.txt that bars one operator of it bars all',
        userAgent,
      ),
    )
    .addOption(
      setting(
        '--robots-token <name>',
        'name that robots.txt is read for; may be repeated: the first that a file has a group for holds',
        'it is the first word of the User-Agent',
        collect(robotsToken),
      ),
    );
}

const token = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const userAgentCharsMax = 256;

function userAgent(value: string): string {
  if (!/^[!-~][ -~]*$/.test(value) || value.length > userAgentCharsMax)
    throw bad('--user-agent', value, `give one line of plain letters, ${userAgentCharsMax} at most`);
  if (/[{}]/.test(value.replaceAll('{contact}', '').replaceAll('{version}', '')))
    throw bad('--user-agent', value, 'only {contact} and {version} are filled in; leave other braces out');
  const [name = ''] = value.split(/[/\s]/, 1);
  if (!token.test(name))
    throw bad('--user-agent', value, 'begin with a name of letters, digits, - and _, as in NewsBot/2.1');
  return value;
}

/** RFC 9309 §2.2.1, and digits, which real ones have. */
function robotsToken(value: string): string {
  if (token.test(value)) return value;
  throw bad('--robots-token', value, 'give a product token, such as NewsBot, without version');
}

/** Throws INVALID_ARGUMENT where a webmaster could not tell from the log which name to write into robots.txt. */
export function identityOf(flags: IdentityFlags): Identity {
  const [first, ...more] = flags.robotsToken ?? [];
  const { userAgent } = flags;
  const identity: Identity = {
    version: productVersion,
    contact: flags.contact ?? '',
    ...(userAgent !== undefined && { userAgent }),
    ...(first !== undefined && { robotsTokens: [first, ...more] }),
  };
  if (userAgent === undefined || first !== undefined) {
    const said = userAgent ?? 'crawlstream';
    // RFC 9309 §2.2.1: the token should be a part of what identifies the crawler in requests.
    if (first !== undefined && !said.toLowerCase().includes(first.toLowerCase()))
      throw invalid(
        `--robots-token ${first} is not in --user-agent ${said}: name it there, so that webmasters find it`,
      );
  } else if (/^mozilla\b/i.test(userAgent)) {
    throw invalid(
      `--user-agent ${userAgent} begins with Mozilla, as browsers do: give --robots-token NAME, the name in it that robots.txt is read for`,
    );
  }
  return identity;
}

function invalid(message: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', message);
}
