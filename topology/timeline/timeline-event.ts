/**
 * An event in the life of one URL: the content of one record about it, in words and in fields.
 *
 * The kinds, in their natural order; events of one moment are listed in this order.
 */
import type { TopicName } from '../topics.ts';

export const timelineKinds = [
  'control',
  'discovered',
  'refused',
  'known',
  'dropped',
  'admitted',
  'raised',
  'lowered',
  'moved',
  'trapReleased',
  'purged',
  'leased',
  'task',
  'fetched',
  'page',
  'response',
  'render',
  'deadLetter',
  'again',
  'ended',
  'leaseEnded',
  'due',
  'duplicate',
  'indexed',
] as const;
export type TimelineKind = (typeof timelineKinds)[number];

export interface TimelineEvent {
  readonly kind: TimelineKind;
  readonly topic: TopicName;
  readonly partition: number;
  /** Offset of the record. */
  readonly offset: number;
  /** Time of the event, ms since the Unix epoch. */
  readonly atMs: number;
  /** The policy version at that time; 0: before the first policy. */
  readonly policyVersion: number;
  /** A description in words. Text from outside (URLs, details) is quoted unchanged. */
  readonly text: string;
  /** The same in fields, by kind. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** An event without its policy version, which is known only once the changelog was read. */
export type UnversionedEvent = Omit<TimelineEvent, 'policyVersion'>;

/** Orders events by time; at one moment by their kinds, then by offset. */
export function inOrder(a: UnversionedEvent, b: UnversionedEvent): number {
  return a.atMs - b.atMs || rank(a) - rank(b) || a.offset - b.offset;
}

function rank({ kind }: UnversionedEvent): number {
  return timelineKinds.indexOf(kind);
}

/** The output of `--json`, and of the page's API. */
export function plainEvent({ topic, partition, offset, atMs, policyVersion, kind, text, details }: TimelineEvent) {
  const time = new Date(atMs).toISOString();
  return { topic, partition, offset, time, policyVersion, kind, text, details };
}

export type PlainEvent = ReturnType<typeof plainEvent>;
