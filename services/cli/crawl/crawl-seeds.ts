/** The seeds of a `crawl` command line: read once, normal, each with a scheme that its host speaks. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { compileAddressGuard } from '../../../topology/fetch/address.ts';
import type { ListedSeed } from '../../../topology/url/seed-list.ts';
import { spellingOf } from '../../../topology/url/spelling.ts';
import { createDnsLookup } from '../../fetcher/connect/dns-lookup.ts';
import { compileOverrides } from '../../fetcher/connect/resolve-override.ts';
import { createResolver } from '../../fetcher/connect/resolver.ts';
import { readRequest } from '../../hosting/connect/crawl-folder.ts';
import { folderPath } from '../../hosting/crawl/folder-path.ts';
import { probeScheme } from '../../hosting/crawl/probe-scheme.ts';
import type { FetcherFlags } from '../../hosting/options/fetching.ts';
import { normalSeeds } from '../../hosting/policy/seeds.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type GivenSeed, seedArguments } from '../flags/seed-arguments.ts';

const read = new WeakMap<Command, Promise<readonly GivenSeed[]>>();

/** Seeds as they were typed. Standard input is read once, by the first call. */
export function typedSeeds(command: Command): Promise<readonly GivenSeed[]> {
  let seeds = read.get(command);
  if (seeds === undefined) read.set(command, (seeds = seedArguments(command.args, command.opts()['seedKeys'])));
  return seeds;
}

/** Normal. A seed that a data folder knows by either scheme keeps it. */
export async function crawlSeeds(
  command: Command,
  flags: Pick<FetcherFlags, 'allowPrivate' | 'resolve'> & { readonly data?: string; readonly brokers?: string },
  clock: Clock,
  say: (text: string) => void,
): Promise<ListedSeed[]> {
  const typed = await typedSeeds(command);
  const normal = normalSeeds(typed.map(({ url }) => url));
  const urls = typed.map((seed, at) => ({ ...seed, url: normal[at]!, spelling: spellingOf(seed.url, normal[at]!) }));
  if (!urls.some(({ isGuess }) => isGuess)) return urls;
  const isFolder = flags.brokers === undefined;
  const path = isFolder ? folderPath(flags.data, normal) : '';
  const known = isFolder ? (await readRequest({ part: (name) => join(path, name) })).seeds : [];
  const resolver = createResolver({
    clock,
    lookup: createDnsLookup(),
    overrides: compileOverrides(flags.resolve ?? []),
    isBlocked: compileAddressGuard(flags.allowPrivate ?? false),
  });
  const withScheme = async ({ url, isGuess, ...notes }: GivenSeed): Promise<ListedSeed> => {
    const plain = normalSeeds([url.replace(/^https:/, 'http:')])[0]!;
    if (!isGuess || known.includes(url)) return { url, ...notes };
    if (known.includes(plain)) return { url: plain, ...notes };
    const { protocol, why } = await probeScheme(url, resolver);
    if (protocol === 'https:') return { url, ...notes };
    say(`${new URL(url).host} has no https (${why}): crawling ${plain}`);
    return { url: plain, ...notes };
  };
  return Promise.all(urls.map(withScheme));
}
