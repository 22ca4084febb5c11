/** Follows the documents of a fleet on Kafka, for a process that reads them and never writes them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Log, LogReader } from '../../../runtime/log/log.ts';
import type { ReadableDocuments } from './documents.ts';
import { none, readable, takeDocument } from './topic-documents.ts';

export interface FollowedDocuments extends ReadableDocuments {
  /** Resolves when everything that was written before the call has been read. */
  caughtUp(): Promise<void>;
  stop(): Promise<void>;
}

export interface FollowOptions {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly topic: string;
  /** Called after each change. */
  onChange(): void;
  /** Called if the topic cannot be read. */
  onFailure(error: unknown): void;
}

const [pollBytes, pollWaitMs] = [1 << 20, 1_000];
const againMs = 250;

export function followTopicDocuments(options: FollowOptions): FollowedDocuments {
  const followed = new FollowedTopic(options);
  return {
    ...readable(options.topic, followed.all),
    caughtUp: () => followed.caughtUp(),
    stop: () => followed.stop(),
  };
}

/** Reads the topic from its start on, and keeps the documents. */
class FollowedTopic {
  readonly all = new Map<string, string>();
  readonly #options: FollowOptions;
  readonly #stopping = new AbortController();
  readonly #waiting = new Set<{ readonly end: number; readonly resolve: () => void }>();
  readonly #reading: Promise<void>;
  #reader: LogReader;
  /** The claim in force. */
  #current = none;
  #next = 0;
  /** Documents read again from the beginning, up to `end`; until then, `all` has the earlier ones. */
  #reread: { readonly all: Map<string, string>; readonly end: number } | undefined;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#reader = options.log.reader();
    this.#reading = this.#read().catch((error) => {
      if (!this.#stopping.signal.aborted) options.onFailure(error);
    });
  }

  async caughtUp(): Promise<void> {
    const { end } = await this.#options.log.offsets(this.#options.topic, 0);
    if (this.#next >= end || this.#stopping.signal.aborted) return;
    await new Promise<void>((resolve) => this.#waiting.add({ end, resolve }));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#reader.wake();
    await this.#reader.close();
    await this.#reading;
    this.#notify();
  }

  async #read(): Promise<void> {
    await this.#begin();
    while (!this.#stopping.signal.aborted) {
      try {
        const records = await this.#reader.poll({ maxBytes: pollBytes, waitMs: pollWaitMs });
        for (const record of records) {
          this.#current = takeDocument(this.#reread?.all ?? this.all, this.#current, record);
          this.#next = record.offset + 1;
        }
        this.#replaceByReread();
        if (this.#reread !== undefined || records.length === 0) continue;
        this.#options.onChange();
        this.#notify();
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        if (!(error instanceof CrawlstreamError && error.code === 'OFFSET_OUT_OF_RANGE')) throw error;
        await this.#reader.close();
        await sleep(againMs);
        this.#reader = this.#options.log.reader();
        await this.#begin();
      }
    }
  }

  /** Reads from the topic's start: at first, and again if a rewrite by the owner has deleted the next records. */
  async #begin(): Promise<void> {
    const { log, topic } = this.#options;
    const { start, end } = await log.offsets(topic, 0);
    this.#current = none;
    this.#next = start;
    this.#reread = { all: new Map(), end };
    this.#reader.seek(topic, 0, start);
  }

  /** Replaces the earlier documents once everything is read. */
  #replaceByReread(): void {
    if (this.#reread === undefined || this.#next < this.#reread.end) return;
    this.all.clear();
    for (const [key, text] of this.#reread.all) this.all.set(key, text);
    this.#reread = undefined;
  }

  #notify(): void {
    for (const one of this.#waiting) {
      if (this.#next < one.end && !this.#stopping.signal.aborted) continue;
      this.#waiting.delete(one);
      one.resolve();
    }
  }
}
