/** Finds a URL that waits in the front queues of a served crawl's queue, by an index of it (pull/queue-index.ts). */
import type { Entry } from '../changes/entry.ts';
import { type IndexedPlace, QueueIndex } from '../pull/queue-index.ts';
import { countOf, readArena, readRow, rowKey } from '../queues/queue-row.ts';
import type { FrontierState } from '../state/state.ts';
import type { StoreJob } from '../storage/store-job.ts';
import { type FoundPlace, findInFrontQueues } from './read-rows.ts';

/** undefined: it waits in none. Reads one row at most, but for the first time, when it reads the queue. */
export function* findWaiting(state: FrontierState, host: number, url: string): StoreJob<FoundPlace | undefined> {
  const { indexes } = state.pull;
  const { size } = state.hosts.at(host).queue;
  const known = indexes.use(host, size);
  if (known === undefined && !indexes.takes(size))
    return yield* findInFrontQueues(state, host, (entry) => entry.url === url);
  const index = known ?? (yield* indexQueue(state, host));
  if (known === undefined) indexes.put(host, index);
  const [hi, lo] = state.identityOf(state.hosts.keys.keyOf(host), url);
  const place = index.find(hi!, lo!);
  if (place === undefined) return undefined;
  const entry = yield* entryAt(state, host, index, place);
  return entry?.url === url ? { number: place.number, seq: place.seq, entry } : undefined;
}

/** undefined: it has left its place. Reads one row at most. */
export function* entryAt(
  state: FrontierState,
  host: number,
  index: QueueIndex,
  place: IndexedPlace,
): StoreJob<Entry | undefined> {
  const { frontQueues } = state.queues;
  const { number, seq, pointer } = place;
  const key = state.hosts.keys.keyOf(host);
  const frontQueue = frontQueues.list.find(host, number);
  if (frontQueue === 0) return undefined;
  const isHere = frontQueues.head(frontQueue) <= seq && seq < frontQueues.extent(frontQueue).tail;
  if (!isHere || frontQueues.isGone(frontQueue, seq)) return undefined;
  if (seq >= frontQueues.extent(frontQueue).from) return readArena(frontQueues.arena, pointer, key, number);
  const row = index.rowOf(place);
  const [value] = yield { read: [rowKey(host, number, row)] };
  if (countOf(value) <= seq - row) throw new Error(`row ${row} of front queue ${number} lacks entry ${seq}`);
  let found: Entry | undefined;
  readRow(value!, key, number, seq - row + 1, (at, entry) => {
    if (at === seq - row) found = entry();
  });
  return found;
}

/** An index of a host's front queues, read once. */
export function* indexQueue(state: FrontierState, host: number): StoreJob<QueueIndex> {
  const { frontQueues } = state.queues;
  const index = new QueueIndex();
  const key = state.hosts.keys.keyOf(host);
  for (const { number, frontQueue } of state.hosts.at(host).queue.frontQueues()) {
    const add = (seq: number, pointer: number, url: string) => {
      if (seq < frontQueues.head(frontQueue) || frontQueues.isGone(frontQueue, seq)) return;
      const [hi, lo] = state.identityOf(key, url);
      index.add(hi!, lo!, { number, seq, pointer });
    };
    const { row: first, from, tail, first: pointer } = frontQueues.extent(frontQueue);
    for (let row = first; row < from; ) {
      const [value] = yield { read: [rowKey(host, number, row)] };
      index.addRow(number, row);
      const start = row;
      row += countOf(value);
      readRow(value!, key, number, Math.min(row, from) - start, (at, entry) => add(start + at, 0, entry().url));
    }
    for (let [seq, at] = [from, pointer]; seq < tail; seq++, at = frontQueues.arena.next(at)) {
      if (frontQueues.arena.startsRow(at)) index.addRow(number, seq);
      add(seq, at, readArena(frontQueues.arena, at, key, number).url);
    }
  }
  return index;
}
