/** Arguments of a consumer's handler: decoded records, each with its time and place in the log. */
import type { TopicRecords } from '../../../schemas/types.ts';
import type { AvroTopic } from '../../../topology/topics.ts';
import type { LogRecord } from '../log/log.ts';

/** One record. `topic` is its topic, if several are read: `if (one.topic === 'pages') one.value.title`. */
export type Received<T extends AvroTopic> = {
  [Name in T]: {
    readonly topic: Name;
    readonly value: TopicRecords[Name];
    readonly partition: number;
    readonly offset: number;
    /** Time of the append, ms since the Unix epoch. */
    readonly timestampMs: number;
    /** The undecoded record, for dead letters. */
    readonly record: LogRecord;
  };
}[T];
