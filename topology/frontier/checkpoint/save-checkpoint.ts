/**
 * Writes the checkpoint in slices: first the changed hosts, one after another, and at the end the position.
 *
 * It is a *fuzzy checkpoint*, as in ARIES: the position, with its data, is from the start of the round; each host's
 * row is from the later moment when it is written, and names its own position. A crash between two slices leaves the
 * old position, with some hosts ahead of it; a replay from there skips those hosts until it reaches their positions
 * (state/state.ts). Rows of front queues that no host's row refers to yet are never read.
 *
 * Each yield is one batch, sorted by key, at most about `sliceBytes`. The caller writes a batch before the next step
 * of the partition, after all commits so far are acked, so a checkpoint is never ahead of the changelog. Between
 * batches, the partition continues. Every lease must have been read (read-rows.ts).
 */

import { saveBudgets } from '../budgets/budget-rows.ts';
import type { KnownUrl } from '../changes/changes.ts';
import { type PageRecord, writePageRecord } from '../changes/page-record.ts';
import { writeUrlRecord } from '../changes/url-record-bytes.ts';
import { frontierLimits } from '../frontier-limits.ts';
import { sweepRows } from '../purge/sweep-rows.ts';
import { rowKey, writeRow } from '../queues/queue-row.ts';
import { takeDueRows } from '../recrawl/due-rows.ts';
import { manifestKey, saveSeen } from '../seen/seen-rows.ts';
import type { FrontierState } from '../state/state.ts';
import { ByteWriter } from '../storage/bytes.ts';
import type { Row, StoreJob } from '../storage/store-job.ts';
import { aheadKey, aheadValue, metaKey, metaValue } from './checkpoint.ts';
import { hostRowKey, writeHost } from './host-row.ts';

export function* saveCheckpoint(
  state: FrontierState,
  sliceBytes: number = frontierLimits.checkpointSliceBytes,
): StoreJob {
  const { unsaved } = state;
  const meta = { key: metaKey, value: metaValue(state) };
  const seen = saveSeen(state.seen);
  const inLinks = state.inLinks.takeRows();
  const cash = state.cash.takeRows();
  const budgets = saveBudgets(state.budgets);
  const due = takeDueRows(state.recrawl);
  const equivalences = state.equivalences.takeRows();
  const { records } = unsaved;
  unsaved.records = [];
  unsaved.writing = records;
  const { pages } = state.recrawl;
  if (pages.size > 0) state.recrawl.beginSaving();
  const hosts = unsaved.takeHosts();
  const known = state.pull.known.take();
  const purged = state.purge.takeRows();
  const sweeps = state.purge.takeSweeps();
  const slice = new Slice(state, sliceBytes);
  for (const id of hosts) {
    while (!slice.addHost(id)) yield { write: slice.take() };
    if (slice.isFull) yield { write: slice.take() };
  }
  for (const record of records) {
    if (slice.isFull) yield { write: slice.take() };
    slice.addRecord(record);
  }
  for (const page of pages.values()) {
    if (slice.isFull) yield { write: slice.take() };
    slice.addPage(page);
  }
  if (!slice.isEmpty) yield { write: slice.take() };
  unsaved.writing = [];
  yield* inSlices(known, sliceBytes);
  yield* sweepRows(sweeps);
  // Blocks of fingerprints mean nothing until the manifest names them, and the manifest is written with the position.
  const isBlock = ({ key, value }: Row) => value !== null && key.length > manifestKey.length;
  yield* inSlices(seen.filter(isBlock), sliceBytes);
  yield {
    write: [
      ...budgets,
      ...cash,
      ...due,
      ...equivalences,
      ...inLinks,
      meta,
      ...purged,
      ...seen.filter((row) => !isBlock(row)),
    ],
  };
  state.recrawl.endSaving(pages);
  state.pull.known.written();
}

function* inSlices(rows: readonly Row[], sliceBytes: number): StoreJob {
  let slice: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    slice.push(row);
    bytes += row.value!.length;
    if (bytes < sliceBytes) continue;
    yield { write: slice };
    [slice, bytes] = [[], 0];
  }
  if (slice.length > 0) yield { write: slice };
}

/** Key of the record of a URL that left the frontier. */
export function urlRecordKey(state: FrontierState, url: string): Buffer {
  const [hi, lo] = state.fingerprintOf(url);
  const key = Buffer.allocUnsafe(9);
  key[0] = 0x75;
  key.writeUInt32BE(hi!, 1);
  key.writeUInt32BE(lo!, 5);
  return key;
}

/** Rows of one batch: kind by kind in the order of their keys, and within a kind in the order of adding. */
class Slice {
  readonly #state: FrontierState;
  readonly #bytesMax: number;
  readonly #writer = new ByteWriter(16 * 1024);
  #rescheduled: Row[] = [];
  #hosts: Row[] = [];
  #queues: Row[] = [];
  #records: Row[] = [];
  #bytes = 0;

  constructor(state: FrontierState, bytesMax: number) {
    this.#state = state;
    this.#bytesMax = bytesMax;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#bytesMax;
  }

  get isEmpty(): boolean {
    return this.#hosts.length + this.#queues.length + this.#records.length === 0;
  }

  /**
   * Returns false if the host's front queues alone fill the slice. The rest of them, and its row, then go into a
   * later slice.
   */
  addHost(id: number): boolean {
    const { frontQueues } = this.#state.queues;
    for (
      let frontQueue = frontQueues.list.firstOf(id);
      frontQueue !== 0;
      frontQueue = frontQueues.list.nextOf(frontQueue)
    ) {
      for (
        let { pointer, seq } = frontQueues.unsaved(frontQueue);
        pointer !== 0;
        { pointer, seq } = frontQueues.unsaved(frontQueue)
      ) {
        if (this.isFull) return false;
        const number = frontQueues.list.numberOf(frontQueue);
        this.#state.pull.indexes.of(id)?.addRow(number, seq);
        const row = writeRow(this.#writer, frontQueues.arena, pointer, frontQueues.unsavedCount(frontQueue));
        this.#add(this.#queues, rowKey(id, number, seq));
        frontQueues.savedRow(frontQueue, row.last, row.count);
      }
    }
    for (const key of frontQueues.goneRows.get(id) ?? []) this.#queues.push({ key, value: null });
    frontQueues.goneRows.delete(id);
    for (const row of this.#state.queues.takeRescheduledRows(id)) {
      this.#rescheduled.push(row);
      this.#bytes += row.key.length + (row.value?.length ?? 0);
    }
    writeHost(this.#writer, this.#state, id);
    this.#add(this.#hosts, hostRowKey(id));
    this.#state.unsaved.written(id);
    return true;
  }

  addRecord(record: KnownUrl): void {
    writeUrlRecord(this.#writer, record);
    this.#add(this.#records, urlRecordKey(this.#state, record.url));
  }

  addPage(page: PageRecord): void {
    writePageRecord(this.#writer, page);
    this.#add(this.#records, urlRecordKey(this.#state, page.record.url));
  }

  take(): Row[] {
    const ahead = this.#hosts.length === 0 ? [] : [{ key: aheadKey, value: aheadValue(this.#state) }];
    const rows = [...this.#rescheduled, ...this.#hosts, ...ahead, ...this.#queues, ...this.#records];
    this.#rescheduled = [];
    this.#hosts = [];
    this.#queues = [];
    this.#records = [];
    this.#bytes = 0;
    return rows;
  }

  #add(rows: Row[], key: Buffer): void {
    const value = this.#writer.take();
    rows.push({ key, value });
    this.#bytes += key.length + value.length;
  }
}
