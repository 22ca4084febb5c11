/** A record of `control`, `results` or `discovered` as an input of the partition it is on. */
import type { InputTopic } from '../../../topology/frontier/changes/changelog.ts';
import type { PassedOn } from '../../../topology/frontier/decide/misrouted.ts';
import { enterInput } from '../../../topology/frontier/enter-input.ts';
import type { Input } from '../../../topology/frontier/partition.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { AppendRecord, LogRecord } from '../log/log.ts';

/** Header of records that a partition's owner passed on: it names that partition. */
export const passedOnHeader = 'crawlstream-passed-on';

export function inputOf(topic: string): InputTopic {
  return topic.slice(topic.lastIndexOf('.') + 1) as InputTopic;
}

/** The record's schema must have been prepared (`codec.prepare`). */
export function frontierInput(
  codec: RecordCodec,
  topic: InputTopic,
  { offset, leaderEpoch, value, headers }: Pick<LogRecord, 'offset' | 'leaderEpoch' | 'value' | 'headers'>,
): Input {
  try {
    const record = codec.decode(topic, value);
    const isPassedOn = headers[passedOnHeader] !== undefined;
    const input = isPassedOn
      ? { topic, offset, leaderEpoch, passedOn: value, record }
      : { topic, offset, leaderEpoch, record };
    return enterInput(input as Input & { readonly record: object }, value);
  } catch (error) {
    return { topic, offset, leaderEpoch, record: null, bytes: value, why: (error as Error).message };
  }
}

/** `from`: the partition that passes it on. */
export function passedOnRecord(codec: RecordCodec, crawl: string, from: number, one: PassedOn): AppendRecord {
  const { topic, partition, key } = one;
  return {
    topic: `${crawl}.${topic}`,
    partition,
    key: Buffer.from(key),
    value: encoded(codec, one),
    headers: { [passedOnHeader]: `${from}` },
  };
}

function encoded(codec: RecordCodec, one: PassedOn): Buffer {
  if (one.topic === 'control') return codec.encode('control', one.record);
  return one.topic === 'results' ? codec.encode('results', one.record) : codec.encode('discovered', one.record);
}
