/**
 * The number of leases of each crawl that a fleet's fetchers would hold. They report it regularly on a topic with one
 * partition, and the frontiers grant at most the sum. Without fetchers there are no reports, so nothing is granted.
 *
 * A report is valid for a few seconds only, so a lost one does no harm.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Log } from '../../../runtime/log/log.ts';
import { fleetFetcherLimits } from './fetcher-limits.ts';

const { reportMs, reportAgainMs, goneMs, firstLeases, againMs } = fleetFetcherLimits;

const demandSchema = z.object({
  /** Number of leases that the fetcher would hold, including those that it holds; by name of a crawl that it knows. */
  leases: z.record(z.string(), z.number()),
  /** True: the fetcher stops. */
  isOver: z.boolean().default(false),
});

export interface DemandOptions {
  readonly log: Pick<Log, 'append' | 'offsets' | 'reader'>;
  readonly topic: string;
}

export class DemandReporter {
  readonly #options: DemandOptions;
  readonly #fetcher: string;
  readonly #leases = new Map<string, number>();
  readonly #stopping = new AbortController();
  #isNews = true;

  constructor(options: DemandOptions, fetcher: string) {
    [this.#options, this.#fetcher] = [options, fetcher];
  }

  report(crawl: string, leases: number): void {
    if (this.#leases.get(crawl) === leases) return;
    this.#leases.set(crawl, leases);
    this.#isNews = true;
  }

  forget(crawl: string): void {
    if (this.#leases.delete(crawl)) this.#isNews = true;
  }

  /**
   * Reports until it is stopped. `may`: true if this process has a partition and may start requests. Rejects if the
   * topic cannot be written.
   */
  async run(may: () => boolean): Promise<void> {
    const { signal } = this.#stopping;
    let reportedAtMs = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const isDue = this.#isNews || performance.now() - reportedAtMs >= reportAgainMs;
      if (isDue && may()) {
        this.#isNews = false;
        reportedAtMs = performance.now();
        await this.#send(false);
      }
      await sleep(reportMs, undefined, { signal }).catch(() => {});
    }
    await this.#send(true);
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #send(isOver: boolean): Promise<void> {
    const { log, topic } = this.#options;
    const value = Buffer.from(JSON.stringify({ leases: Object.fromEntries(this.#leases), isOver }));
    await log.append([{ topic, partition: 0, key: Buffer.from(this.#fetcher), value }]);
  }
}

interface Report {
  atMs: number;
  leases: ReadonlyMap<string, number>;
}

export class DemandReader {
  readonly #options: DemandOptions;
  readonly #reports = new Map<string, Report>();
  readonly #listeners = new Set<() => void>();
  readonly #stopping = new AbortController();
  #reader: ReturnType<Log['reader']> | undefined;

  constructor(options: DemandOptions) {
    this.#options = options;
  }

  /** Number of fetchers with a recent report. */
  get fetchers(): number {
    this.#forgetGone();
    return this.#reports.size;
  }

  leasesOf(crawl: string): number {
    this.#forgetGone();
    let sum = 0;
    for (const { leases } of this.#reports.values()) sum += leases.get(crawl) ?? firstLeases;
    return sum;
  }

  /** `listener` is called after each report, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads from the end of the topic until it is stopped; rejects if the topic cannot be read. */
  async run(): Promise<void> {
    const { log, topic } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const reader = log.reader();
      this.#reader = reader;
      try {
        reader.seek(topic, 0, (await log.offsets(topic, 0)).end);
        while (!this.#stopping.signal.aborted) {
          for (const { key, value } of await reader.poll({ maxBytes: 1 << 20, waitMs: 1_000 }))
            this.#receive(`${key}`, value);
        }
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        if (!(error instanceof CrawlstreamError && (error.retriable || error.code === 'OFFSET_OUT_OF_RANGE')))
          throw error;
        await sleep(againMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      } finally {
        await reader.close();
      }
    }
  }

  stop(): void {
    this.#stopping.abort();
    this.#reader?.wake();
  }

  #receive(fetcher: string, value: Buffer): void {
    const report = reportIn(value);
    // The record is not a fetcher's report. If it is a damaged one, the fetcher reports again.
    if (report === null) return;
    const { leases, isOver } = report;
    if (isOver) this.#reports.delete(fetcher);
    else this.#reports.set(fetcher, { atMs: performance.now(), leases: new Map(Object.entries(leases)) });
    for (const listener of this.#listeners) listener();
  }

  #forgetGone(): void {
    for (const [fetcher, { atMs }] of this.#reports)
      if (performance.now() - atMs > goneMs) this.#reports.delete(fetcher);
  }
}

/** null: not a fetcher's report. */
function reportIn(value: Buffer): z.infer<typeof demandSchema> | null {
  try {
    return demandSchema.parse(JSON.parse(value.toString()));
  } catch {
    return null;
  }
}
