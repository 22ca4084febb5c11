/**
 * Runs the consumers of a fleet's crawls in a process. The consumers of a crawl start when the crawl appears in the
 * fleet's documents. They stop when it is deleted; then their data here is deleted, too. If they fail, they are
 * restarted, without effect on other crawls.
 */
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Processor } from '../../../application/processor/processor.ts';
import { startProcessors } from '../../../application/start-processors.ts';
import { reachOf } from '../../../hosting/options/processors.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { say } from '../../../runtime/logging/say.ts';
import { createService } from '../../../runtime/metrics/service.ts';
import { crawlFileOf } from '../crawl-file.ts';
import { crawlFileIn, crawlsIn } from '../crawl-topics.ts';
import type { ReadableDocuments } from '../documents/documents.ts';
import { fleetFetcherLimits } from '../fetchers/fetcher-limits.ts';
import { type KafkaCrawls, ownFolder } from './kafka-crawls.ts';

export interface FleetConsumersOptions {
  readonly documents: ReadableDocuments;
  readonly clock: Clock;
  /** Folder of this process, with one folder for each crawl. */
  readonly data: string;
  readonly crawls: Pick<KafkaCrawls, 'attach' | 'detach'>;
  /** Processors in the order in which they drain. */
  readonly chosen: readonly Processor[];
}

/** A crawl that exists, from its document. */
interface ExistingCrawl {
  readonly createdAtMs: number;
  readonly hasResponses: boolean;
}

interface Entry {
  readonly createdAtMs: number;
  readonly stopping: AbortController;
  readonly gone: Promise<void>;
}

export class FleetConsumers {
  readonly #options: FleetConsumersOptions;
  readonly #entries = new Map<string, Entry>();
  #looking: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(options: FleetConsumersOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Starts the consumers of new crawls, and stops those of deleted crawls. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look());
    return this.#looking;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#looking.catch(() => {});
    for (const { stopping } of this.#entries.values()) stopping.abort();
    await Promise.all([...this.#entries.values()].map(({ gone }) => gone));
  }

  async #look(): Promise<void> {
    const there = new Map<string, ExistingCrawl>();
    for (const name of await crawlsIn(this.#options.documents)) {
      const one = await this.#there(name);
      if (one !== undefined) there.set(name, one);
    }
    if (this.#isStopping) return;
    for (const [name, { createdAtMs, stopping, gone }] of this.#entries) {
      if (there.get(name)?.createdAtMs === createdAtMs) continue;
      stopping.abort();
      await gone;
      this.#entries.delete(name);
    }
    await this.#clear(there);
    for (const [name, one] of there) {
      if (this.#entries.has(name)) continue;
      const stopping = new AbortController();
      const gone = this.#live(name, one, stopping.signal);
      this.#entries.set(name, { createdAtMs: one.createdAtMs, stopping, gone });
    }
  }

  async #there(name: string): Promise<ExistingCrawl | undefined> {
    const found = await crawlFileIn(this.#options.documents, name);
    if (found === undefined) return undefined;
    const { createdAtMs, output } = crawlFileOf(found.text, found.place);
    return { createdAtMs, hasResponses: output.warc === true };
  }

  /** Removes the state of deleted crawls. */
  async #clear(there: ReadonlyMap<string, ExistingCrawl>): Promise<void> {
    const folder = join(this.#options.data, 'crawls');
    if (!existsSync(folder)) return;
    for (const name of await readdir(folder))
      if (!there.has(name)) await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
  }

  /** Runs the consumers of a crawl until the signal, and restarts them after a failure. */
  async #live(name: string, { createdAtMs, hasResponses }: ExistingCrawl, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#run(name, hasResponses, signal);
      } catch (error) {
        // A crawl that is being deleted loses its topics, which is no failure.
        if (signal.aborted || (await this.#there(name))?.createdAtMs !== createdAtMs) continue;
        say(`${name}: ${(error as Error).message}; restarting its consumers`, 'warn');
      } finally {
        await clock.sleepUntil(clock.nowMs() + fleetFetcherLimits.againMs, signal);
      }
    }
  }

  /** Runs the consumers once. Resolves when they have stopped after the signal; rejects if one fails before. */
  async #run(name: string, hasResponses: boolean, signal: AbortSignal): Promise<void> {
    const { crawls, clock, data, chosen } = this.#options;
    const { log, codec, manifest } = await crawls.attach(name);
    try {
      const { part } = await ownFolder(join(data, 'crawls', name), manifest);
      const sayOf = (text: string) => say(`${name}: ${text}`, 'info', { component: 'consumers' });
      const own = { service: createService('consumers'), say: sayOf, reach: reachOf({}) };
      const context = { log, codec, clock, manifest, part, shared: true, fromStart: false, ...own };
      // Only crawls created with stored responses have them.
      const all = hasResponses ? chosen : chosen.filter(({ needs }) => needs !== 'responses');
      const running = await startProcessors(context, all, {});
      try {
        await Promise.race([aborted(signal), running.failed]);
      } finally {
        await running.stop();
      }
    } finally {
      crawls.detach(name);
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
