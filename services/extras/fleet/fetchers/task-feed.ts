/** Feeds a crawl's fetcher with the tasks that this process has taken from the fleet's topic, in that order. */
import type { Log, LogReader, LogRecord } from '../../../runtime/log/log.ts';

export class TaskFeed {
  readonly #topic: string;
  #waiting: { readonly record: LogRecord; readonly from: number }[] = [];
  #next = 0;
  #news = () => {};

  constructor(crawl: string) {
    this.#topic = `${crawl}.tasks`;
  }

  put(record: LogRecord): void {
    const { partition: from, timestampMs, key, value } = record;
    const own = { topic: this.#topic, partition: 0, offset: this.#next++, timestampMs, key, value, headers: {} };
    this.#waiting.push({ record: own, from });
    this.#news();
  }

  /** Drops the waiting tasks of a partition of the fleet's topic, which moves to another process. */
  drop(partition: number): void {
    this.#waiting = this.#waiting.filter(({ from }) => from !== partition);
  }

  /** Returns the crawl's log with this feed in place of its tasks. TaskShare commits the positions of tasks. */
  over<T extends Log>(log: T): T {
    return { ...log, commit: async () => {}, reader: () => this.#reader(log) };
  }

  #reader(log: Pick<Log, 'reader'>): LogReader {
    let other: LogReader | undefined;
    let isFeed = false;
    const own = () => (other ??= log.reader());
    return {
      seek: (topic, ...at) => {
        if (topic === this.#topic) isFeed = true;
        else own().seek(topic, ...at);
      },
      drop: (topic, partition) => topic !== this.#topic && own().drop(topic, partition),
      pause: (topic, partition) => topic !== this.#topic && own().pause(topic, partition),
      resume: (topic, partition) => topic !== this.#topic && own().resume(topic, partition),
      poll: (options) => (isFeed ? this.#poll(options.maxBytes, options.waitMs) : own().poll(options)),
      wake: () => (isFeed ? this.#news() : other?.wake()),
      close: async () => other?.close(),
    };
  }

  async #poll(maxBytes: number, waitMs: number): Promise<LogRecord[]> {
    if (this.#waiting.length === 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        this.#news = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#news = () => {};
    let [count, bytes] = [0, 0];
    while (count < this.#waiting.length && bytes < maxBytes) bytes += this.#waiting[count++]!.record.value.length;
    return this.#waiting.splice(0, count).map(({ record }) => record);
  }
}
