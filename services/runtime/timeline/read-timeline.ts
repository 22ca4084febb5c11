/**
 * Reads the history of a URL from a crawl's topics, running or not: every event, from every topic, in order.
 *
 * Of each topic, it reads only the partition of the URL's host key; of topics that fetchers and consumers write, only
 * records from after the URL was first found. A record is decoded only if its bytes contain the host. Memory: the
 * URL's events, and its host's queue.
 */
import type { TopicRecords } from '../../../schemas/types.ts';
import { readChangelog } from '../../../topology/frontier/changes/changelog.ts';
import { compilePolicy, type Policy } from '../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { CommitEvents } from '../../../topology/timeline/commit-events.ts';
import { Discoveries } from '../../../topology/timeline/discoveries.ts';
import type { Place } from '../../../topology/timeline/record-events.ts';
import {
  controlEvents,
  deadLetterEvents,
  duplicateEvents,
  pageEvents,
  renderEvents,
  responseEvents,
  resultEvents,
  Subject,
  taskEvents,
} from '../../../topology/timeline/record-events.ts';
import type { TimelineEvent, UnversionedEvent } from '../../../topology/timeline/timeline-event.ts';
import { inOrder } from '../../../topology/timeline/timeline-event.ts';
import type { AvroTopic } from '../../../topology/topics.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { ListSource } from '../../../topology/url/url-lists.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { CrawlTopics } from '../crawl/requests.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';

export interface TimelineSource {
  readonly log: Pick<Log, 'committed' | 'offsetAt' | 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly topics: CrawlTopics;
  /** Lists that the newest policy refers to. */
  readonly lists: ListSource;
}

export interface Timeline {
  readonly url: string;
  readonly hostKey: string;
  readonly partition: number;
  readonly events: readonly TimelineEvent[];
  /** Above 0: the changelog before this offset is gone. */
  readonly changelogStart: number;
  /** Time of the newest commit in the changelog, ms. */
  readonly asOfMs: number;
}

type EventsOf<T extends AvroTopic> = (subject: Subject, record: TopicRecords[T], place: Place) => UnversionedEvent[];

/** Written by fetchers and consumers: nothing is in them before the URL was found. */
const later: { readonly [T in AvroTopic]?: EventsOf<T> } = {
  tasks: taskEvents,
  results: resultEvents,
  pages: pageEvents,
  responses: responseEvents,
  render: renderEvents,
  duplicates: duplicateEvents,
  'dead-letters': deadLetterEvents,
};

/** `url` is normal; `policy` is the newest. */
export async function readTimeline(source: TimelineSource, url: string, policy: Policy): Promise<Timeline> {
  const { log, codec, topics, lists } = source;
  const { crawl, partitions, keyMode } = topics;
  const hostKey = hostKeyOf(url);
  const partitionKey = partitionKeyOf(hostKey, keyMode);
  const partition = partitionOf(partitionKey, partitions);
  const subject = new Subject(url, hostKey, policy.normalize);
  const discoveries = new Discoveries(subject);
  const found: UnversionedEvent[] = [];
  // A group by its host key; a foreign producer's by the partition key, which ends every host key below it.
  const groupKeys = [hostKey, partitionKey];

  const read = async <T extends AvroTopic>(topic: T, fromMs: number, names: string, eventsOf: EventsOf<T>) => {
    const full = `${crawl}.${topic}`;
    const { start, end } = await log.offsets(full, partition);
    if (start >= end) return;
    const from = fromMs === 0 ? start : Math.max(start, await log.offsetAt(full, partition, fromMs));
    const name = Buffer.from(names);
    for await (const { offset, value, timestampMs } of recordsOf(log, full, partition, from, end)) {
      if (name.length > 0 && !value.includes(name)) continue;
      const record = await decoded(codec, topic, value);
      if (record !== undefined) found.push(...eventsOf(subject, record, { topic, partition, offset, timestampMs }));
    }
  };

  await read('control', 0, '', controlEvents);
  await read('discovered', 0, partitionKey, (_, message, place) => discoveries.take(message, place, groupKeys));

  const commits = new CommitEvents(subject, partition, discoveries, (_, json) => compiled(json, lists));
  const changelog = await log.offsets(`${crawl}.frontier-changelog`, partition);
  const name = Buffer.from(hostKey);
  const decided: TimelineEvent[] = [];
  const { start, end } = changelog;
  for await (const { offset, value } of recordsOf(log, `${crawl}.frontier-changelog`, partition, start, end)) {
    const record = readChangelog(value);
    if (record.kind !== 'foreign') decided.push(...commits.take(offset, record, value.includes(name)));
  }

  const firstMs = [...found, ...decided].reduce(
    (first, { kind, atMs }) => (kind === 'control' ? first : Math.min(first, atMs)),
    Number.POSITIVE_INFINITY,
  );
  if (firstMs < Number.POSITIVE_INFINITY || start > 0) {
    const fromMs = start > 0 ? 0 : firstMs;
    for (const topic of Object.keys(later) as (keyof typeof later)[])
      await read(topic, fromMs, hostKey, later[topic] as EventsOf<typeof topic>);
  }
  found.push(...(await indexed(source, found)));
  const events = [...found.map((event) => commits.versioned(event)), ...decided].sort(inOrder);
  return { url, hostKey, partition, events, changelogStart: start, asOfMs: commits.timeline.nowMs };
}

/**
 * Records of `pages` before the indexer's position: no topic shows that they are indexed, but the group's position
 * does.
 */
async function indexed(
  { log, topics }: TimelineSource,
  events: readonly UnversionedEvent[],
): Promise<UnversionedEvent[]> {
  const pages = events.filter(({ kind }) => kind === 'page');
  if (pages.length === 0) return [];
  const position = await log.committed(`${topics.crawl}.index`, `${topics.crawl}.pages`, pages[0]!.partition);
  return pages
    .filter(({ offset }) => position !== undefined && offset < position)
    .map((page) => {
      const isShown = page.details['noindex'] !== true;
      const text = isShown
        ? 'read by the indexer'
        : 'read by the indexer, and skipped because the page forbids indexing';
      return { ...page, kind: 'indexed', text, details: { group: 'index', position } };
    });
}

/** Undefined if the record cannot be read: it is among the dead letters. */
async function decoded<T extends AvroTopic>(
  codec: RecordCodec,
  topic: T,
  value: Buffer,
): Promise<TopicRecords[T] | undefined> {
  await codec.prepare(topic, value);
  try {
    return codec.decode(topic, value);
  } catch {
    return undefined;
  }
}

/** null: it refers to a list that no longer exists. */
function compiled(json: string, lists: ListSource): Policy | null {
  try {
    return compilePolicy(parsePolicy(json), lists);
  } catch {
    return null;
  }
}
