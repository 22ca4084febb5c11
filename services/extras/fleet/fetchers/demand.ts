/**
 * How many leases of each crawl the fetchers of a fleet would hold: they say so on a topic of one partition, again and again, and the
 * frontiers grant no more than all of them together would hold. Nobody says anything where there is no fetcher, and nothing is granted then.
 *
 * Nothing of it matters for longer than some seconds: what is lost is said again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Log } from '../../../runtime/log/log.ts';
import { fleetFetcherLimits } from './fetcher-limits.ts';

const { reportMs, reportAgainMs, goneMs, firstLeases, againMs } = fleetFetcherLimits;

const demandSchema = z.object({
  /** Of crawls that it has seen, by name: with those it holds. */
  leases: z.record(z.string(), z.number()),
  /** It stops. */
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

  /** `may`: is there a partition here, and may requests start? Rejects where the topic cannot be written. */
  async run(may: () => boolean): Promise<void> {
    const { signal } = this.#stopping;
    let saidAtMs = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const isDue = this.#isNews || performance.now() - saidAtMs >= reportAgainMs;
      if (isDue && may()) {
        this.#isNews = false;
        saidAtMs = performance.now();
        await this.#say(false);
      }
      await sleep(reportMs, undefined, { signal }).catch(() => {});
    }
    await this.#say(true);
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #say(isOver: boolean): Promise<void> {
    const { log, topic } = this.#options;
    const value = Buffer.from(JSON.stringify({ leases: Object.fromEntries(this.#leases), isOver }));
    await log.append([{ topic, partition: 0, key: Buffer.from(this.#fetcher), value }]);
  }
}

interface Heard {
  atMs: number;
  leases: ReadonlyMap<string, number>;
}

export class DemandReader {
  readonly #options: DemandOptions;
  readonly #heard = new Map<string, Heard>();
  readonly #listeners = new Set<() => void>();
  readonly #stopping = new AbortController();
  #reader: ReturnType<Log['reader']> | undefined;

  constructor(options: DemandOptions) {
    this.#options = options;
  }

  /** Fetchers that have said something lately. */
  get fetchers(): number {
    this.#forgetGone();
    return this.#heard.size;
  }

  leasesOf(crawl: string): number {
    this.#forgetGone();
    let sum = 0;
    for (const { leases } of this.#heard.values()) sum += leases.get(crawl) ?? firstLeases;
    return sum;
  }

  /** `listener` is called when something was said, until what is returned is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** From the end of the topic on, until it is stopped; rejects where the topic cannot be read. */
  async run(): Promise<void> {
    const { log, topic } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const reader = log.reader();
      this.#reader = reader;
      try {
        reader.seek(topic, 0, (await log.offsets(topic, 0)).end);
        while (!this.#stopping.signal.aborted) {
          for (const { key, value } of await reader.poll({ maxBytes: 1 << 20, waitMs: 1_000 }))
            this.#hear(`${key}`, value);
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

  #hear(fetcher: string, value: Buffer): void {
    const said = saidIn(value);
    // From a process that is not a fetcher; a fetcher reports again.
    if (said === null) return;
    const { leases, isOver } = said;
    if (isOver) this.#heard.delete(fetcher);
    else this.#heard.set(fetcher, { atMs: performance.now(), leases: new Map(Object.entries(leases)) });
    for (const listener of this.#listeners) listener();
  }

  #forgetGone(): void {
    for (const [fetcher, { atMs }] of this.#heard) if (performance.now() - atMs > goneMs) this.#heard.delete(fetcher);
  }
}

/** null: it is not what a fetcher says. */
function saidIn(value: Buffer): z.infer<typeof demandSchema> | null {
  try {
    return demandSchema.parse(JSON.parse(value.toString()));
  } catch {
    return null;
  }
}
