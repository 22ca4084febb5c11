/**
 * The topics of a crawl that are stored together in one topic, its `flow`: all except two. Any consumer may attach to
 * `pages`. In the changelog, a commit counts only at the exact offset that its owner expects, so it must not contain
 * other records (docs/decisions/0013-epoch-is-the-claims-offset.md). A header of each record of the flow names its
 * topic.
 *
 * Offsets of a folded topic are those of the flow: they grow, with gaps.
 */
import { type TopicName, topicNames } from '../../../../topology/topics.ts';
import type { AppendRecord, LogRecord, LogTopic } from '../log.ts';

const apart: ReadonlySet<TopicName> = new Set(['pages', 'frontier-changelog']);
const folded: ReadonlySet<string> = new Set(topicNames.filter((name) => !apart.has(name)));

const header = 'crawlstream-topic';

export interface Place {
  /** Full name of the topic that contains it. */
  readonly flow: string;
  /** The topic's own name, without the crawl's. */
  readonly name: string;
}

export const flowName = 'flow';

/**
 * The topic of stored responses, which is separate too, because bodies expire by age, as in any crawl, while records
 * in a flow stay.
 */
export function ownResponses(crawl: string): string {
  return `${crawl}.responses`;
}

/** Prefix of the groups that store this group's positions; the name of each folded topic follows. */
export function folding(group: string): string {
  return `${group}@`;
}

/** True if a group stores positions in a folded topic. */
export function isOfFolded(group: string): boolean {
  return folded.has(group.slice(group.lastIndexOf('@') + 1));
}

/** Full names of further topics outside flows. */
export type Apart = ReadonlySet<string>;

const none: Apart = new Set();

/** null: the topic is outside flows. */
export function placeOf(topic: string, others = none): Place | null {
  if (others.has(topic)) return null;
  const dot = topic.lastIndexOf('.');
  const name = topic.slice(dot + 1);
  return dot > 0 && folded.has(name) ? { flow: `${topic.slice(0, dot)}.${flowName}`, name } : null;
}

/** The topic that contains this topic's records, which may be itself. */
export function heldBy(topic: string, others = none): string {
  return placeOf(topic, others)?.flow ?? topic;
}

/** Returns the topics that store these. A flow is kept for ever, because some of its topics are. */
export function topicsHolding(specs: readonly LogTopic[], others = none): LogTopic[] {
  const all = new Map<string, LogTopic>();
  for (const spec of specs) {
    const place = placeOf(spec.name, others);
    if (place === null) all.set(spec.name, spec);
    else if ((all.get(place.flow)?.partitions ?? 0) < spec.partitions)
      all.set(place.flow, { name: place.flow, partitions: spec.partitions, retention: 'state' });
  }
  return [...all.values()];
}

export function fold(record: AppendRecord, others = none): AppendRecord {
  const place = placeOf(record.topic, others);
  if (place === null) return record;
  const { partition, key, value, headers } = record;
  return { topic: place.flow, partition, key, value, headers: { [header]: place.name, ...headers } };
}

/** A record of a flow as a record of its topic; undefined: it has no topic. */
export function unfold(record: LogRecord): { readonly name: string; readonly record: LogRecord } | undefined {
  const { [header]: name, ...headers } = record.headers;
  if (name === undefined || !folded.has(name)) return undefined;
  return { name, record: { ...record, topic: record.topic.slice(0, -flowName.length) + name, headers } };
}
