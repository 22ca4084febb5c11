/**
 * The topics of a crawl, declared in one place: name, key, schema, retention.
 *
 * A topic's full name is `<crawl>.<name>`. All topics but the changelog carry Avro in the Confluent wire format;
 * the changelog has a format of its own (frontier/codec.ts).
 */

export const topicNames = [
  'discovered',
  'tasks',
  'results',
  'pages',
  'responses',
  'render',
  'duplicates',
  'control',
  'dead-letters',
  'frontier-changelog',
] as const;
export type TopicName = (typeof topicNames)[number];

/** Topics whose records are Avro, each with `schemas/<name>.avsc`. */
export type AvroTopic = Exclude<TopicName, 'frontier-changelog'>;

export interface TopicSpec {
  readonly name: TopicName;
  /** What a record's key is, and so what the topic is partitioned by. */
  readonly key: 'partition key' | 'host key' | 'source key' | 'explicit';
  /** `state`: kept for ever, trimmed only below a kept snapshot. `time`: may go by age. */
  readonly retention: 'state' | 'time';
}

export const topics: Readonly<Record<TopicName, TopicSpec>> = {
  discovered: { name: 'discovered', key: 'partition key', retention: 'state' },
  tasks: { name: 'tasks', key: 'host key', retention: 'time' },
  results: { name: 'results', key: 'partition key', retention: 'state' },
  pages: { name: 'pages', key: 'host key', retention: 'time' },
  responses: { name: 'responses', key: 'host key', retention: 'time' },
  render: { name: 'render', key: 'host key', retention: 'time' },
  duplicates: { name: 'duplicates', key: 'host key', retention: 'time' },
  control: { name: 'control', key: 'explicit', retention: 'state' },
  'dead-letters': { name: 'dead-letters', key: 'source key', retention: 'time' },
  'frontier-changelog': { name: 'frontier-changelog', key: 'explicit', retention: 'state' },
};
