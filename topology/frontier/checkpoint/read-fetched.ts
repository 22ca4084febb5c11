/**
 * Reads the fetched URLs of the range that is scheduled next by a new policy: from rows of the checkpoint, and from
 * memory, which has the newer records.
 */
import type { KnownUrl } from '../changes/changes.ts';
import { type PageRecord, readPageRecord, urlRowKey } from '../changes/page-record.ts';
import { readKnownUrl } from '../changes/url-record-bytes.ts';
import { frontierLimits } from '../frontier-limits.ts';
import { type FetchedUrl, highWords, type RecheckRange, rangeEnd } from '../recrawl/recheck.ts';
import { highOfPage } from '../recrawl/recrawl-state.ts';
import type { FrontierState } from '../state/state.ts';
import { ByteReader } from '../storage/bytes.ts';
import type { StoreJob } from '../storage/store-job.ts';

/** Rows read at once. */
const rowsPerRead = 512;

/** null: no range is left. */
export function* readFetched(state: FrontierState): StoreJob<RecheckRange | null> {
  const { recrawl, counters, unsaved } = state;
  const from = recrawl.recheckFrom;
  if (from === null) return null;
  const { page, redirected, denied, failed, dead, imported } = counters;
  const urls = page + redirected + denied + failed + dead + imported;
  const to = rangeEnd(from, urls, frontierLimits.rechecksPerStep);
  const found = new Found(state, from, to);
  if (unsaved.hasRows) yield* readRows(found, from, to);
  const highOf = (url: string) => state.fingerprintOf(url)[0]!;
  for (const record of unsaved.between(unsaved.writing, from, to, highOf)) found.addRecord(record);
  for (const [key, page] of recrawl.saving) if (isBetween(highOfPage(key), from, to)) found.addPage(page);
  for (const record of unsaved.between(unsaved.records, from, to, highOf)) found.addRecord(record);
  for (const [key, page] of recrawl.pages) if (isBetween(highOfPage(key), from, to)) found.addPage(page);
  return { from, to, urls: found.sorted() };
}

function* readRows(found: Found, from: number, to: number): StoreJob {
  const lt = to < highWords ? urlRowKey(to, 0) : Buffer.from('v');
  for (let gte = urlRowKey(from, 0); ; ) {
    const reply = yield { scan: { gte, lt, limit: rowsPerRead } };
    for (let at = 0; at < reply.length; at += 2) {
      const key = bytesOf(reply[at]!);
      found.addRow(key.readUInt32BE(1), key.readUInt32BE(5), bytesOf(reply[at + 1]!));
      gte = Buffer.concat([key, Buffer.from([0])]);
    }
    if (reply.length < 2 * rowsPerRead) return;
  }
}

/** The newest record of each URL in a range of fingerprints. */
class Found {
  readonly #state: FrontierState;
  readonly #from: number;
  readonly #to: number;
  readonly #urls = new Map<bigint, FetchedUrl>();

  constructor(state: FrontierState, from: number, to: number) {
    this.#state = state;
    this.#from = from;
    this.#to = to;
  }

  addRow(hi: number, lo: number, value: Buffer): void {
    // The row may be from before the page was scheduled.
    if (this.#state.recrawl.pageAt(hi, lo) !== undefined) return;
    const reader = new ByteReader(value);
    if (this.#isScheduled(hi, lo)) this.#put(hi, lo, readPageRecord(reader));
    else this.#put(hi, lo, readKnownUrl(reader));
  }

  addRecord(record: KnownUrl): void {
    const [hi, lo] = this.#state.fingerprintOf(record.url);
    this.#put(hi!, lo!, record);
  }

  addPage(page: PageRecord): void {
    const [hi, lo] = this.#state.fingerprintOf(page.record.url);
    this.#put(hi!, lo!, this.#isScheduled(hi!, lo!) ? page : page.record);
  }

  sorted(): FetchedUrl[] {
    return [...this.#urls.values()].sort((a, b) => a.hi - b.hi || a.lo - b.lo);
  }

  #put(hi: number, lo: number, known: KnownUrl | PageRecord): void {
    if (hi < this.#from || hi >= this.#to) return;
    const key = (BigInt(hi) << 32n) | BigInt(lo);
    if ('record' in known) this.#urls.set(key, { hi, lo, record: known.record, page: known });
    // An older record of a URL that is scheduled now says nothing.
    else if (!this.#isScheduled(hi, lo)) this.#urls.set(key, { hi, lo, record: known, page: null });
  }

  #isScheduled(hi: number, lo: number): boolean {
    return this.#state.recrawl.table.find(hi, lo) >= 0;
  }
}

function isBetween(word: number, from: number, to: number): boolean {
  return word >= from && word < to;
}

function bytesOf(value: Uint8Array): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
