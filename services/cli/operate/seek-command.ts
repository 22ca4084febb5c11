/**
 * `crawlstream seek`: sets the position of a group.
 *
 * The frontier's positions are part of its state. So for the frontier this is an event on `control`, decided and
 * committed like any other, and a replay has the same result. Positions of other groups on Kafka are committed for them
 * while they have no members; the event records the sender and the time.
 */
import type { Command } from 'commander';
import { soughtTopics } from '../../../topology/frontier/decide/control-payloads.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { topicNames } from '../../../topology/topics.ts';
import { withCrawl } from '../../hosting/connect/open-crawl.ts';
import { planSeek, recordSeek, type SeekFlags, seekGroup, type Target } from '../../operation/plan-seek.ts';
import { bad } from '../../runtime/option-text.ts';
import { oneOf, wholeNumber } from '../flags/arguments.ts';
import { addOperatorOptions } from '../flags/operator-flags.ts';
import { print } from '../terminal/print.ts';

export function addSeekCommand(program: Command): void {
  const command = program
    .command('seek')
    .description('move a group’s position in a topic: back, or past unreadable records')
    .requiredOption('--topic <name>', 'topic in which the position moves', oneOf('--topic', topicNames))
    .requiredOption('--to <where>', 'earliest, latest, an offset, or a time as in 2026-01-31T12:00:00Z', target)
    .option('--partition <n>', 'only this partition', wholeNumber('--partition', 0, crawlLimits.partitionsMax - 1))
    .option('--group <name>', 'frontier, or on Kafka fetcher or the name of any group of the crawl', 'frontier');
  addOperatorOptions(command)
    .addHelpText(
      'after',
      '\nExample:\n  crawlstream seek --topic discovered --to earliest --data crawl-data/example.org',
    )
    .action(seek);
}

async function seek(flags: SeekFlags): Promise<void> {
  const { group, topic, partition } = flags;
  if (typeof flags.to === 'object' && 'offset' in flags.to && partition === undefined) {
    throw bad('--to', `${flags.to.offset}`, 'an offset belongs to one partition: add --partition');
  }
  const isFrontier = group === 'frontier';
  if (isFrontier && !soughtTopics.some((one) => one === topic)) {
    throw bad('--topic', topic, `positions of the frontier can be moved only in ${soughtTopics.join(' and ')}`);
  }
  if (!isFrontier && flags.brokers === undefined) {
    throw bad(
      '--group',
      group,
      'in a data folder, only the frontier can be moved; run a consumer with --from-start instead',
    );
  }
  const seeks = isFrontier
    ? await withCrawl(flags, ({ log, topics }) => planSeek(log, topics.crawl, topics.partitions, flags, flags.data))
    : await seekGroup(flags);
  const { offsets } = await recordSeek(flags, seeks);
  const output = seeks.map((one, index) => ({ ...one, control: offsets[index]! }));
  const text = output.map(
    ({ partition: number, from, to, control }) =>
      `${group}: ${topic}/${number} from ${from ?? 'nowhere'} to ${to}, on control at ${number}:${control}`,
  );
  print({ json: { group, topic, seeks: output }, text: text.join('\n') }, flags.json);
}

function target(value: string): Target {
  if (value === 'earliest' || value === 'latest') return value;
  if (/^\d{1,15}$/.test(value)) return { offset: Number(value) };
  const timeMs = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(timeMs))
    throw bad('--to', value, 'give earliest, latest, an offset, or a time as in 2026-01-31T12:00Z');
  return { timeMs };
}
