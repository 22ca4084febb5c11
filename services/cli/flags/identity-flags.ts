/** Options for the operator's identity: for hosts in every request, and for robots.txt by name. */
import type { Command } from 'commander';
import { canParse } from '../../../topology/url/can-parse.ts';
import { bad } from '../../runtime/option-text.ts';
import { collect, contact } from './arguments.ts';
import { setting } from './setting.ts';

export function addIdentityOptions(command: Command): Command {
  return command
    .addOption(
      setting(
        '--contact <url|mail>',
        'your web or mail address, sent with each request; required beyond localhost',
        'crawls of public hosts need one',
        contact('--contact'),
      ),
    )
    .addOption(
      setting(
        '--user-agent <text>',
        'name of your crawler, as in NewsBot/2.1; may contain {contact} and {version}',
        'the product’s name; choose your own, because a robots.txt that bars the product’s name bars all its users',
        userAgent,
      ),
    )
    .addOption(
      setting(
        '--robots-token <name>',
        'name to look for in robots.txt; the first with a group counts (repeatable)',
        'the first word of the User-Agent',
        collect(robotsToken),
      ),
    )
    .addOption(
      setting(
        '--from <mail>',
        'mail address of the operator, sent as the From header (RFC 9110 §10.1.2)',
        'the User-Agent already has the contact',
        mail,
      ),
    )
    .addOption(
      setting(
        '--accept-language <list>',
        'value of the Accept-Language header, as in de,en;q=0.5 (default: no header)',
        'hosts answer in their own language',
        languages,
      ),
    )
    .addOption(
      setting(
        '--signature-key <key>',
        'Ed25519 private key, PEM, that signs requests: file:PATH (reloaded) or env:NAME',
        'few sites verify signatures, and a key must be created and published first (crawlstream identity init)',
      ),
    )
    .addOption(
      setting(
        '--signature-agent <url>',
        'https origin that publishes the public keys; only with --signature-key, which needs it',
        'needed only with --signature-key',
        agent,
      ),
    )
    .addOption(
      setting(
        '--signature-directory <file>',
        'published key directory; refuse to start if the key is missing or expired there',
        'sites fetch the published directory; crawlstream identity check tests it in the same way',
      ),
    );
}

const token = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

const userAgentCharsMax = 256;

function userAgent(value: string): string {
  if (!/^[!-~][ -~]*$/.test(value) || value.length > userAgentCharsMax)
    throw bad('--user-agent', value, `give one line of ASCII text, at most ${userAgentCharsMax} characters`);
  if (/[{}]/.test(value.replaceAll('{contact}', '').replaceAll('{version}', '')))
    throw bad('--user-agent', value, 'only {contact} and {version} are replaced; remove other braces');
  const [name = ''] = value.split(/[/\s]/, 1);
  if (!token.test(name))
    throw bad('--user-agent', value, 'start with a letter, then letters, digits, - and _, as in NewsBot/2.1');
  return value;
}

/** RFC 9309 §2.2.1, and digits, which real ones have. */
function robotsToken(value: string): string {
  if (token.test(value)) return value;
  throw bad('--robots-token', value, 'give a product token, such as NewsBot, without version');
}

function mail(value: string): string {
  if (/^[!-?A-~]+@[A-Za-z0-9.-]+$/.test(value) && value.length <= userAgentCharsMax) return value;
  throw bad('--from', value, 'give a mail address, such as crawler@example.org');
}

function languages(value: string): string {
  const range = /^(?:[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*|\*)(?:;q=[01](?:\.\d{1,3})?)?$/;
  if (value.length <= userAgentCharsMax && value.split(/, ?/).every((one) => range.test(one))) return value;
  throw bad('--accept-language', value, 'give languages with optional weights, as in de,en;q=0.5');
}

/** An origin, as Signature-Agent takes it. */
function agent(value: string): string {
  if (canParse(value)) {
    const { protocol, origin, pathname, search, hash, username } = new URL(value);
    if (protocol === 'https:' && pathname === '/' && `${search}${hash}${username}` === '') return origin;
  }
  throw bad('--signature-agent', value, 'give an https origin without a path, as in https://bot.example.org');
}
