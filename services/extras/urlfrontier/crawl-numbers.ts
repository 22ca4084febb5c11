/**
 * Crawl ids and the numbers of their crawls, from the first crawl's `control`: an event for each id that is named,
 * with its offset as the crawl's number, and one for each that is freed. If two processes name one id at once, the
 * first event counts.
 */
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import { controlEvent, controlEvents } from '../../runtime/crawl/control-log.ts';
import type { Log } from '../../runtime/log/log.ts';

export interface CrawlNumbers {
  /** Numbers by id, as last read. */
  readonly all: ReadonlyMap<string, number>;
  /** Reads new events. */
  readOn(): Promise<ReadonlyMap<string, number>>;
  /** Resolves with the assigned number. */
  add(id: string): Promise<number>;
  end(id: string): Promise<void>;
}

interface Options {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly crawl: string;
  readonly by: string;
}

interface Payload {
  readonly id: string;
  /** The id is free again. */
  readonly ended?: boolean;
}

/** Nothing is read before `readOn`, which needs the first crawl's topics. */
export function crawlNumbers({ log, codec, clock, crawl, by }: Options): CrawlNumbers {
  const topic = `${crawl}.control`;
  const all = new Map<string, number>();
  let next = 0;
  let reading: Promise<unknown> = Promise.resolve();

  const read = async () => {
    const { start, end } = await log.offsets(topic, 0);
    for await (const { offset, event } of controlEvents(log, codec, crawl, 0, Math.max(start, next), end)) {
      next = offset + 1;
      if (event.kind !== 'servedCrawl') continue;
      const { id, ended = false } = JSON.parse(event.payload) as Payload;
      if (ended) all.delete(id);
      else if (!all.has(id)) all.set(id, offset);
    }
    next = Math.max(next, end);
    return all;
  };
  const readOn = () => {
    const after = reading.then(read, read);
    reading = after;
    return after;
  };
  const publish = async (payload: Payload) => {
    const event = controlEvent({ kind: 'servedCrawl', atMs: clock.nowMs(), by, payload: JSON.stringify(payload) });
    await log.append([{ topic, partition: 0, key: null, value: codec.encode('control', event) }]);
    await readOn();
  };

  return {
    all,
    readOn,
    add: async (id) => {
      await publish({ id });
      return all.get(id)!;
    },
    end: (id) => publish({ id, ended: true }),
  };
}
