/**
 * `npm run bench -- seen-test [--urls N] [--duplicates R] [--known N] [--seen exact|drum|bloom] [--memory MB] [--runs
 * N] [--json]`
 *
 * The seen test alone, on one core: fingerprints are tested in order, new ones added, rows saved as the checkpoint
 * saves them, and the work on the rows (spills, lookups, merges) is run when it is due. Making the fingerprints is not
 * counted. `--known`: fingerprints that are known before the measurement begins. `drum` is the exact test with
 * `--memory` and no more; `exact` holds everything in memory.
 */

import { openStateStore } from '../../../services/runtime/store/open-store.ts';
import type { StateStore } from '../../../services/runtime/store/store.ts';
import { saveSeen } from '../../../topology/frontier/seen/seen-rows.ts';
import { SeenTest, seenVerdicts } from '../../../topology/frontier/seen/seen-test.ts';
import { type BenchOptions, benchOptions } from '../bench-options.ts';
import { folderBytes } from '../process/folder-bytes.ts';
import { onOneCore } from '../process/one-core.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { knownFirst, mix, UrlNumbers } from './link-source.ts';
import { seenConfig } from './seen-memory.ts';

interface SeenStretch {
  readonly urls: number;
  readonly urlsPerSecond: number;
  readonly cpuMicrosPerUrl: number;
  readonly worstPauseMs: number;
  readonly testBytes: number;
  readonly rssBytes: number;
}

interface SeenFigures {
  readonly urls: number;
  readonly known: number;
  readonly urlsPerSecond: number;
  readonly cpuMicrosPerUrl: number;
  readonly bytesPerKnownUrl: number;
  readonly diskBytesPerKnownUrl: number;
  readonly worstPauseMs: number;
  readonly rssBytes: number;
  readonly stretches: readonly SeenStretch[];
}

const million = 1_000_000;
/**
 * Its rows are large, written in order and read once: a larger cache would be memory of RocksDB, and not of the seen
 * test.
 */
const smallBuffers = { writeBufferBytes: 8 << 20, cacheBytes: 1 << 20 };
/** New fingerprints between two saves: the checkpoint is saved after about this much changelog. */
const saveEvery = 100_000;
/** Tests between two looks at the clock. */
const slice = 2_000;
/** Used if the seen test does not report how many it may hold. */
const linksAtHand = 100_000;

export async function run(args: readonly string[]): Promise<void> {
  const options = benchOptions(args, { urls: 5_000_000, hosts: 1 });
  const config = seenConfig(options);
  const runs: SeenFigures[] = [];
  while (runs.length < options.runs) {
    const one = await onOneCore('seen-test', args, () =>
      inTemporaryFolder(async (folder) => {
        const store = await openStateStore(folder, smallBuffers);
        const seen = new SeenTest(config);
        const test = new MeasuredTest(seen, store, options);
        await test.run();
        await store.close();
        return test.figures(await folderBytes(folder));
      }),
    );
    if (one === undefined) return;
    runs.push(one);
  }
  const middle = runs.sort((a, b) => a.urlsPerSecond - b.urlsPerSecond)[runs.length >> 1]!;
  const { stretches, ...whole } = middle;
  console.table(stretches);
  console.table([whole]);
  if (!options.json) return;
  const { diskBytesPerKnownUrl: diskBytesPerQueuedUrl } = whole;
  const [firstMillionPerSecond, lastMillionPerSecond] = [stretches[0]!.urlsPerSecond, stretches.at(-1)!.urlsPerSecond];
  const more = { diskBytesPerQueuedUrl, firstMillionPerSecond, lastMillionPerSecond, runs: options.runs };
  process.stdout.write(`${JSON.stringify({ name: 'seen-test', seen: options.seen, ...whole, ...more })}\n`);
}

class MeasuredTest {
  readonly #seen: SeenTest;
  readonly #store: StateStore;
  readonly #options: BenchOptions;
  #numbers: UrlNumbers;
  /** Fingerprints at a time. A lookup answers for all pending ones, so this is as many as the partition would hold. */
  readonly #fingerprints: Uint32Array;
  #unsaved = 0;
  #madeMs = 0;
  #worstMs = 0;
  readonly #stretches: SeenStretch[] = [];

  constructor(seen: SeenTest, store: StateStore, options: BenchOptions) {
    this.#seen = seen;
    this.#store = store;
    this.#options = options;
    this.#numbers = new UrlNumbers({ duplicates: 0 });
    this.#fingerprints = new Uint32Array(2 * (seen.counts.linksMax || linksAtHand));
  }

  async run(): Promise<void> {
    const { urls, duplicates } = this.#options;
    const known = this.#options.known || knownFirst(urls, duplicates);
    await this.#takeMany(known);
    this.#worstMs = 0;
    this.#numbers = new UrlNumbers({ duplicates, known });
    for (let done = 0; done < urls; ) {
      const before = this.#now();
      const count = Math.min(million, urls - done);
      await this.#takeMany(count);
      await this.#save();
      this.#end(count, before);
      done += count;
    }
  }

  async #takeMany(count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      const some = Math.min(this.#fingerprints.length / 2, left);
      this.#make(some);
      await this.#decide(some);
      left -= some;
    }
  }

  #make(count: number): void {
    const beganMs = performance.now();
    for (let i = 0; i < count; i++) {
      const number = this.#numbers.next();
      this.#fingerprints[2 * i] = mix(number ^ 0x5bd1e995);
      this.#fingerprints[2 * i + 1] = mix(Math.imul(number, 0x9e3779b1) ^ 0x27d4eb2f);
    }
    this.#madeMs += performance.now() - beganMs;
  }

  async #decide(count: number): Promise<void> {
    for (let at = 0; at < count; ) {
      at = this.#timed(() => this.#decideSome(at, Math.min(count, at + slice)));
      if (this.#unsaved >= saveEvery) await this.#save();
      await this.#work(false);
      if (at < count && this.#testAt(at) === seenVerdicts.unknown) {
        for (let from = at; from < count; from += slice) {
          this.#timed(() => this.#ask(from, Math.min(count, from + slice)));
        }
        await this.#work(true);
      }
    }
  }

  /** Decides in order; returns at a fingerprint that needs a lookup, or a table to add to. */
  #decideSome(from: number, to: number): number {
    for (let at = from; at < to; at++) {
      const verdict = this.#testAt(at);
      if (verdict === seenVerdicts.unknown || this.#seen.stalled) return at;
      if (verdict === seenVerdicts.seen) continue;
      this.#seen.add(this.#fingerprints[2 * at]!, this.#fingerprints[2 * at + 1]!);
      this.#unsaved += 1;
    }
    return to;
  }

  #testAt(at: number) {
    return this.#seen.test(this.#fingerprints[2 * at]!, this.#fingerprints[2 * at + 1]!);
  }

  #ask(from: number, to: number): void {
    for (let at = from; at < to && this.#seen.questions < this.#seen.counts.questionsMax; at++) {
      this.#seen.ask(this.#fingerprints[2 * at]!, this.#fingerprints[2 * at + 1]!);
    }
  }

  /** Runs one job, if one is due; its result is applied at the next turn, as in the partition. */
  async #work(wanted: boolean): Promise<void> {
    const job = this.#seen.work(wanted);
    if (job === null) return;
    let next = this.#timed(() => job.next([]));
    while (!next.done) {
      const { read, write } = next.value;
      if (write !== undefined) await this.#store.write(write);
      const reply = read === undefined ? [] : await this.#store.getMany(read);
      next = this.#timed(() => job.next(reply));
    }
  }

  async #save(): Promise<void> {
    this.#unsaved = 0;
    await this.#store.write(this.#timed(() => saveSeen(this.#seen)));
  }

  #timed<T>(act: () => T): T {
    const beganMs = performance.now();
    const result = act();
    this.#worstMs = Math.max(this.#worstMs, performance.now() - beganMs);
    return result;
  }

  #now() {
    const { user, system } = process.cpuUsage();
    return { wallMs: performance.now() - this.#madeMs, cpuMs: (user + system) / 1000 - this.#madeMs };
  }

  #end(urls: number, before: { readonly wallMs: number; readonly cpuMs: number }): void {
    const { wallMs, cpuMs } = this.#now();
    this.#stretches.push({
      urls,
      urlsPerSecond: Math.round((1000 * urls) / (wallMs - before.wallMs)),
      cpuMicrosPerUrl: Number(((1000 * (cpuMs - before.cpuMs)) / urls).toFixed(3)),
      worstPauseMs: Number(this.#worstMs.toFixed(1)),
      testBytes: this.#seen.bytes,
      rssBytes: process.memoryUsage.rss(),
    });
    this.#worstMs = 0;
  }

  figures(diskBytes: number): SeenFigures {
    const { urls } = this.#options;
    const [known, stretches] = [this.#seen.size, this.#stretches];
    const seconds = stretches.reduce((sum, one) => sum + one.urls / one.urlsPerSecond, 0);
    const micros = stretches.reduce((sum, one) => sum + one.urls * one.cpuMicrosPerUrl, 0);
    return {
      urls,
      known,
      urlsPerSecond: Math.round(urls / seconds),
      cpuMicrosPerUrl: Number((micros / urls).toFixed(3)),
      bytesPerKnownUrl: Number((this.#seen.bytes / known).toFixed(1)),
      diskBytesPerKnownUrl: Number((diskBytes / known).toFixed(1)),
      worstPauseMs: Math.max(...stretches.map((one) => one.worstPauseMs)),
      rssBytes: process.resourceUsage().maxRSS * 1024,
      stretches,
    };
  }
}
