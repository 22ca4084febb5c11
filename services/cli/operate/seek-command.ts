/**
 * `crawlstream seek`: sets the position of a group.
 *
 * The frontier's positions are part of its state. So for the frontier this is an event on `control`, decided and
 * committed like any other, and a replay has the same result. Positions of other groups on Kafka are committed for them
 * while they have no members; the event records the sender and the time.
 */
import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { soughtTopics } from '../../../topology/frontier/decide/control-payloads.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { type TopicName, topicNames } from '../../../topology/topics.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { counted } from '../../runtime/counted.ts';
import { controlEvent } from '../../runtime/crawl/control-log.ts';
import { statusOf } from '../../runtime/crawl/look.ts';
import type { RequestRecord } from '../../runtime/crawl/requests.ts';
import type { Log } from '../../runtime/log/log.ts';
import { withKafka } from '../connect/kafka-connection.ts';
import { withCrawl } from '../connect/open-crawl.ts';
import { sendRequest } from '../connect/send-request.ts';
import { bad, oneOf, wholeNumber } from '../flags/arguments.ts';
import { addOperatorOptions, type OperatorFlags } from '../flags/operator-flags.ts';
import { print } from '../terminal/print.ts';

interface SeekFlags extends OperatorFlags {
  readonly topic: TopicName;
  readonly to: Target;
  readonly group: string;
  readonly partition?: number;
}

type Target = 'earliest' | 'latest' | { readonly offset: number } | { readonly timeMs: number };

interface Seek {
  readonly partition: number;
  /** null: the group had no position. */
  readonly from: number | null;
  readonly to: number;
}

export function addSeekCommand(program: Command): void {
  const command = program
    .command('seek')
    .description('move a group’s position in a topic: back, or past unreadable records')
    .requiredOption('--topic <name>', 'the topic', oneOf('--topic', topicNames))
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
    throw bad('--group', group, 'in a data folder, only the frontier can be moved; for consumers use --from-start');
  }
  const seeks = isFrontier
    ? await withCrawl(flags, ({ log, topics }) => plan(log, topics.crawl, topics.partitions, flags, flags.data))
    : await seekGroup(flags);
  const { offsets } = await record(flags, seeks);
  const output = seeks.map((one, index) => ({ ...one, control: offsets[index]! }));
  const text = output.map(
    ({ partition: number, from, to, control }) =>
      `${group}: ${topic}/${number} from ${from ?? 'nowhere'} to ${to}, on control at ${number}:${control}`,
  );
  print({ json: { group, topic, seeks: output }, text: text.join('\n') }, flags.json);
}

/** Keeps each position between the first stored record and the end. */
async function plan(
  log: Pick<Log, 'offsetAt' | 'offsets' | 'reader'> & Partial<Pick<Log, 'committed'>>,
  crawl: string,
  partitions: number,
  { group, topic, to, partition }: SeekFlags,
  data?: string,
): Promise<Seek[]> {
  if (partition !== undefined && partition >= partitions) {
    throw bad('--partition', `${partition}`, `the crawl has partitions 0 to ${partitions - 1}`);
  }
  const numbers = partition === undefined ? Array.from({ length: partitions }, (_, number) => number) : [partition];
  return Promise.all(
    numbers.map(async (number) => {
      const name = `${crawl}.${topic}`;
      const { start, end } = await log.offsets(name, number);
      const offset = await offsetOf(log, name, number, to, { start, end });
      if (offset < start || offset > end) {
        throw bad(
          '--to',
          `${offset}`,
          `${name}/${number}${data === undefined ? '' : ` in ${data}`} holds ${start} to ${end}`,
        );
      }
      const from =
        group === 'frontier'
          ? (await statusOf(log, crawl, number)).positions[topic as (typeof soughtTopics)[number]].offset
          : ((await log.committed?.(groupName(crawl, group), name, number)) ?? null);
      return { partition: number, from, to: offset };
    }),
  );
}

async function offsetOf(
  log: Pick<Log, 'offsetAt'>,
  topic: string,
  partition: number,
  to: Target,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<number> {
  if (to === 'earliest') return start;
  if (to === 'latest') return end;
  return 'offset' in to ? to.offset : log.offsetAt(topic, partition, to.timeMs);
}

/** On Kafka. Refused while the group has members: they would commit their own again. */
function seekGroup(flags: SeekFlags): Promise<Seek[]> {
  return withKafka(flags, new SystemClock(), false, async ({ log, manifest: { crawl, partitions } }) => {
    const group = groupName(crawl, flags.group);
    const there = (await log.groups(group)).find((one) => one.group === group);
    if (there === undefined) throw bad('--group', flags.group, `group ${group} does not exist`);
    if (there.members > 0) {
      const message = `group ${group} has ${counted(there.members, 'running member')}: stop the group first`;
      throw new CrawlstreamError('GROUP_ACTIVE', message);
    }
    const seeks = await plan(log, crawl, partitions, flags);
    const topic = `${crawl}.${flags.topic}`;
    await log.commit(
      group,
      seeks.map(({ partition, to }) => ({ topic, partition, offset: to })),
    );
    return seeks;
  });
}

function groupName(crawl: string, group: string): string {
  return group.startsWith(`${crawl}.`) ? group : `${crawl}.${group}`;
}

function record({ group, topic, by, ...flags }: SeekFlags, seeks: readonly Seek[]) {
  const clock = new SystemClock();
  return sendRequest(flags, clock, () =>
    seeks.map(({ partition, to }): RequestRecord => {
      const payload = JSON.stringify({ group, topic, offset: to });
      const id = randomBytes(12).toString('hex');
      const event = controlEvent({ kind: 'seek', atMs: clock.nowMs(), by, payload, id });
      return { topic: 'control', partition, key: null, record: event };
    }),
  );
}

function target(value: string): Target {
  if (value === 'earliest' || value === 'latest') return value;
  if (/^\d{1,15}$/.test(value)) return { offset: Number(value) };
  const timeMs = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(timeMs))
    throw bad('--to', value, 'give earliest, latest, an offset, or a time as in 2026-01-31T12:00Z');
  return { timeMs };
}
