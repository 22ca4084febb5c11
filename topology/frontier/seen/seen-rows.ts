/**
 * The seen test in the state store.
 *
 * | key | value |
 * | --- | --- |
 * | s | manifest: number of fingerprints and their sum, the lists of the log, the runs, the next list's number |
 * | s · list · block | up to 8,192 fingerprints (runs.ts) |
 *
 * Only rows that the manifest names count: rows of an unfinished run, or of a log ahead of it, are ignored. The
 * manifest, and the deletions of rows that it no longer names, are written in one batch with the position of the
 * checkpoint, so that they match. Call `saveSeen` only after the admissions are acked: a fingerprint on disk with a
 * void admission would hide a page forever.
 */
import { CrawlstreamError } from '../../errors.ts';
import { ByteReader, ByteWriter } from '../storage/bytes.ts';
import type { Row } from '../storage/store-job.ts';
import { type FingerprintList, FingerprintLog } from './fingerprint-log.ts';
import { FingerprintTable } from './fingerprint-table.ts';
import type { Run } from './runs.ts';
import { blockFingerprints, blockKey, blocksOf, blockWords } from './runs.ts';
import type { SeenTest } from './seen-test.ts';
import { SortedLoad } from './sorted-load.ts';

export const manifestKey = Buffer.from('s');
const manifestVersion = 1;

/** Rows that changed since the last call; none before the first admission. */
export function saveSeen(seen: SeenTest): Row[] {
  if (seen.size === 0) return [];
  const rows = seen.log.save();
  for (const { id, count } of seen.dropped) {
    for (let block = 0; block < blocksOf(count); block++) rows.push({ key: blockKey(id, block), value: null });
  }
  seen.dropped = [];
  rows.push({ key: manifestKey, value: manifestOf(seen) });
  return rows;
}

function manifestOf(seen: SeenTest): Buffer {
  const writer = new ByteWriter(256);
  writer.byte(manifestVersion);
  writer.uint(seen.size);
  for (const word of seen.sum.words) writer.uint(word);
  writer.uint(seen.nextId);
  for (const lists of [seen.log.lists, seen.runs]) {
    writer.uint(lists.length);
    for (const { id, count } of lists) {
      writer.uint(id);
      writer.uint(count);
    }
  }
  return writer.take();
}

/** Takes the rows of a seen test in the order of a scan: the manifest, then the blocks of each list in order. */
export class SeenLoader {
  readonly #seen: SeenTest;
  readonly #lists = new Map<number, { readonly list: FingerprintList; readonly isRun: boolean }>();
  #logs: readonly FingerprintList[] = [];
  /** Lists that the manifest does not name, and the number of their last row. */
  readonly #orphans = new Map<number, number>();
  readonly #firsts = new Map<number, number[]>();
  #load: SortedLoad | null = null;
  #table: FingerprintTable | null = null;
  #tail = new Uint32Array(0);
  #blocks = 0;

  constructor(seen: SeenTest) {
    this.#seen = seen;
  }

  take(key: Buffer, value: Buffer): void {
    if (key.length === manifestKey.length) this.#takeManifest(new ByteReader(value));
    else this.#takeBlock(key.readUIntBE(1, 6), key.readUIntBE(7, 6), value);
  }

  /** After the last row. Throws INVALID_RECORD where blocks are missing. */
  end(): void {
    const seen = this.#seen;
    this.#load?.flush();
    if (this.#table !== null) seen.resume(this.#table);
    let blocks = 0;
    for (const { list } of this.#lists.values()) blocks += blocksOf(list.count);
    if (blocks !== this.#blocks) throw lacking(blocks - this.#blocks);
    for (const [id, count] of this.#orphans) seen.dropped.push({ id, count });
    if (this.#logs.length > 0) seen.log.resume(this.#logs, this.#tail);
    // These rows are from an interrupted first save: the next list must not lie where the next save deletes.
    else if (this.#orphans.size > 0) seen.log = new FingerprintLog(seen.nextId++);
    seen.runs = seen.runs.map((run) => ({ ...run, firsts: Uint32Array.from(this.#firsts.get(run.id) ?? []) }));
  }

  #takeManifest(reader: ByteReader): void {
    const seen = this.#seen;
    if (reader.byte() !== manifestVersion) {
      throw new CrawlstreamError(
        'UNSUPPORTED',
        'the state folder was written by a newer crawlstream: run that release',
      );
    }
    seen.size = reader.uint();
    for (let i = 0; i < 4; i++) seen.sum.words[i] = reader.uint();
    seen.nextId = reader.uint();
    this.#logs = readLists(reader);
    const runs: Run[] = readLists(reader).map((list) => ({ ...list, firsts: new Uint32Array(0) }));
    for (const list of this.#logs) this.#lists.set(list.id, { list, isRun: false });
    for (const list of runs) this.#lists.set(list.id, { list, isRun: true });
    if (seen.config.kind === 'bloom') {
      const { filter } = seen;
      this.#load = new SortedLoad((hi, lo) => filter!.add(hi, lo));
    } else {
      const table = new FingerprintTable(this.#logs.reduce((sum, { count }) => sum + count, 0));
      this.#table = table;
      this.#load = new SortedLoad((hi, lo) => void table.add(hi, lo));
    }
    seen.runs = runs;
    if (runs.length > 0) seen.allocateFilter();
  }

  #takeBlock(id: number, block: number, value: Buffer): void {
    const seen = this.#seen;
    const known = this.#lists.get(id);
    const left = known === undefined ? 0 : known.list.count - block * blockFingerprints;
    if (known === undefined || left <= 0) {
      // These rows are from an interrupted job, or ahead of the manifest. They would be in the way of a new list of
      // this number.
      if (known === undefined) this.#orphans.set(id, (block + 1) * blockFingerprints);
      seen.nextId = Math.max(seen.nextId, id + 1);
      return;
    }
    const words = blockWords(value).subarray(0, 2 * Math.min(left, blockFingerprints));
    if (words.length < 2 * Math.min(left, blockFingerprints)) throw lacking(1);
    this.#blocks += 1;
    if (known.isRun) this.#takeRunBlock(id, words);
    else this.#load!.add(words);
    if (id === this.#logs.at(-1)?.id && words.length < 2 * blockFingerprints) this.#tail = words.slice();
  }

  #takeRunBlock(id: number, words: Uint32Array): void {
    const firsts = this.#firsts.get(id) ?? [];
    this.#firsts.set(id, firsts);
    firsts.push(words[0]!, words[1]!);
    const filter = this.#seen.filter!;
    for (let i = 0; i < words.length; i += 2) filter.add(words[i]!, words[i + 1]!);
  }
}

function readLists(reader: ByteReader): FingerprintList[] {
  const lists: FingerprintList[] = [];
  for (let left = reader.uint(); left > 0; left--) lists.push({ id: reader.uint(), count: reader.uint() });
  return lists;
}

function lacking(blocks: number): CrawlstreamError {
  return new CrawlstreamError(
    'INVALID_RECORD',
    `the state folder lacks ${blocks} blocks of fingerprints: delete the folder; the next start rebuilds it from the changelog`,
  );
}
