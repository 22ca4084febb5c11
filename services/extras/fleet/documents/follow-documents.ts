/** Follows the documents of a fleet on Kafka, for a process that reads them and never writes them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Log } from '../../../runtime/log/log.ts';
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

export function followTopicDocuments({ log, topic, onChange, onFailure }: FollowOptions): FollowedDocuments {
  const stopping = new AbortController();
  const waiting = new Set<{ readonly end: number; readonly resolve: () => void }>();
  const all = new Map<string, string>();
  let reader = log.reader();
  let [current, next] = [none, 0];
  /** Documents read again from the beginning, up to `end`; until then, `all` has the earlier ones. */
  let reread: { readonly all: Map<string, string>; readonly end: number } | undefined;

  /** Replaces the earlier documents once everything is read. */
  const replaceByReread = () => {
    if (reread === undefined || next < reread.end) return;
    all.clear();
    for (const [key, text] of reread.all) all.set(key, text);
    reread = undefined;
  };
  const notify = () => {
    for (const one of waiting) {
      if (next < one.end && !stopping.signal.aborted) continue;
      waiting.delete(one);
      one.resolve();
    }
  };
  /** Reads from the topic's start: at first, and again if a rewrite by the owner has deleted the next records. */
  const begin = async () => {
    const { start, end } = await log.offsets(topic, 0);
    [current, next, reread] = [none, start, { all: new Map(), end }];
    reader.seek(topic, 0, start);
  };
  const read = async () => {
    await begin();
    while (!stopping.signal.aborted) {
      try {
        const records = await reader.poll({ maxBytes: pollBytes, waitMs: pollWaitMs });
        for (const record of records) {
          current = takeDocument(reread?.all ?? all, current, record);
          next = record.offset + 1;
        }
        replaceByReread();
        if (reread !== undefined || records.length === 0) continue;
        onChange();
        notify();
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (!(error instanceof CrawlstreamError && error.code === 'OFFSET_OUT_OF_RANGE')) throw error;
        await reader.close();
        await sleep(againMs);
        reader = log.reader();
        await begin();
      }
    }
  };
  const reading = read().catch((error) => {
    if (!stopping.signal.aborted) onFailure(error);
  });

  return {
    ...readable(topic, all),
    async caughtUp() {
      const { end } = await log.offsets(topic, 0);
      if (next >= end || stopping.signal.aborted) return;
      await new Promise<void>((resolve) => waiting.add({ end, resolve }));
    },
    async stop() {
      stopping.abort();
      reader.wake();
      await reader.close();
      await reading;
      notify();
    },
  };
}
