/** The URLs of a queue, one after another: first those that wait or are on lease, then those that are done. */

import {
  type ListCursor,
  type ListedUrl,
  type ListPage,
  listPage,
} from '../../../topology/frontier/decide/pull/list-queue.ts';
import { lookUp } from '../../../topology/frontier/decide/pull/look-up.ts';
import { knownRange, readKnown } from '../../../topology/frontier/pull/known-rows.ts';
import type { ServedPartition } from './served-crawl.ts';

/** The queue changes during the listing: a URL that moves may be missed, or listed twice. */
export async function* urlsOf(partition: ServedPartition, key: string): AsyncGenerator<ListedUrl> {
  for (let cursor: ListCursor | undefined = null; cursor !== undefined; ) {
    const at: ListCursor = cursor;
    const page: ListPage = await partition.look(({ state }) => listPage(state, key, at));
    yield* page.urls;
    cursor = page.next;
  }
  yield* doneOf(partition, key);
}

async function* doneOf(partition: ServedPartition, key: string): AsyncGenerator<ListedUrl> {
  const { state } = partition.core ?? {};
  const host = state?.hosts.get(key);
  if (state === undefined || host === undefined) return;
  const { pull, changelog } = state;
  const generation = pull.generation(host.id, changelog.offset);
  // Rows that are written while the disk is read are in memory and on disk: memory is looked at first, since it has the
  // newer ones.
  const recent = pull.known.recentOf(host.id, generation);
  for (const value of recent.values()) yield* ofRow(value);
  for await (const [row, value] of partition.scan(knownRange(host.id, generation))) {
    if (!recent.has(row.toString('latin1'))) yield* ofRow(value);
  }
}

function* ofRow(value: Uint8Array): Generator<ListedUrl> {
  const { what, url, payload } = readKnown(value);
  if (what !== 'done') return;
  const entry = { url, depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue: 0, payload };
  yield { from: { in: 'done', a: 0, b: 0 }, entry, dueAtMs: 0 };
}

/** One URL of a queue; undefined: it is not in the queue. */
export function findUrl(partition: ServedPartition, key: string, url: string): Promise<ListedUrl | undefined> {
  return partition.look(({ state }) => lookUp(state, key, url));
}
