/**
 * `crawlstream identity`: creates the files that an operator publishes about a crawler, and requests them as a site
 * would.
 */

import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { canParse } from '../../../topology/url/can-parse.ts';
import { readKey } from '../../fetcher/http/web-bot-auth.ts';
import { type FetchFlags, withCheckFetcher } from '../../hosting/check/fetcher.ts';
import { checkIdentity } from '../../hosting/check/identity-check.ts';
import { writeIdentityFolder } from '../../hosting/check/identity-folder.ts';
import { sendRequest } from '../../hosting/connect/send-request.ts';
import { type IdentityFlags, identityOf } from '../../hosting/options/identity.ts';
import type { OperatorFlags } from '../../hosting/options/operator.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { signingKeyEvent } from '../../runtime/crawl/operator-events.ts';
import { bad } from '../../runtime/option-text.ts';
import { rows } from '../../runtime/rows-text.ts';
import { collect, duration } from '../flags/arguments.ts';
import { addReachOptions } from '../flags/fetcher-flags.ts';
import { addIdentityOptions } from '../flags/identity-flags.ts';
import { addOperatorOptions } from '../flags/operator-flags.ts';
import { print } from '../terminal/print.ts';

interface InitFlags extends IdentityFlags {
  readonly key?: string;
  readonly valid: number;
  readonly network?: string[];
  readonly json?: boolean;
}

interface CheckFlags extends FetchFlags {
  readonly json?: boolean;
}

const validDefaultMs = 90 * 86_400_000;

export function addIdentityCommand(program: Command): void {
  const command = program
    .command('identity')
    .description('write the files by which sites recognise a crawler, and check the published ones');
  addIdentityOptions(
    command
      .command('init')
      .description('write a page for webmasters and IP ranges; with --key, also the key directory')
      .argument('<folder>', 'folder to write, created if missing; its page is a draft to complete')
      .option('--key <file>', 'private key that signs requests; created if missing; do not publish it')
      .option(
        '--valid <duration>',
        'validity of the key',
        duration('--valid', { mostMs: 400 * 86_400_000 }),
        validDefaultMs,
      )
      .option('--network <cidr>', 'network that requests come from (repeat for several)', collect(network))
      .option('--json', 'print what was written as one JSON object'),
  ).action(init);
  addReachOptions(
    command
      .command('check')
      .description('fetch your published page, IP ranges and key directory; report faults that sites would see')
      .argument('<site>', 'origin where the folder is published, as in https://bot.example.org')
      .option('--json', 'print one line of JSON'),
  ).action(check);
  addOperatorOptions(
    command
      .command('rotate')
      .description('sign the requests of a running crawl with another key, without a restart')
      .argument('<key>', 'private Ed25519 key as env:NAME or file:PATH, which each fetcher reads on its own machine'),
  ).action(rotate);
}

/** For a data folder, the key is read here: its crawl runs on this machine. */
async function rotate(key: string, flags: OperatorFlags): Promise<void> {
  if (flags.data !== undefined && key.startsWith('file:')) readKey(key);
  else if (!/^(?:env|file):./.test(key)) throw bad('key', key, 'write it as env:NAME or file:PATH');
  const clock = new SystemClock();
  const said = { by: flags.by, atMs: clock.nowMs() };
  const { offsets } = await sendRequest(flags, clock, () => signingKeyEvent(said, key));
  print(
    {
      json: { key, offset: offsets[0] },
      text: `sign with ${key}: recorded on topic control at 0:${offsets[0]} (partition:offset)`,
    },
    flags.json,
  );
}

async function init(folder: string, flags: InitFlags): Promise<void> {
  const identity = identityOf(flags);
  if (identity.contact === '')
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      '--contact is missing: give a web or mail address where webmasters can reach you',
    );
  const { key: keyFile, valid: validMs, network: networks = [], json } = flags;
  const written = await writeIdentityFolder({ folder, identity, keyFile, validMs, networks }, Date.now());
  print({ json: { written }, text: `${written.map((file) => `wrote ${file}`).join('\n')}\n` }, json);
}

async function check(given: string, flags: CheckFlags): Promise<void> {
  if (!canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw bad('site', given, 'give an origin, as in https://bot.example.org');
  const { signatureKey, signatureAgent: _, signatureDirectory: __, ...asking } = flags;
  const found = await withCheckFetcher(asking, (fetcher) =>
    checkIdentity(new URL(given).origin, identityOf(asking), signatureKey, fetcher.page, Date.now()),
  );
  const text = rows(found.map(({ what, url, problem }) => [what, `${url}: ${problem === '' ? 'ok' : problem}`]));
  print({ json: { found }, text }, flags.json);
  if (found.some(({ problem }) => problem !== '')) process.exitCode = 1;
}

function network(value: string): string {
  if (/^[0-9.]+\/\d{1,2}$|^[0-9a-f:]+\/\d{1,3}$/i.test(value)) return value;
  throw bad('--network', value, 'give a network, as in 192.0.2.0/24');
}
