/**
 * Reads the events of a crawl in an order that is always the same: its pages in the order of the log, and between them
 * the changes of the crawl itself. Each change has the number of page records before it, taken at a moment when none was
 * being appended.
 *
 * A page that was deleted since is left out, and its tombstone is a separate event.
 */
import type { Page } from '../../../../schemas/types.ts';
import { readRecord } from '../../../runtime/avro/read-record.ts';
import { forgottenOf } from '../../../runtime/consumer/forgotten.ts';
import { plainPage } from '../../../runtime/crawl/plain-page.ts';
import { recordsOf } from '../../../runtime/log/records-of.ts';
import type { CrawlChange, CrawlFile } from '../crawl-file.ts';
import type { Content } from '../fleet-contents.ts';
import type { Counts } from '../kept-pages.ts';
import type { ReadLog } from '../running-crawl.ts';
import { type EventPosition, isBefore } from './event-position.ts';
import { eventId } from './incarnation.ts';

export interface CrawlEvent {
  /** Id of the event; a client continues after it. */
  readonly id: string;
  readonly type: 'page' | 'page.withdrawn' | `crawl.${CrawlChange['kind']}`;
  readonly crawl: string;
  /** ms since the Unix epoch. */
  readonly atMs: number;
  readonly data: object;
}

export interface SomeEvents {
  readonly events: readonly CrawlEvent[];
  /** Position after the last event and after events that were left out. */
  readonly next: EventPosition;
}

export interface EventBounds {
  readonly content: Content;
  readonly most: number;
  /** A read ends once it has this number of characters. */
  readonly charsSoft: number;
  /** Absent: to the current end. */
  readonly to?: EventPosition | undefined;
}

export async function readEvents(
  { name, changes, incarnation }: Pick<CrawlFile, 'name' | 'changes' | 'incarnation'>,
  { log, codec, crawl }: ReadLog,
  counts: Counts,
  from: EventPosition,
  { content, most, charsSoft, to }: EventBounds,
): Promise<SomeEvents> {
  const topic = `${crawl}.pages`;
  const { start, end: logEnd } = await log.offsets(topic, 0);
  const end = Math.min(to?.pages ?? logEnd, logEnd);
  const events: CrawlEvent[] = [];
  let chars = 0;
  let next: EventPosition = { pages: Math.min(Math.max(from.pages, start), logEnd), changes: from.changes };
  const isFull = () => events.length >= most || chars >= charsSoft;
  const isOver = () => isFull() || (to !== undefined && !isBefore(next, to));

  const add = (type: CrawlEvent['type'], atMs: number, data: object) => {
    events.push({ id: eventId({ incarnation }, next), type, crawl: name, atMs, data });
    chars += JSON.stringify(data).length;
  };
  const addChanges = () => {
    for (const { n, kind, pages, atMs, detail } of changes) {
      if (n < next.changes || pages > next.pages || isOver()) continue;
      next = { ...next, changes: n + 1 };
      add(`crawl.${kind}`, atMs, { detail });
    }
  };

  addChanges();
  if (!isOver())
    for await (const record of recordsOf(log, topic, 0, next.pages, end)) {
      const page = await readRecord(codec, 'pages', record.value, () => {});
      const forgotten = forgottenOf(record);
      next = { ...next, pages: record.offset + 1 };
      if (page !== undefined && counts(page, record.offset)) add('page', page.fetchedAtMs, pageEvent(page, content));
      else if (forgotten !== null) add('page.withdrawn', forgotten.atMs, { url: forgotten.url });
      if (isOver()) break;
      addChanges();
      if (isOver()) break;
    }
  return { events, next };
}

function pageEvent(page: Page, content: Content): object {
  if (content === 'page') return plainPage(page);
  const { url, status, fetchedAtMs, contentType, title, contentHash } = page;
  return { url, status, fetchedAtMs, contentType, title, contentHash };
}
