/** Reads the events of a fleet's crawls, whether they run or not. */
import type { Fleet } from '../fleet.ts';
import type { KeptPages } from '../kept-pages.ts';
import { idOf } from '../read-crawl.ts';
import type { ReadLog } from '../running-crawl.ts';
import type { EventPosition } from './event-position.ts';
import { type EventBounds, readEvents, type SomeEvents } from './read-events.ts';

export interface EventReaderOptions {
  readonly fleet: Pick<Fleet, 'file' | 'find' | 'reads' | 'pathOf'>;
  readonly kept: KeptPages;
  /** Opens the log of a crawl that does not run. */
  reading<T>(path: string, act: (reads: ReadLog) => Promise<T>): Promise<T>;
}

export interface EventsNow extends SomeEvents {
  /** True if no more events follow: the crawl has ended, and `next` is after its last event. */
  readonly isOver: boolean;
}

export class EventReader {
  readonly #options: EventReaderOptions;
  /** Positions of crawls that do not run, by name: up to there, no event is left, so the log need not be opened. */
  readonly #read = new Map<string, string>();

  constructor(options: EventReaderOptions) {
    this.#options = options;
  }

  /**
   * Returns the events after `from`. undefined: there is no such crawl, or another has its name. Rejects if the crawl
   * stopped meanwhile: read again. `createdAtMs`: creation time of the intended crawl.
   */
  async read(
    name: string,
    from: EventPosition,
    bounds: EventBounds & { readonly createdAtMs: number },
  ): Promise<EventsNow | undefined> {
    const some = await this.#readNow(name, from, bounds);
    // The crawl may have been deleted and created again meanwhile.
    return this.#options.fleet.file(name)?.createdAtMs === bounds.createdAtMs ? some : undefined;
  }

  async #readNow(
    name: string,
    from: EventPosition,
    bounds: EventBounds & { readonly createdAtMs: number },
  ): Promise<EventsNow | undefined> {
    const { fleet, kept, reading } = this.#options;
    const file = fleet.file(name);
    if (file?.createdAtMs !== bounds.createdAtMs) return undefined;
    const last = file.changes.at(-1);
    const isOver = (next: EventPosition) => last?.kind === 'ended' && next.changes > last.n;
    const take = async (reads: ReadLog) => readEvents(file, reads, await kept.of(idOf(file), reads), from, bounds);
    const running = fleet.reads(name);
    if (running !== undefined) {
      this.#read.delete(name);
      const some = await take(running);
      return { ...some, isOver: false };
    }
    // The crawl's log is being opened or closed.
    const state = fleet.find(name)?.state;
    if (state === 'starting' || state === 'running' || state === 'pausing' || state === 'ending')
      return { events: [], next: from, isOver: false };
    const end = `${last?.n} ${from.pages} ${from.changes}`;
    if (this.#read.get(name) === end) return { events: [], next: from, isOver: isOver(from) };
    const some = await reading(fleet.pathOf(name), take);
    if (some.events.length === 0) this.#read.set(name, `${last?.n} ${some.next.pages} ${some.next.changes}`);
    return { ...some, isOver: isOver(some.next) && some.events.length === 0 };
  }

  forget(name: string): void {
    this.#read.delete(name);
  }
}
