/**
 * Seen test: "has this URL been admitted before?", for 64-bit fingerprints, in tiers.
 *
 *   cache of recent ones → table → [ a table that becomes a run → answers of the last lookup → filter → runs on disk ]
 *
 * An exact table in memory (fingerprint-table.ts) until it holds `tableMax`. It is then written as a sorted run,
 * while the partition works, and a new table begins. From here on, a Bloom filter over all runs says "surely new" or
 * "look it up". Such lookups are collected, and answered in one pass over the runs (look-up.ts). Meanwhile the
 * verdict is `unknown`, and the partition stops before that link. So verdicts and their order are those of one exact
 * set, however many tiers there are, and a committed position never passes an undecided link (docs/design.md §4.9).
 *
 * With `bloom`, there is only the filter (seen-config.ts describes the cost).
 *
 * Sources: Lee, Leonard, Wang & Loguinov, "IRLbot" (WWW 2008), §4: DRUM, buckets checked against a sorted disk file
 * in batches; O'Neil et al., "The log-structured merge-tree" (1996): runs written once, merged when they are many.
 * Probability of one false "seen" among n URLs: n² / 2^65, 3·10⁻⁴ at 100 M.
 */

import { MultisetSum } from '../storage/multiset-sum.ts';
import type { StoreJob } from '../storage/store-job.ts';
import { BlockedBloom } from './blocked-bloom.ts';
import { compact, runsToMerge } from './compact.ts';
import { type FingerprintList, FingerprintLog } from './fingerprint-log.ts';
import { FingerprintTable } from './fingerprint-table.ts';
import { lookUp } from './look-up.ts';
import { RecentCache } from './recent-cache.ts';
import type { Run } from './runs.ts';
import { lastAtOrBelow } from './runs.ts';
import { countsOf, defaultSeen, type SeenConfig, type SeenCounts } from './seen-config.ts';
import { spill } from './spill.ts';

export const seenVerdicts = { new: 0, seen: 1, unknown: 2 } as const;
export type SeenVerdict = (typeof seenVerdicts)[keyof typeof seenVerdicts];

/** A table that is being written as a run. */
export interface Sealed {
  readonly table: FingerprintTable;
  /** The lists of the log it was filled from. */
  readonly lists: readonly FingerprintList[];
}

/** Fingerprints asked together, sorted pairs, and which of them the runs hold. */
export interface Answers {
  readonly asked: Uint32Array;
  readonly found: Uint8Array;
}

/**
 * At one in this many new URLs, the filter is tested with fingerprints that were never added, to measure false
 * positives.
 */
const sampling = 16;
/** Most tests in a row: a filter that says "seen" this often says so to everything. */
const strangersMax = 1_000;

export class SeenTest {
  readonly config: SeenConfig;
  readonly counts: SeenCounts;
  /** Fingerprints admitted. */
  size = 0;
  readonly sum = new MultisetSum();
  /** Storage; read and changed by the jobs and rows of this folder only. */
  log = new FingerprintLog(1);
  runs: readonly Run[] = [];
  nextId = 2;
  /** Lists without references: their rows are deleted with the next save. */
  dropped: FingerprintList[] = [];
  sealed: Sealed | null = null;
  /**
   * Grows when answers are dropped, and when fingerprints leave the table for a run: earlier questions must then be
   * asked again.
   */
  forgets = 0;
  filter: BlockedBloom | null = null;
  #table = new FingerprintTable();
  #cache: RecentCache | null = null;
  #questions = new FingerprintTable();
  #answers: Answers | null = null;
  #errors = 0;

  constructor(config: SeenConfig = defaultSeen) {
    this.config = config;
    this.counts = countsOf(config);
    if (config.kind === 'bloom') this.filter = new BlockedBloom(this.counts.bloomBytes);
  }

  /** Verdicts may be unknown. */
  get asks(): boolean {
    return this.runs.length > 0 && this.config.kind === 'exact';
  }

  /** Fingerprints to be looked up. */
  get questions(): number {
    return this.#questions.size;
  }

  /** No more may be added until the table before this one is a run. */
  get stalled(): boolean {
    return this.sealed !== null && this.#table.size >= this.counts.recentMax;
  }

  /** Memory of all parts, except that of running jobs, a few MB at most. */
  get bytes(): number {
    const answers = this.#answers === null ? 0 : this.#answers.asked.byteLength + this.#answers.found.byteLength;
    const parts = [this.#table, this.#questions, this.sealed?.table, this.filter, this.#cache];
    return parts.reduce((sum, part) => sum + (part?.bytes ?? 0), answers);
  }

  test(hi: number, lo: number): SeenVerdict {
    if (this.config.kind === 'bloom') return this.filter!.has(hi, lo) ? seenVerdicts.seen : seenVerdicts.new;
    const cache = this.#cache;
    if (cache?.has(hi, lo)) return seenVerdicts.seen;
    const verdict = this.#testTiers(hi, lo);
    if (verdict === seenVerdicts.seen) cache?.add(hi, lo);
    return verdict;
  }

  #testTiers(hi: number, lo: number): SeenVerdict {
    const verdict = this.#testMemory(hi, lo);
    if (verdict === seenVerdicts.unknown && this.#answers !== null) {
      const { asked, found } = this.#answers;
      const at = lastAtOrBelow(asked, 0, found.length, hi, lo);
      if (at >= 0 && asked[2 * at] === hi && asked[2 * at + 1] === lo) {
        return found[at] === 1 ? seenVerdicts.seen : seenVerdicts.new;
      }
    }
    return verdict;
  }

  #testMemory(hi: number, lo: number): SeenVerdict {
    if (this.#table.has(hi, lo) || this.sealed?.table.has(hi, lo)) return seenVerdicts.seen;
    return this.asks && this.filter!.has(hi, lo) ? seenVerdicts.unknown : seenVerdicts.new;
  }

  /**
   * Has a fingerprint looked up the next time, unless memory decides. The cache and the answers to the last questions
   * don't count: they may be gone before the link is decided, and a late question would cost another pass.
   */
  ask(hi: number, lo: number): void {
    if (this.asks && this.#testMemory(hi, lo) === seenVerdicts.unknown) this.#questions.add(hi, lo);
  }

  /** Drops the questions: their answers are no longer needed. */
  dropQuestions(): void {
    if (this.#questions.size > 0) this.#questions = new FingerprintTable();
  }

  /** Admits a fingerprint. */
  add(hi: number, lo: number): void {
    this.size += 1;
    this.sum.add(hi, lo);
    if (this.config.kind === 'bloom') {
      if (this.size % sampling === 0) this.#errors += sampling * this.#strangersSeen(hi, lo);
      this.filter!.add(hi, lo);
      this.log.append(hi, lo);
      return;
    }
    if (this.#table.add(hi, lo)) this.log.append(hi, lo);
    const { tableMax, recentMax } = this.counts;
    if (this.#table.size >= (this.runs.length === 0 ? tableMax : recentMax) && this.sealed === null) this.#seal();
  }

  /**
   * Fingerprints never added that the filter takes for seen before it says "new" once. On average f / (1 − f) at f false
   * positives: as many new URLs are lost for each one that is admitted.
   */
  #strangersSeen(hi: number, lo: number): number {
    let [a, b] = [~hi >>> 0, ~lo >>> 0];
    for (let seen = 0; seen < strangersMax; seen++) {
      if (!this.filter!.has(a, b)) return seen;
      a = Math.imul(a ^ (b >>> 15), 0x2c1b3c6d) >>> 0;
      b = Math.imul(b ^ (a >>> 12), 0x297a2d39) >>> 0;
    }
    return strangersMax;
  }

  /** New URLs that were mistaken for seen since the last call, as measured on a sample; always none without `bloom`. */
  takeErrors(): number {
    const errors = this.#errors;
    this.#errors = 0;
    return errors;
  }

  /** The questions so far, sorted; they are no longer waiting. */
  takeQuestions(): Uint32Array {
    const [asked = new Uint32Array(0)] = this.#questions.blocks(this.#questions.size);
    this.#questions = new FingerprintTable();
    return asked;
  }

  /** Stores the answers to the questions that were taken, and drops earlier answers. */
  answer(answers: Answers): void {
    this.#answers = answers;
  }

  /** Replaces the sealed table by its run. */
  unseal(run: Run): void {
    const { lists } = this.sealed!;
    this.runs = [...this.runs, run];
    this.log.drop(lists);
    this.dropped.push(...lists);
    this.sealed = null;
    // The last answers may say "new" for fingerprints that were admitted since, and are in the run now.
    this.#answers = null;
    this.forgets += 1;
  }

  /** Runs were merged into one. */
  replaceRuns(old: readonly Run[], run: Run): void {
    this.runs = [...this.runs.filter((one) => !old.includes(one)), run];
    this.dropped.push(...old);
  }

  /** Work on the rows that is due, one job at a time; null: none. `wanted`: the questions are to be answered now. */
  work(wanted: boolean): StoreJob | null {
    if (this.stalled) return spill(this);
    if (wanted && this.questions > 0) return lookUp(this);
    if (this.sealed !== null) return spill(this);
    const merged = runsToMerge(this.runs, this.counts.recentMax);
    return merged.length > 0 ? compact(this, merged) : null;
  }

  /** Takes over the loaded table after a restart. */
  resume(table: FingerprintTable): void {
    this.#table = table;
  }

  /** Call before the first run. */
  allocateFilter(): void {
    this.filter ??= new BlockedBloom(this.counts.bloomBytes);
    if (this.config.kind === 'exact') this.#cache ??= new RecentCache(this.counts.cacheBytes);
  }

  #seal(): void {
    this.sealed = { table: this.#table, lists: this.log.cut(this.nextId++) };
    this.#table = new FingerprintTable();
    this.allocateFilter();
  }
}
