/**
 * The topics of a crawl, declared in one place: name, key, schema, retention.
 *
 * A topic's full name is `<crawl>.<name>`. All topics but the changelog carry Avro, in the Confluent wire format or in
 * Avro's single-object encoding; the changelog has its own format (frontier/changes/codec.ts).
 */

export const topicNames = [
  'discovered',
  'tasks',
  'results',
  'pages',
  'responses',
  'robots',
  'render',
  'duplicates',
  'control',
  'dead-letters',
  'frontier-changelog',
] as const;
export type TopicName = (typeof topicNames)[number];

/** Topics with Avro records, each with `schemas/<name>.avsc`. */
export type AvroTopic = Exclude<TopicName, 'frontier-changelog'>;

export interface TopicSpec {
  readonly name: TopicName;
  /** The key of a record, by which the topic is partitioned. `URL`: on the partition of the URL's host. */
  readonly key: 'partition key' | 'host key' | 'URL' | 'source key' | 'explicit';
  /**
   * Copies of fetched content. An empty record is then valid: it is a tombstone, or replaces an erased copy. `forget`
   * erases the records with a `url` that is gone.
   */
  readonly copies: boolean;
  /** `state`: stored for ever, trimmed only below a kept snapshot. `time`: may be deleted by age. */
  readonly retention: 'state' | 'time';
  /** Settings it is made with on Kafka. They are the operator's from then on. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Absent: records are kept for ever, or the newest of each key. */
  readonly kept?: Kept;
}

/** Until one of them is reached: records without a reader must not fill the brokers' disks. */
export interface Kept {
  readonly days: number;
  /** Bytes per partition. */
  readonly bytes: number;
}

const dayMs = 86_400_000;

function kept(days: number, gibibytes: number): Required<Pick<TopicSpec, 'settings' | 'kept'>> {
  const bytes = gibibytes * 2 ** 30;
  return {
    kept: { days, bytes },
    settings: { 'retention.ms': String(days * dayMs), 'retention.bytes': String(bytes) },
  };
}

/**
 * The same, and of each key the newest alone, as compaction gets to it: every record is there for a day, so that a consumer
 * sees each fetch, and what was taken back (a tombstone) is off the brokers' disks within two or three. A tombstone stays as long
 * as a consumer may be behind.
 */
function keptNewest(days: number, gibibytes: number): Required<Pick<TopicSpec, 'settings' | 'kept'>> {
  const { kept: bounds, settings } = kept(days, gibibytes);
  return {
    kept: bounds,
    settings: {
      ...settings,
      'cleanup.policy': 'compact,delete',
      'min.compaction.lag.ms': String(dayMs),
      'max.compaction.lag.ms': String(2 * dayMs),
      'delete.retention.ms': String(days * dayMs),
    },
  };
}

const declared = {
  discovered: { name: 'discovered', key: 'partition key', copies: false, retention: 'state' },
  // A task is usable until its deadline, minutes.
  tasks: { name: 'tasks', key: 'host key', copies: false, retention: 'time', ...kept(1, 1) },
  results: { name: 'results', key: 'partition key', copies: false, retention: 'state' },
  pages: {
    name: 'pages',
    key: 'URL',
    copies: true,
    retention: 'time',
    ...keptNewest(7, 20),
  },
  // Raw bodies: as long as an archive may be away.
  responses: { name: 'responses', key: 'host key', copies: true, retention: 'time', ...kept(3, 20) },
  // What an audit holds requests against: the newest copy of each robots.txt, however old.
  robots: {
    name: 'robots',
    key: 'host key',
    copies: false,
    retention: 'time',
    settings: { 'cleanup.policy': 'compact' },
  },
  // Pages for the browser: after a longer wait, a page had better be fetched again.
  render: { name: 'render', key: 'host key', copies: true, retention: 'time', ...kept(1, 5) },
  duplicates: { name: 'duplicates', key: 'host key', copies: true, retention: 'time', ...kept(7, 5) },
  control: { name: 'control', key: 'explicit', copies: false, retention: 'state' },
  // A person has to look at them first.
  'dead-letters': { name: 'dead-letters', key: 'source key', copies: false, retention: 'time', ...kept(30, 5) },
  'frontier-changelog': { name: 'frontier-changelog', key: 'explicit', copies: false, retention: 'state' },
} as const satisfies Readonly<Record<TopicName, TopicSpec>>;

export const topics: Readonly<Record<TopicName, TopicSpec>> = declared;

/** Topics with copies of fetched content. */
export type CopyTopic = {
  [Name in TopicName]: (typeof declared)[Name] extends { readonly copies: true } ? Name : never;
}[TopicName];

export function holdsCopies(topic: TopicName): topic is CopyTopic {
  return topics[topic].copies;
}

export function topicsWithCopies(): readonly CopyTopic[] {
  return topicNames.filter(holdsCopies);
}

/** All topics of a crawl, by their full names. */
export function topicsOfCrawl(crawl: string, partitions: number) {
  return topicNames.map((name) => {
    const { retention, settings = {} } = topics[name];
    return { name: `${crawl}.${name}`, partitions, retention, settings };
  });
}
