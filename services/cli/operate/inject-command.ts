/**
 * `crawlstream inject`: adds seeds to a crawl, on Kafka or in a data folder, from the command line, a file, or standard
 * input. It also adds sitemaps: fetchers read them and find their URLs, under robots.txt and with the host's delay.
 *
 * All seeds are checked before the first is sent. They are sent in portions: a million take some seconds, and memory
 * for a few copies of their text. A command that is stopped between two portions can be repeated.
 */
import { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { sitemapsEveryMs } from '../../../topology/policy/sitemaps.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import type { ListedSeed } from '../../../topology/url/seed-list.ts';
import { spellingOf } from '../../../topology/url/spelling.ts';
import { withKafka } from '../../hosting/connect/kafka-connection.ts';
import { withCrawl } from '../../hosting/connect/open-crawl.ts';
import { listsOfCrawl } from '../../hosting/connect/policy-lists.ts';
import { sendRequest } from '../../hosting/connect/send-request.ts';
import { sendToKafka } from '../../hosting/connect/send-to-kafka.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import { operatorName } from '../../hosting/options/operator.ts';
import type { PolicyFlags } from '../../hosting/policy/policy-of.ts';
import { checkSeeds, normalSeeds } from '../../hosting/policy/seeds.ts';
import { createWorkBar } from '../../hosting/progress/work-bar.ts';
import { type Clock, SystemClock } from '../../runtime/clock.ts';
import { counted } from '../../runtime/counted.ts';
import { readControl } from '../../runtime/crawl/control-log.ts';
import { policyRequest, seedRequest } from '../../runtime/crawl/requests.ts';
import { addCompressionOption, addKafkaOptions } from '../flags/kafka-flags.ts';
import { addPolicyOptions } from '../flags/policy-flags.ts';
import { seedArguments, seedKeysSetting } from '../flags/seed-arguments.ts';
import { print } from '../terminal/print.ts';

interface InjectFlags extends KafkaFlags, PolicyFlags {
  readonly newPolicy?: boolean;
  readonly seedKeys?: readonly string[];
  readonly json?: boolean;
}

export function addInjectCommand(program: Command): void {
  const command = program
    .command('inject')
    .description('send seeds or sitemaps to a crawl, running or not; the first seeds on Kafka also set its policy')
    .argument(
      '[seed...]',
      'URLs, files with one URL a line (priority=0 to 7, depth=1 and tags=a,b may follow) or tables of them (.csv, .tsv, .jsonl), or - for standard input',
    );
  addPolicyOptions(command);
  addCompressionOption(addKafkaOptions(command, 'data folder of the crawl, instead of brokers'))
    .addOption(seedKeysSetting())
    .option('--new-policy', 'on Kafka, replace the policy in force by the policy options of this command')
    .option('--json', 'print one JSON object')
    .action((given: string[], flags: InjectFlags) => {
      if (flags.brokers === undefined && flags.data !== undefined) refusePolicyOptions(command);
      return inject(given, flags);
    });
}

/** In a data folder, the policy is that of the crawl. Throws INVALID_ARGUMENT for an option that would change it. */
function refusePolicyOptions(command: Command): void {
  const ofPolicy = new Set(addPolicyOptions(new Command()).options.map((option) => option.attributeName()));
  const given = command.options.find((option) => {
    const name = option.attributeName();
    const isRefused = name === 'newPolicy' || (ofPolicy.has(name) && name !== 'sitemap');
    return isRefused && command.getOptionValueSource(name) === 'cli';
  });
  if (given === undefined) return;
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    `${given.long} changes no policy with --data: give it to crawlstream crawl, or use crawlstream policy set`,
  );
}

async function inject(given: string[], flags: InjectFlags): Promise<void> {
  const clock = new SystemClock();
  const beganMs = clock.nowMs();
  const { sitemap: sitemaps = [] } = flags;
  if (given.length === 0 && sitemaps.length === 0) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      'nothing to inject: give URLs, a file of URLs, - for standard input, or --sitemap',
    );
  }
  const listed = await seedArguments(given, flags.seedKeys);
  const urls = normalSeeds(listed.map(({ url }) => url));
  const seeds = listed.map(({ isGuess: _, ...seed }, index) => ({
    ...seed,
    url: urls[index]!,
    spelling: spellingOf(seed.url, urls[index]!),
  }));
  const isInFolder = flags.brokers === undefined && flags.data !== undefined;
  const policy = isInFolder ? await injectIntoFolder(seeds, flags, clock) : await injectIntoKafka(seeds, flags, clock);
  await nameSitemaps(policy, sitemaps, flags, clock);
  const crawl = isInFolder ? `the crawl in ${flags.data}` : `crawl ${flags.crawl}`;
  const seconds = (clock.nowMs() - beganMs) / 1_000;
  const what = [
    ...(seeds.length > 0 || sitemaps.length === 0 ? [`${counted(seeds.length, 'seed')}`] : []),
    ...(sitemaps.length > 0 ? [`${counted(sitemaps.length, 'sitemap')}`] : []),
  ];
  const took = seconds < 1 ? '' : ` in ${seconds.toFixed(1)} s`;
  print(
    { json: { seeds: seeds.length, sitemaps, seconds }, text: `${what.join(' and ')} sent to ${crawl}${took}` },
    flags.json,
  );
}

/** A frontier that was started with this command makes the topics; without one, this says that there is no crawl. */
const frontierWaitMs = 30_000;

async function injectIntoKafka(seeds: readonly ListedSeed[], flags: InjectFlags, clock: Clock): Promise<PolicyConfig> {
  const untilMs = clock.nowMs() + frontierWaitMs;
  for (;;) {
    try {
      return await withKafka(flags, clock, 'joins', (connection) =>
        sendToKafka({ ...connection, clock, seeds, flags, flagsDo: flags.newPolicy === true ? 'replace' : 'nothing' }),
      );
    } catch (error) {
      const waits = error instanceof CrawlstreamError && error.code === 'CRAWL_MISSING' && clock.nowMs() < untilMs;
      if (!waits) throw error;
      await clock.sleepUntil(clock.nowMs() + 500);
    }
  }
}

/** The policy of a data folder is that of its crawl: seeds must be within its scope. */
async function injectIntoFolder(seeds: readonly ListedSeed[], flags: InjectFlags, clock: Clock): Promise<PolicyConfig> {
  const policy = await withCrawl(flags, ({ log, codec, topics }) => readPolicy(log, codec, topics.crawl));
  checkSeeds(
    seeds.map(({ url }) => url),
    policy,
    await listsOfCrawl(policy, flags),
  );
  const bar = createWorkBar('URLs sent', seeds.length);
  for (let at = 0; at < seeds.length; at += crawlLimits.seedsPerRequest) {
    const some = seeds.slice(at, at + crawlLimits.seedsPerRequest);
    await sendRequest(flags, clock, (topics) => seedRequest(topics, some, clock.nowMs()));
    bar.add(some.length);
  }
  bar.end();
  return policy;
}

/** A new version of the policy that names them too: their hosts are due at once. A policy just made of `flags` has them. */
async function nameSitemaps(
  policy: PolicyConfig,
  sitemaps: readonly string[],
  flags: InjectFlags,
  clock: Clock,
): Promise<void> {
  const { everyMs = sitemapsEveryMs, rules = [] } = policy.sitemaps ?? {};
  const known = new Set(rules.flatMap(({ urls }) => urls));
  const news = sitemaps.filter((one) => !known.has(one));
  if (news.length === 0) return;
  const atMs = clock.nowMs();
  const version = Math.max(atMs, policy.version + 1);
  const next = { ...policy, version, sitemaps: { everyMs, rules: [...rules, { urls: news }] } };
  await sendRequest(flags, clock, (topics) => policyRequest(topics, next, operatorName(), atMs));
}

async function readPolicy(...crawl: Parameters<typeof readControl>): Promise<PolicyConfig> {
  const { policy } = await readControl(...crawl);
  if (policy !== null) return parsePolicy(policy.json);
  throw new CrawlstreamError('INVALID_ARGUMENT', 'the crawl has no policy yet: start it with crawlstream crawl');
}
