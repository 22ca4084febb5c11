/** Start of a page of a host's queue, as text for clients: `frontQueue:seq`. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { QueueCursor } from '../../../topology/frontier/checkpoint/read-rows.ts';

export function cursorText(cursor: QueueCursor | null): string | null {
  return cursor === null ? null : `${cursor.frontQueue}:${cursor.seq}`;
}

/** Parses `next` of the previous page; absent: the first page. Throws INVALID_ARGUMENT. */
export function cursorOf(from: string | undefined): QueueCursor {
  if (from === undefined) return { frontQueue: 0, seq: 0 };
  const [, frontQueue, seq] = /^(\d{1,3}):(\d{1,15})$/.exec(from) ?? [];
  if (frontQueue === undefined) {
    throw new CrawlstreamError('INVALID_ARGUMENT', `from ${JSON.stringify(from)}: send "next" of the previous page`);
  }
  return { frontQueue: Number(frontQueue), seq: Number(seq) };
}
