/**
 * Reads the embedded log beside the process that writes it, for `pages` and `stats` during a crawl.
 *
 * RocksDB shows a reader the folder as of its opening, so new records appear only after it is opened again: on
 * `refresh`, or every 500 ms while a reader waits. A reader sees everything acknowledged before the opening, and
 * possibly records that were written but not yet synced. The writer is not affected; table files that it deletes stay
 * readable until the next refresh.
 */

import { CrawlstreamError } from '../../../topology/errors.ts';
import { createEmbeddedRegistry, type SchemaRegistry } from '../avro/schema-registry.ts';
import type { Clock } from '../clock.ts';
import { openStateStore } from '../store/open-store.ts';
import type { StateStore } from '../store/store.ts';
import { findLogDamage, type LogDamage, refuseLogDamage } from '../store/write-ahead-log.ts';
import { type EmbeddedLog, openEmbeddedLog } from './embedded-log.ts';
import type { OnLost } from './embedded-reader.ts';
import type { Log, LogReader, LogTopic, PollOptions, Position } from './log.ts';
import { logLimits } from './log-limits.ts';

export interface ReadOnlyLog
  extends Pick<Log, 'offsets' | 'offsetAt' | 'partitionsOf' | 'last' | 'committed' | 'reader' | 'close'> {
  topics(): LogTopic[];
  /** For decoding only: it registers nothing, and returns 0 as the id of every schema. */
  readonly registry: SchemaRegistry;
  /** Makes all records up to now visible. Costs a read of the writer's newest memtables: 10 to 300 ms. */
  refresh(): Promise<void>;
}

/** Called with the skipped parts of a damaged folder: records, or the rest of a file. */
export interface Damage {
  readonly onRecords: OnLost;
  readonly onFile: (damage: LogDamage) => void;
}

/**
 * Throws STORE_FAILED if the folder has no store, or if its newest files show damage. With `damage`, the undamaged
 * records are read.
 */
export async function openReadOnlyLog(folder: string, clock: Clock, damage?: Damage): Promise<ReadOnlyLog> {
  if (damage === undefined) await refuseLogDamage(folder);
  else {
    const found = await findLogDamage(folder);
    if (found !== undefined) damage.onFile(found);
  }
  let view = await openView(folder, clock, damage?.onRecords);
  let generation = 0;
  let refreshing: Promise<void> | undefined;
  let isOpen = true;

  const refresh = () => {
    refreshing ??= (async () => {
      const fresh = await openView(folder, clock, damage?.onRecords);
      const old = view;
      view = fresh;
      generation++;
      await old.close();
    })().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };

  /** A call that a refresh overtook finds a closed store: it uses the new one. */
  const withView = async <T>(ask: (view: View) => Promise<T>): Promise<T> => {
    for (;;) {
      const asked = generation;
      try {
        return await ask(view);
      } catch (error) {
        if (!isOpen || generation === asked || (error as CrawlstreamError).code !== 'STORE_CLOSED') throw error;
      }
    }
  };

  return {
    topics: () => view.log.topics(),
    registry: {
      idFor: async () => 0,
      schemaById: (id) => withView(({ registry }) => registry.schemaById(id)),
    },
    offsets: (topic, partition) => withView(({ log }) => log.offsets(topic, partition)),
    offsetAt: (topic, partition, timeMs) => withView(({ log }) => log.offsetAt(topic, partition, timeMs)),
    partitionsOf: (topic) => withView(({ log }) => log.partitionsOf(topic)),
    last: (topic, partition) => withView(({ log }) => log.last(topic, partition)),
    committed: (group, topic, partition) => withView(({ log }) => log.committed(group, topic, partition)),
    reader: () => new ReadOnlyReader(clock, () => ({ log: view.log, generation }), refresh),
    refresh,
    close: async () => {
      isOpen = false;
      await refreshing?.catch(() => {});
      await view.close();
    },
  };
}

interface View {
  readonly log: EmbeddedLog;
  readonly registry: SchemaRegistry;
  close(): Promise<void>;
}

async function openView(folder: string, clock: Clock, onLost?: OnLost): Promise<View> {
  const store: StateStore = await openStateStore(folder, { readOnly: true });
  try {
    const log = await openEmbeddedLog(store, clock, { tailBytes: 0, ...(onLost && { onLost }) });
    return {
      log,
      registry: createEmbeddedRegistry(store),
      close: async () => {
        await log.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Keeps the positions itself and passes them on to a reader of each new view. Its public acts are fields, since callers wrap a reader by spreading it. */
class ReadOnlyReader implements LogReader {
  readonly #clock: Clock;
  readonly #current: () => { readonly log: EmbeddedLog; readonly generation: number };
  readonly #refresh: () => Promise<void>;
  readonly #positions = new Map<string, Position & { paused: boolean }>();
  #inner: { readonly reader: LogReader; readonly generation: number } | undefined;
  #wakeUp: (() => void) | undefined;
  #woken = false;
  #isOpen = true;

  constructor(
    clock: Clock,
    current: () => { readonly log: EmbeddedLog; readonly generation: number },
    refresh: () => Promise<void>,
  ) {
    this.#clock = clock;
    this.#current = current;
    this.#refresh = refresh;
  }

  #innerReader(): LogReader {
    const { log, generation } = this.#current();
    if (this.#inner?.generation !== generation) {
      this.#leaveInner();
      const reader = log.reader();
      for (const { topic, partition, offset, paused } of this.#positions.values()) {
        reader.seek(topic, partition, offset);
        if (paused) reader.pause(topic, partition);
      }
      this.#inner = { reader, generation };
    }
    return this.#inner.reader;
  }

  /** The log keeps each reader until it is closed. */
  #leaveInner() {
    void this.#inner?.reader.close();
    this.#inner = undefined;
  }

  /** `asked`: the positions that the records were read from. */
  async #pollOnce(maxBytes: number) {
    for (;;) {
      const { generation } = this.#current();
      const asked = new Map(this.#positions);
      // Another reader would be left open.
      if (!this.#isOpen) return { records: [], asked };
      const reader = this.#innerReader();
      try {
        return { records: await reader.poll({ maxBytes, waitMs: 0 }), asked };
      } catch (error) {
        // After a refresh, or a move of this reader, the error is about what was left.
        if (this.#current().generation === generation && this.#inner?.reader === reader) throw error;
      }
    }
  }

  async #sleep(ms: number) {
    const done = new AbortController();
    this.#wakeUp = () => done.abort();
    await this.#clock.sleepUntil(this.#clock.nowMs() + ms, done.signal);
    this.#wakeUp = undefined;
  }

  #setPaused(topic: string, partition: number, paused: boolean) {
    const at = this.#positions.get(nameOf(topic, partition));
    if (at) at.paused = paused;
    this.#leaveInner();
  }

  readonly seek: LogReader['seek'] = (topic, partition, offset) => {
    const paused = this.#positions.get(nameOf(topic, partition))?.paused ?? false;
    this.#positions.set(nameOf(topic, partition), { topic, partition, offset, paused });
    this.#leaveInner();
    this.#wakeUp?.();
  };

  readonly drop: LogReader['drop'] = (topic, partition) => {
    this.#positions.delete(nameOf(topic, partition));
    this.#leaveInner();
  };

  readonly pause: LogReader['pause'] = (topic, partition) => this.#setPaused(topic, partition, true);
  readonly resume: LogReader['resume'] = (topic, partition) => {
    this.#setPaused(topic, partition, false);
    this.#wakeUp?.();
  };

  readonly poll: LogReader['poll'] = async ({ maxBytes, waitMs }: PollOptions) => {
    if (!this.#isOpen) throw new CrawlstreamError('STORE_CLOSED', 'the reader is closed');
    const untilMs = this.#clock.nowMs() + waitMs;
    for (;;) {
      const { records: polled, asked } = await this.#pollOnce(maxBytes);
      // Reads that were sought, dropped or paused meanwhile are no longer wanted from the old position.
      const records = polled.filter(({ topic, partition }) => {
        const at = this.#positions.get(nameOf(topic, partition));
        return at !== undefined && at === asked.get(nameOf(topic, partition)) && !at.paused;
      });
      for (const { topic, partition, offset } of records) {
        const at = this.#positions.get(nameOf(topic, partition));
        if (at) this.#positions.set(nameOf(topic, partition), { ...at, offset: offset + 1 });
      }
      const leftMs = untilMs - this.#clock.nowMs();
      if (records.length > 0 || leftMs <= 0 || this.#woken || !this.#isOpen) {
        this.#woken = false;
        return records;
      }
      await this.#sleep(Math.min(leftMs, logLimits.refreshMs));
      if (this.#isOpen && !this.#woken) await this.#refresh();
    }
  };

  readonly wake: LogReader['wake'] = () => {
    this.#woken = true;
    this.#wakeUp?.();
  };

  readonly close: LogReader['close'] = async () => {
    this.#isOpen = false;
    this.#leaveInner();
    this.#wakeUp?.();
  };
}

function nameOf(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
