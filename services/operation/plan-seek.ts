/** Plans the positions at which the readers of a topic continue. */

import { randomBytes } from 'node:crypto';
import { CrawlstreamError } from '../../topology/errors.ts';
import type { soughtTopics } from '../../topology/frontier/decide/control-payloads.ts';
import type { TopicName } from '../../topology/topics.ts';
import { withKafka } from '../hosting/connect/kafka-connection.ts';
import { sendRequest } from '../hosting/connect/send-request.ts';
import type { OperatorFlags } from '../hosting/options/operator.ts';
import { SystemClock } from '../runtime/clock.ts';
import { counted } from '../runtime/counted.ts';
import { controlEvent } from '../runtime/crawl/control-log.ts';
import { statusOf } from '../runtime/crawl/look.ts';
import type { RequestRecord } from '../runtime/crawl/requests.ts';
import type { Log } from '../runtime/log/log.ts';
import { bad } from '../runtime/option-text.ts';

export interface SeekFlags extends OperatorFlags {
  readonly topic: TopicName;
  readonly to: Target;
  readonly group: string;
  readonly partition?: number;
}

export type Target = 'earliest' | 'latest' | { readonly offset: number } | { readonly timeMs: number };

export interface Seek {
  readonly partition: number;
  /** null: the group had no position. */
  readonly from: number | null;
  readonly to: number;
}

/** Keeps each position between the first stored record and the end. */
export async function planSeek(
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
          `${name}/${number}${data === undefined ? '' : ` in ${data}`} has offsets from ${start} to ${end}; give one of them`,
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
export function seekGroup(flags: SeekFlags): Promise<Seek[]> {
  return withKafka(flags, new SystemClock(), false, async ({ log, manifest: { crawl, partitions } }) => {
    const group = groupName(crawl, flags.group);
    const there = (await log.groups(group)).find((one) => one.group === group);
    if (there === undefined) throw bad('--group', flags.group, `group ${group} does not exist`);
    if (there.members > 0) {
      const message = `group ${group} has ${counted(there.members, 'running member')}: stop the group first`;
      throw new CrawlstreamError('GROUP_ACTIVE', message);
    }
    const seeks = await planSeek(log, crawl, partitions, flags);
    const topic = `${crawl}.${flags.topic}`;
    await log.commit(
      group,
      seeks.map(({ partition, to }) => ({ topic, partition, offset: to })),
    );
    return seeks;
  });
}

export function groupName(crawl: string, group: string): string {
  return group.startsWith(`${crawl}.`) ? group : `${crawl}.${group}`;
}

export function recordSeek({ group, topic, by, ...flags }: SeekFlags, seeks: readonly Seek[]) {
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
