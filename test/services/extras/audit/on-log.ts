/** Records of a crawl of two partitions, on a log in memory, as an audit reads them. */
import { hash } from 'node:crypto';
import {
  blankControl,
  blankOutcome,
  blankPage,
  blankRequest,
  blankResult,
  blankRobotsCopy,
} from '../../../../schemas/blank.ts';
import type { Control, Outcome, Page, Request, Result, RobotsCopy, TopicRecords } from '../../../../schemas/types.ts';
import type { AuditSource } from '../../../../services/extras/audit/run-audit.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { topicsOfCrawl } from '../../../../topology/topics.ts';
import { createFakeClock } from '../../fetcher/fake-clock.ts';

type Topic = 'control' | 'pages' | 'results' | 'robots';
type Given = { readonly control: Control; readonly pages: Page; readonly results: Result; readonly robots: RobotsCopy };

export interface Placed {
  readonly topic: Topic;
  readonly partition: number;
  readonly key: Buffer | null;
  /** Bytes: they stand there as they are. */
  readonly value: Given[Topic] | Buffer;
}

const blank: Given = { control: blankControl, pages: blankPage, results: blankResult, robots: blankRobotsCopy };

/** A record with its schema's defaults where nothing is given. */
export function record<T extends Topic>(topic: T, partition: number, given: Partial<Given[T]>): Placed {
  return { topic, partition, key: null, value: { ...blank[topic], ...given } as Given[T] };
}

/** What nobody can read; or, empty with a key, what takes a page back. */
export function bytes(topic: Topic, partition: number, value: string, key?: string): Placed {
  return { topic, partition, key: key === undefined ? null : Buffer.from(key), value: Buffer.from(value) };
}

export function request(url: string, given: Partial<Request> = {}): Request {
  return { ...blankRequest, kind: 'page', url, outcomeIndex: 0, ...given };
}

export function outcome(url: string, given: Partial<Outcome> = {}): Outcome {
  return { ...blankOutcome, kind: 'fetched', status: 200, url, ...given };
}

/** The hash that a copy of robots.txt is known by. */
export function hashOf(body: string): string {
  return body === '' ? '' : hash('sha256', body, 'hex').slice(0, 32);
}

export function robotsCopy(partition: number, origin: string, text: string, given: Partial<RobotsCopy> = {}): Placed {
  return record('robots', partition, {
    ...{ origin, url: `${origin}/robots.txt`, hash: hashOf(text), body: Buffer.from(text) },
    ...{ status: 200, token: 'crawlstream', crawlDelayMs: -1, ...given },
  });
}

/** The records are appended one by one, a millisecond of the log's clock after another. */
export async function sourceOf(records: readonly Placed[]): Promise<AuditSource> {
  const clock = createFakeClock();
  const log = await openEmbeddedLog(createMemoryStore(), clock);
  await log.createTopics(topicsOfCrawl('crawl', 2));
  const registry = createMemoryRegistry();
  const writer = await openCodec(registry, 'crawl');
  for (const { topic, partition, key, value } of records) {
    const encoded = Buffer.isBuffer(value) ? value : writer.encode(topic, value as TopicRecords[Topic] as never);
    await log.append([{ topic: `crawl.${topic}`, partition, key, value: encoded }]);
    await clock.advance(1);
  }
  // Who reads has not written, so that it has to ask for schemas.
  return { log, codec: await openCodec(registry, 'crawl'), crawl: 'crawl', partitions: 2 };
}
