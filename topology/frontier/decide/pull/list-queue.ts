/**
 * Lists the waiting URLs of a queue of a served crawl, page by page: first those on lease, then those to fetch again
 * or rescheduled, then its front queues.
 *
 * A page is read between two steps, and puts and gets continue between two pages: a URL that moves meanwhile may be
 * missed, or listed twice. Finished URLs are in separate rows (pull/known-rows.ts).
 */

import type { KnownFrom } from '../../changes/changes.ts';
import type { Entry } from '../../changes/entry.ts';
import { listRescheduled, rescheduledPerRead } from '../../checkpoint/read-rescheduled.ts';
import { pullLimits } from '../../pull/pull-limits.ts';
import { countOf, readArena, readRow, rowKey } from '../../queues/queue-row.ts';
import type { FrontierState } from '../../state/state.ts';
import type { StoreJob } from '../../storage/store-job.ts';
import { inAgain } from './find-known.ts';

export interface ListedUrl {
  readonly from: KnownFrom;
  readonly entry: Entry;
  /** When the URL is available, ms; 0: in its turn. */
  readonly dueAtMs: number;
}

/** Start of a page. null: start of the queue. */
export type ListCursor = RescheduledCursor | FrontQueueCursor | null;

/** After this place among the rescheduled URLs. */
interface RescheduledCursor {
  readonly dueAtMs: number;
  readonly seq: number;
}

/** A place in a front queue, and the row that holds it. */
interface FrontQueueCursor {
  readonly frontQueue: number;
  readonly seq: number;
  readonly row: number;
}

export interface ListPage {
  readonly urls: readonly ListedUrl[];
  /** undefined: this was the last page. */
  readonly next: ListCursor | undefined;
}

export function* listPage(state: FrontierState, key: string, cursor: ListCursor): StoreJob<ListPage> {
  const host = state.hosts.get(key);
  if (host === undefined) return { urls: [], next: undefined };
  const urls: ListedUrl[] = [];
  if (cursor === null) {
    for (const id of host.leaseIds) {
      state.leases.get(id)!.entries.forEach((entry, index) => {
        if (entry !== null) urls.push({ from: { in: 'lease', a: id, b: index }, entry, dueAtMs: 0 });
      });
    }
    for (const { seq, dueAtMs, entry } of host.queue.again) urls.push({ from: inAgain(seq), entry, dueAtMs });
  }
  if (cursor === null || 'dueAtMs' in cursor) {
    const some = yield* listRescheduled(state, host, cursor ?? { dueAtMs: 0, seq: 0 });
    for (const { dueAtMs, seq, entry } of some)
      urls.push({ from: { in: 'again', a: dueAtMs, b: seq }, entry, dueAtMs });
    if (some.length === rescheduledPerRead) return { urls, next: some.at(-1)! };
  }
  const begin = cursor !== null && 'frontQueue' in cursor ? cursor : { frontQueue: 0, seq: 0, row: 0 };
  const frontQueues = host.queue.frontQueues().filter(({ number }) => number >= begin.frontQueue);
  for (const { number, frontQueue } of frontQueues) {
    const from = begin.frontQueue === number ? begin : { frontQueue: number, seq: 0, row: 0 };
    const next = yield* listFrontQueue(state, key, frontQueue, from, urls);
    if (next !== undefined) return { urls, next };
  }
  return { urls, next: undefined };
}

/** Adds URLs after `from` to `urls`; returns the next cursor if there are more than fit on a page. */
function* listFrontQueue(
  state: FrontierState,
  key: string,
  frontQueue: number,
  from: { readonly frontQueue: number; readonly seq: number; readonly row: number },
  urls: ListedUrl[],
): StoreJob<ListCursor | undefined> {
  const { frontQueues } = state.queues;
  const number = from.frontQueue;
  const extent = frontQueues.extent(frontQueue);
  const begin = Math.max(from.seq, frontQueues.head(frontQueue));
  const keep = (seq: number, entry: () => Entry) => {
    if (seq >= begin && !frontQueues.isGone(frontQueue, seq))
      urls.push({ from: { in: 'frontQueue', a: number, b: seq }, entry: entry(), dueAtMs: 0 });
  };
  // A row keeps its key until the head has passed it.
  let row = Math.max(extent.row, from.row);
  for (let rows = 0; row < extent.from; rows++) {
    if (rows === pullLimits.listRowsPerLook) return { frontQueue: number, seq: row, row };
    const [value] = yield { read: [rowKey(frontQueues.list.hostOf(frontQueue), number, row)] };
    const end = row + countOf(value);
    const start = row;
    readRow(value!, key, number, Math.min(end, extent.from) - row, (index, entry) => keep(start + index, entry));
    row = end;
  }
  let pointer = extent.first;
  for (let seq = extent.from; seq < extent.tail; seq++) {
    if (seq >= begin && urls.length >= pullLimits.listUrlsPerLook) return { frontQueue: number, seq, row };
    const at = pointer;
    keep(seq, () => readArena(frontQueues.arena, at, key, number));
    pointer = frontQueues.arena.next(pointer);
  }
  return undefined;
}
