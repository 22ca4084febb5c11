/** `crawlstream inject`: seeds into a crawl, on Kafka or in a data folder, from the command line, a file, or standard input. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../topology/errors.ts';
import type { PolicyConfig } from '../../topology/policy/policy.ts';
import { parsePolicy } from '../../topology/policy/validate.ts';
import { parseSeed } from '../../topology/url/seed.ts';
import type { ListedSeed } from '../../topology/url/seed-list.ts';
import { parseSeedList } from '../../topology/url/seed-list.ts';
import { SystemClock } from '../runtime/clock.ts';
import { readControl } from '../runtime/crawl/control-log.ts';
import { seedRequest } from '../runtime/crawl/requests.ts';
import { withKafka } from './kafka-connection.ts';
import type { KafkaFlags } from './kafka-flags.ts';
import { addKafkaOptions } from './kafka-flags.ts';
import { withCrawl } from './open-crawl.ts';
import type { PolicyFlags } from './policy-flags.ts';
import { addPolicyOptions, checkSeeds, normalSeeds } from './policy-flags.ts';
import { listsOfCrawl } from './policy-lists.ts';
import { sendRequest } from './send-request.ts';
import { sendToKafka } from './send-to-kafka.ts';

interface InjectFlags extends KafkaFlags, PolicyFlags {
  readonly newPolicy?: boolean;
}

export function addInjectCommand(program: Command): void {
  const command = program
    .command('inject')
    .description('send seeds to a crawl, running or not; the first ones on Kafka also set its policy')
    .argument('<seed...>', 'URLs, files with one URL a line (and priority=0 to 7 after it), or - for standard input');
  addPolicyOptions(command);
  addKafkaOptions(command, 'data folder of the crawl, instead of brokers')
    .option('--new-policy', 'make these options the policy, though one is in force')
    .action(inject);
}

async function inject(given: string[], flags: InjectFlags): Promise<void> {
  const clock = new SystemClock();
  const listed: ListedSeed[] = [];
  for (const one of given) listed.push(...(await seedsIn(one)));
  const urls = normalSeeds(listed.map(({ url }) => url));
  const seeds = listed.map((seed, index) => ({ ...seed, url: urls[index]! }));
  if (flags.brokers === undefined && flags.data !== undefined) {
    await injectIntoFolder(seeds, flags, clock);
    return;
  }
  await withKafka(flags, clock, true, async (connection) => {
    await sendToKafka({ ...connection, clock, seeds, flags, always: flags.newPolicy ?? false });
  });
  process.stdout.write(`${seeds.length} seeds sent to crawl ${flags.crawl}\n`);
}

/** The policy of a data folder is that of its crawl: seeds must be within its scope. */
async function injectIntoFolder(seeds: readonly ListedSeed[], flags: InjectFlags, clock: SystemClock): Promise<void> {
  const policy = await withCrawl(flags, ({ log, codec, topics }) => readPolicy(log, codec, topics.crawl));
  checkSeeds(
    seeds.map(({ url }) => url),
    policy,
    await listsOfCrawl(policy, flags),
  );
  await sendRequest(flags, clock, (topics) => seedRequest(topics, seeds, clock.nowMs()));
  process.stdout.write(`${seeds.length} seeds sent to the crawl in ${flags.data}\n`);
}

async function readPolicy(...crawl: Parameters<typeof readControl>): Promise<PolicyConfig> {
  const { policy } = await readControl(...crawl);
  if (policy !== null) return parsePolicy(policy.json);
  throw new CrawlstreamError('INVALID_ARGUMENT', 'the crawl has no policy yet: start it with crawlstream crawl');
}

/** A URL, or a list of seeds (topology/url/seed-list.ts) from a file or from standard input. */
async function seedsIn(given: string): Promise<ListedSeed[]> {
  if (given === '-') return parseSeedList(await text(process.stdin), 'standard input');
  if (existsSync(given)) return parseSeedList(await readFile(given, 'utf8'), given);
  return [{ url: parseSeed(given), priority: -1 }];
}
