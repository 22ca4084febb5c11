/**
 * The contract of each topic with other programs: its key, the partition that follows from the key, headers, order and
 * duplicates. docs/wire.md is generated from it, and a test on a real broker checks the records of a crawl against it.
 */
import type { TopicName } from '../topics.ts';
import { type KeyMode, partitionKeyOf } from '../url/host-key.ts';
import { partitionOf } from '../url/partition.ts';

export interface WireFacts {
  readonly key: string;
  /**
   * Returns the hashed part of a key. null: the key does not decide; the record goes to the partition that it is about.
   */
  readonly hashed: ((key: string, mode: KeyMode) => string) | null;
  /** The same in words, with a function that can be written in any language. */
  readonly leads: string;
  /** Writers besides the processors that declare the topic; empty: none. */
  readonly others: string;
  readonly headers: string;
  readonly order: string;
  readonly duplicates: string;
}

const host = 'the host name without port, cut out of the key';
const none = 'none';
const afterKill = 'a producer that was killed may write a record again';

/** Host key or URL, less scheme, path and port. */
function hostOf(key: string, mode: KeyMode): string {
  const [, hostKey = ''] = /^(?:https?:\/\/)?([^/ ]*)/.exec(key) ?? [];
  return partitionKeyOf(hostKey, mode);
}

export const wire: Readonly<Record<TopicName, WireFacts>> = {
  discovered: {
    key: 'partition key: host name without port; in a crawl with the key `domain`, the registrable domain',
    hashed: (key) => key,
    leads: 'the whole key',
    others: '`inject`, your producers',
    headers: '`crawlstream-passed-on` where a frontier passed it on from a wrong partition',
    order: 'of one producer, as sent',
    duplicates: `allowed: a known URL is a duplicate; ${afterKill}`,
  },
  tasks: {
    key: 'host key: host name, with `:port` where the URL has one',
    hashed: hostOf,
    leads: host,
    others: '',
    headers: none,
    order: 'as granted, by the partition’s frontier',
    duplicates: 'a lease may be sent again: its id and epoch are the same',
  },
  results: {
    key: 'partition key',
    hashed: (key) => key,
    leads: 'the whole key',
    others: 'lease clients',
    headers: '`crawlstream-passed-on` where a frontier passed it on',
    order: 'of one lease, as it came back',
    duplicates: `${afterKill}: the second result of a lease is late, and counted`,
  },
  pages: {
    key: 'the URL in normal form',
    hashed: hostOf,
    leads: 'the host name without port, cut out of the key',
    others: '`forget`, with empty values',
    headers: '`traceparent` where the URL is traced',
    order: 'of one URL, as fetched; of a host, as fetched, but for pages that a browser rendered',
    duplicates: `a URL has a record for each fetch; ${afterKill}. The newest counts, and an empty value takes it back`,
  },
  responses: {
    key: 'host key',
    hashed: hostOf,
    leads: host,
    others: 'only with `--responses`',
    headers: none,
    order: 'of a host, as fetched',
    duplicates: afterKill,
  },
  robots: {
    key: 'origin, a space, hash of the robots.txt; empty hash: the site has none',
    hashed: hostOf,
    leads: host,
    others: '',
    headers: none,
    order: 'of an origin, as fetched',
    duplicates: 'the same copy may be written again; compaction keeps one',
  },
  render: {
    key: 'host key',
    hashed: hostOf,
    leads: host,
    others: '',
    headers: none,
    order: 'of a host, as fetched',
    duplicates: afterKill,
  },
  duplicates: {
    key: 'host key',
    hashed: hostOf,
    leads: host,
    others: '',
    headers: none,
    order: 'of a URL, as decided: the newest counts',
    duplicates: 'a verdict may be written again',
  },
  control: {
    key: 'none, or the host key that an event is about',
    hashed: null,
    leads: 'nothing: an event is on the partition that it is about, and crawl-wide ones are on all',
    others: 'operators’ commands',
    headers: '`crawlstream-passed-on` where a frontier passed it on',
    order: 'of one producer, as sent',
    duplicates: 'an event may be written again; applying it twice changes nothing',
  },
  'dead-letters': {
    key: 'the key of the record that was given up on, or its host key',
    hashed: null,
    leads: 'nothing: a dead letter is on the partition of its record',
    others: 'your consumers',
    headers: none,
    order: 'as given up on',
    duplicates: afterKill,
  },
  'frontier-changelog': {
    key: 'none',
    hashed: null,
    leads: 'nothing: commits of a partition are on it',
    others: 'a record of any other is skipped, counted and an alert',
    headers: none,
    order: 'as decided; later records depend on earlier ones',
    duplicates: 'none: a commit has a number',
  },
};

/** Partition of a record with this key; null: its key does not decide. */
export function partitionOfRecord(topic: TopicName, key: string, partitions: number, mode: KeyMode): number | null {
  const { hashed } = wire[topic];
  return hashed === null ? null : partitionOf(hashed(key, mode), partitions);
}
