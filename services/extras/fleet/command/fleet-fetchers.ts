/**
 * The crawls of a fleet in a fetcher process. A crawl is opened with its first task here, and closed when the fleet's
 * documents say that it should not run. If it fails, it is opened again, without effect on the others.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { plainStats } from '../../../application/workers/worker-orders.ts';
import { addEnded, sumStats } from '../../../application/workers/worker-stats.ts';
import { emptyStats, type FetcherStats } from '../../../fetcher/fetcher-stats.ts';
import type { LogRecord } from '../../../runtime/log/log.ts';
import { say } from '../../../runtime/logging/say.ts';
import { errorOf } from '../../../runtime/thrown.ts';
import { type CrawlFile, crawlFileOf } from '../crawl-file.ts';
import { crawlFileIn } from '../crawl-topics.ts';
import type { FollowedDocuments } from '../documents/follow-documents.ts';
import { fleetFetcherLimits } from '../fetchers/fetcher-limits.ts';
import { crawlOfRecord, movedAnswerOf } from '../fetchers/task-records.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import { CrawlFetcher, type CrawlFetcherOptions } from './crawl-fetcher.ts';

export interface FleetFetchersOptions extends CrawlFetcherOptions {
  readonly fleet: string;
  readonly documents: FollowedDocuments;
}

interface Entry {
  crawl: CrawlFetcher | undefined;
  /** The pending work, in order. It begins when the crawl is open. */
  turn: Promise<unknown>;
  /** Resolves when the crawl is closed. undefined: it is not being closed. */
  gone: Promise<void> | undefined;
}

export class FleetFetchers {
  readonly #options: FleetFetchersOptions;
  readonly #entries = new Map<string, Entry>();
  /** Crawl files as last parsed, by crawl. A file has all seeds, so it is parsed again only if its text changes. */
  readonly #files = new Map<string, { readonly text: string; readonly file: CrawlFile }>();
  readonly #goings = new Set<Promise<unknown>>();
  #endedStats = plainStats(emptyStats());
  #isStopping = false;

  constructor(options: FleetFetchersOptions) {
    this.#options = options;
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Sums over all crawls, including closed ones. */
  stats(): FetcherStats {
    const running = [...this.#entries.values()].flatMap(({ crawl }) => crawl?.stats() ?? []);
    return sumStats([this.#endedStats, ...running.map(plainStats)]);
  }

  take(record: LogRecord): void {
    // A stopping process takes no more tasks: the next process ends them.
    if (this.#isStopping) return;
    const name = this.#nameOf(record);
    const answer = movedAnswerOf(record);
    if (answer !== undefined || name === undefined) this.#options.share().over(record);
    if (name === undefined) return;
    if (answer === undefined) this.#do(name, [record], (crawl) => crawl.take(record)).catch(() => {});
    // Without tasks here, the crawl waits for no answer.
    else if (this.#entries.has(name)) this.#do(name, [], (crawl) => crawl.answered(answer)).catch(() => {});
  }

  /** Ends leases that an earlier process left unfinished. */
  async end(records: readonly LogRecord[]): Promise<void> {
    const byName = new Map<string, LogRecord[]>();
    for (const record of records) {
      const name = this.#nameOf(record);
      if (name === undefined || movedAnswerOf(record) !== undefined) continue;
      const some = byName.get(name);
      if (some === undefined) byName.set(name, [record]);
      else some.push(record);
    }
    await Promise.all([...byName].map(([name, some]) => this.#end(name, some)));
  }

  taken(isTaken: (hostKey: string) => boolean): void {
    for (const { crawl } of this.#entries.values()) crawl?.taken(isTaken);
  }

  gone(partition: number): void {
    for (const { crawl } of this.#entries.values()) crawl?.gone(partition);
  }

  /** Closes crawls that should not run, or were deleted and created again. Applies changed weights. */
  look(): void {
    for (const [name, entry] of this.#entries)
      void this.#wanted(name).then((file) => {
        const { crawl } = entry;
        if (crawl === undefined || this.#entries.get(name) !== entry) return;
        if (file?.createdAtMs !== crawl.file.createdAtMs) this.#letGo(name, entry);
        else if (file.weight !== crawl.file.weight) this.#options.pace.setWeight(name, file.weight);
      });
  }

  /**
   * Closes all crawls, and reports no pending work: another process may have owned the hosts meanwhile. Each crawl
   * opens again with its next task.
   */
  lapse(): void {
    for (const [name, entry] of this.#entries) this.#letGo(name, entry, 0, false);
  }

  async breakOff(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ crawl }) => crawl?.breakOff()));
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    for (const [name, entry] of this.#entries) this.#letGo(name, entry, graceMs, false);
    await Promise.all(this.#goings);
  }

  #nameOf(record: LogRecord): string | undefined {
    const prefix = `${this.#options.fleet}.`;
    const crawl = crawlOfRecord(record);
    return crawl?.startsWith(prefix) === true ? crawl.slice(prefix.length) : undefined;
  }

  async #end(name: string, records: readonly LogRecord[]): Promise<void> {
    while (!this.#isStopping) {
      try {
        return await this.#do(name, [], (crawl) => crawl.end(records));
      } catch {
        await sleep(fleetFetcherLimits.againMs);
      }
    }
  }

  /** Does `act` in turn, once the crawl is open. If it should not run, `records` are over. Rejects if `act` fails. */
  async #do(name: string, records: readonly LogRecord[], act: (crawl: CrawlFetcher) => Promise<void>): Promise<void> {
    const gone = this.#entries.get(name)?.gone;
    if (gone !== undefined) {
      await gone;
      return this.#isStopping ? undefined : this.#do(name, records, act);
    }
    const entry = this.#entries.get(name) ?? this.#begin(name, []);
    const mine = entry.turn.then(async () => {
      if (entry.gone !== undefined) return 'gone';
      if (entry.crawl !== undefined) await act(entry.crawl);
      else for (const record of records) this.#options.share().over(record);
      return 'done';
    });
    entry.turn = mine.catch((error) => this.#failed(name, entry, error));
    if ((await mine) === 'gone' && !this.#isStopping) return this.#do(name, records, act);
  }

  /** Opens a crawl. `left`: leases to end first. */
  #begin(name: string, left: readonly LogRecord[]): Entry {
    const entry: Entry = { crawl: undefined, gone: undefined, turn: Promise.resolve() };
    this.#entries.set(name, entry);
    const { documents, share } = this.#options;
    entry.turn = (async () => {
      let file = await this.#wanted(name);
      if (file === undefined && !this.#isStopping) {
        // The crawl may have been created or resumed a moment ago.
        await documents.caughtUp();
        file = await this.#wanted(name);
      }
      if (file === undefined || this.#isStopping) {
        if (this.#entries.get(name) === entry) this.#entries.delete(name);
        for (const record of left) share().over(record);
        return;
      }
      const crawl = new CrawlFetcher(this.#options, file, (error) => this.#failed(name, entry, error));
      await crawl.open();
      entry.crawl = crawl;
      if (left.length === 0) return;
      await crawl.end(left);
      for (const record of left) share().over(record);
    })().catch((error) => this.#failed(name, entry, error, left));
    return entry;
  }

  #failed(name: string, entry: Entry, error: unknown, before: readonly LogRecord[] = []): void {
    if (entry.gone !== undefined || this.#entries.get(name) !== entry) return;
    const isBug = !(error instanceof CrawlstreamError);
    say(`${name}: ${isBug ? `a bug, please report it: ${errorOf(error).stack}` : errorOf(error).message}`, 'warn');
    this.#goes(name, entry, async () => {
      await entry.turn;
      const left = [...before, ...(entry.crawl?.left ?? [])];
      this.#ended(await entry.crawl?.stop(0, false));
      await sleep(fleetFetcherLimits.againMs);
      return left;
    });
  }

  #letGo(name: string, entry: Entry, graceMs: number = fleetServiceLimits.graceMs, isOver = true): void {
    if (entry.gone !== undefined) return;
    this.#goes(name, entry, async () => {
      await entry.turn;
      this.#ended(await entry.crawl?.stop(graceMs, isOver));
      return [];
    });
  }

  #ended(stats: FetcherStats | undefined): void {
    if (stats !== undefined) this.#endedStats = addEnded(this.#endedStats, plainStats(stats));
  }

  /** Closes an entry by `act`, which resolves with the leases that the next entry must end. */
  #goes(name: string, entry: Entry, act: () => Promise<readonly LogRecord[]>): void {
    const going = act().then((left) => {
      if (this.#entries.get(name) !== entry) return;
      this.#entries.delete(name);
      if (left.length > 0 && !this.#isStopping) this.#begin(name, left);
    });
    entry.gone = going;
    this.#goings.add(going);
    void going.finally(() => this.#goings.delete(going));
  }

  /** Returns the file of a crawl that should run; undefined: it should not. */
  async #wanted(name: string): Promise<CrawlFile | undefined> {
    const { documents } = this.#options;
    const found = await crawlFileIn(documents, name);
    if (found === undefined) {
      this.#files.delete(name);
      return undefined;
    }
    let read = this.#files.get(name);
    if (read?.text !== found.text) {
      read = { text: found.text, file: crawlFileOf(found.text, found.place) };
      this.#files.set(name, read);
    }
    return read.file.wish === 'running' ? read.file : undefined;
  }
}
