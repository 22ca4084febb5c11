/** `crawlstream topics`: a crawl's topics on Kafka, made before anybody starts, or looked at. */
import type { Command } from 'commander';
import { topicsOfCrawl } from '../../../topology/topics.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { surplusOf, surplusText } from '../../runtime/crawl/surplus-partitions.ts';
import { withKafka } from '../connect/kafka-connection.ts';
import type { KafkaFlags } from '../flags/kafka-flags.ts';
import { addKafkaOptions } from '../flags/kafka-flags.ts';

interface TopicsFlags extends KafkaFlags {
  readonly json?: boolean;
}

export function addTopicsCommand(program: Command): void {
  const topics = program.command('topics').description('the topics of a crawl on Kafka: create, check');
  addTopicsOptions(
    topics.command('create').description('make the topics and the manifest of a crawl, or check those that are there'),
  ).action((flags: TopicsFlags) => look(flags, true));
  addTopicsOptions(
    topics
      .command('check')
      .description('tell whether the topics are as the crawl needs them; exit code 1: they are not'),
  ).action((flags: TopicsFlags) => look(flags, false));
}

function addTopicsOptions(command: Command): Command {
  return addKafkaOptions(command, 'not used: topics are on Kafka').option('--json', 'as one JSON object');
}

/** What is wrong is an error that names the topic, the setting and the command that mends it. */
async function look(flags: TopicsFlags, creates: boolean): Promise<void> {
  await withKafka(flags, new SystemClock(), creates, async ({ log, manifest }) => {
    const { crawl, partitions, keyMode } = manifest;
    const specs = topicsOfCrawl(crawl, partitions);
    const missing = [];
    for (const { name } of specs) if ((await log.partitionsOf(name)) === 0) missing.push(name);
    // Those that are there are compared; with none missing, none is made.
    if (missing.length === 0) await log.createTopics(specs);
    else process.exitCode = 1;
    const surplus = await surplusOf({ log, crawl, partitions });
    const names = specs.map(({ name }) => name);
    if (flags.json) {
      process.stdout.write(`${JSON.stringify({ crawl, partitions, keyMode, topics: names, missing, surplus })}\n`);
      return;
    }
    const warning = surplusText(surplus, partitions);
    if (warning !== null) process.stderr.write(`crawlstream: ${warning}\n`);
    const says = missing.length === 0 ? 'all as they should be' : `missing: ${missing.join(', ')}`;
    process.stdout.write(`${names.length} topics of crawl ${crawl}, ${partitions} partitions each: ${says}\n`);
  });
}
