/** `crawlstream topics`: makes a crawl's topics on Kafka before any process starts, or shows them. */
import type { Command } from 'commander';
import { topicsOfCrawl } from '../../../topology/topics.ts';
import { partitionsDefault, withKafka } from '../../hosting/connect/kafka-connection.ts';
import { risksOf } from '../../hosting/connect/risks-of.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import { kafkaTopic, manifestText } from '../../planning/strimzi.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { surplusOf, surplusText } from '../../runtime/crawl/surplus-partitions.ts';
import { replicasDefault } from '../../runtime/log/kafka/topic-settings.ts';
import { toStderr, toStdout } from '../../runtime/logging/door.ts';
import { wholeNumber } from '../flags/arguments.ts';
import { addKafkaOptions } from '../flags/kafka-flags.ts';

interface TopicsFlags extends KafkaFlags {
  readonly json?: boolean;
}

interface CreateFlags extends TopicsFlags {
  readonly strimzi?: string;
  readonly replicas?: number;
}

export function addTopicsCommand(program: Command): void {
  const topics = program.command('topics').description('the topics of a crawl on Kafka: create, check');
  addTopicsOptions(
    topics.command('create').description('create the topics and the manifest of a crawl, or check existing ones'),
  )
    .option('--strimzi <cluster>', 'create no topics; print KafkaTopic resources for Strimzi and this Kafka cluster')
    .option(
      '--replicas <n>',
      `with --strimzi: replicas of each partition (default: ${replicasDefault})`,
      wholeNumber('--replicas', 1),
    )
    .action((flags: CreateFlags) => (flags.strimzi === undefined ? look(flags, true) : printStrimzi(flags)));
  addTopicsOptions(
    topics.command('check').description('check the settings of the topics; exit code 1 if one is wrong'),
  ).action((flags: TopicsFlags) => look(flags, false));
}

/**
 * Asks no broker: Strimzi's operator makes the topics, and the first frontier, or this command without --strimzi, makes
 * the manifest.
 */
function printStrimzi({ strimzi, crawl, partitions = partitionsDefault, replicas = replicasDefault }: CreateFlags) {
  const topics = topicsOfCrawl(crawl, partitions).map((topic) => kafkaTopic(topic, replicas, strimzi!));
  toStdout(manifestText(topics));
}

function addTopicsOptions(command: Command): Command {
  return addKafkaOptions(command, 'not used: topics are on Kafka').option('--json', 'print one JSON object');
}

/** Each mistake is an error that names the topic, the setting and the command that mends it. */
async function look(flags: TopicsFlags, creates: boolean): Promise<void> {
  await withKafka(flags, new SystemClock(), creates, async ({ log, manifest }) => {
    const { crawl, partitions, keyMode } = manifest;
    const specs = topicsOfCrawl(crawl, partitions);
    const missing = [];
    for (const { name } of specs) if ((await log.partitionsOf(name)) === 0) missing.push(name);
    // Existing topics are compared; if none is missing, none is made.
    if (missing.length === 0) await log.createTopics(specs);
    else process.exitCode = 1;
    const surplus = await surplusOf({ log, crawl, partitions });
    const risks = (await risksOf(log, manifest)).map(({ text }) => text);
    const names = specs.map(({ name }) => name);
    if (flags.json) {
      toStdout(`${JSON.stringify({ crawl, partitions, keyMode, topics: names, missing, surplus, risks })}\n`);
      return;
    }
    const warning = surplusText(surplus, partitions);
    if (warning !== null) toStderr(`crawlstream: ${warning}\n`);
    for (const risk of risks) toStderr(`crawlstream: ${risk}\n`);
    const says = missing.length === 0 ? 'all as they should be' : `missing: ${missing.join(', ')}`;
    toStdout(`${names.length} topics of crawl ${crawl}, ${partitions} partitions each: ${says}\n`);
  });
}
