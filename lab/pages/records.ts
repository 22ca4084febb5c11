/** Records as an indexer receives them. */
import type { Page, TopicRecords } from '../../schemas/types.ts';
import type { IndexTopic } from '../../services/extras/index/index-change.ts';
import { outcomeOf, requestRecord } from '../../services/fetcher/http/outcomes.ts';
import type { Received } from '../../services/runtime/consumer/received.ts';
import { emptyControl } from '../../topology/frontier/decide/control-payloads.ts';

export function received<T extends IndexTopic>(topic: T, value: TopicRecords[T], offset = 0): Received<IndexTopic> {
  const record = {
    topic: `c.${topic}`,
    partition: 0,
    offset,
    timestampMs: 0,
    key: null,
    value: Buffer.alloc(0),
    headers: {},
  };
  return { topic, value, partition: 0, offset, timestampMs: 0, record } as unknown as Received<IndexTopic>;
}

/** `url` absent: the whole host is purged. */
export function purgeOf(hostKey: string, atMs: number, url?: string): Received<IndexTopic> {
  const payload = url === undefined ? '' : JSON.stringify({ url });
  return received('control', { ...emptyControl, kind: 'purge', hostKey, atMs, payload });
}

export function goneAt(url: string, endMs: number): Received<IndexTopic> {
  const purpose = { kind: 'page', outcomeIndex: 0, hop: 0, robotsHash: '', robotsAtMs: 0 } as const;
  const response = {
    startMs: endMs,
    endMs,
    connectMs: 0,
    firstByteMs: 0,
    status: 404,
    address: '',
    headers: [],
    body: Buffer.alloc(0),
  };
  const requests = [requestRecord(url, purpose, 0, response as never, 0)];
  const outcomes = [outcomeOf(0, url, 'gone', { status: 404 })];
  return received('results', {
    hostKey: new URL(url).host,
    outcomes,
    requests,
    completedAtMs: 0,
  } as unknown as TopicRecords['results']);
}

/** The verdict that the URL is no longer a duplicate. */
export function duplicateOf(
  { url, hostKey, fetchedAtMs }: Page,
  representative: string,
  atMs: number,
): Received<IndexTopic> {
  const method = representative === url ? 'none' : 'simhash';
  return received('duplicates', {
    url,
    hostKey,
    representative,
    method,
    members: 2,
    language: '',
    pageOffset: 0,
    fetchedAtMs,
    atMs,
  });
}
