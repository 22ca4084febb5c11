/**
 * Sends events of crawls as `text/event-stream` (WHATWG HTML, 9.2): those after `Last-Event-ID`, then new ones as they
 * happen. A client that returns with the last id after the end of a crawl gets 204, which ends its reconnects.
 *
 * Events are read only as fast as the client takes them, so a slow client costs only a socket.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../runtime/clock.ts';
import type { Content } from '../fleet-contents.ts';
import { eventLimits } from './event-limits.ts';
import type { EventPosition } from './event-position.ts';
import type { EventReader } from './event-reader.ts';
import type { CrawlEvent } from './read-events.ts';

export interface Listener {
  /** True while its key is valid. */
  mayListen(): boolean;
  /** Counts what was sent. Resolves once the next event may be sent. */
  sent(bytes: number): Promise<void>;
}

export class EventStreams {
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  /** Number of open streams by owner. */
  readonly #open = new Map<string, number>();
  #all = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the reason why this owner may not open another stream; null: it may. */
  takenFor(owner: string): string | null {
    const { ofOwnerMax, streamsMax } = eventLimits;
    if (this.#all >= streamsMax) return `${streamsMax} streams`;
    return (this.#open.get(owner) ?? 0) >= ofOwnerMax ? `${ofOwnerMax} of your streams` : null;
  }

  /** Resolves once the client has gone, all events are sent, or it may no longer listen. */
  async stream(
    response: ServerResponse,
    reader: EventReader,
    wanted: {
      readonly crawl: string;
      /** Creation time of the intended crawl. */
      readonly createdAtMs: number;
      readonly owner: string;
      readonly content: Content;
      readonly from: EventPosition;
    },
    { mayListen, sent }: Listener,
  ): Promise<void> {
    const { crawl, createdAtMs, owner, content } = wanted;
    const { lookMs, beatMs, readMax: most, readCharsSoft: charsSoft } = eventLimits;
    const gone = new AbortController();
    response.once('close', () => gone.abort()).on('error', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, this.#closing.signal]);
    this.#count(owner, 1);
    try {
      response.writeHead(200, {
        ...{ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
        // nginx would otherwise buffer the stream.
        ...{ 'x-accel-buffering': 'no', connection: 'keep-alive' },
      });
      response.flushHeaders();
      let from = wanted.from;
      let reportedAtMs = this.#clock.nowMs();
      while (!signal.aborted && mayListen()) {
        // The read fails if the crawl stops at this moment. The next read finds it stopped.
        const some = await reader.read(crawl, from, { content, most, charsSoft, createdAtMs }).catch(() => null);
        if (some === undefined) break;
        if (some !== null) {
          from = some.next;
          for (const event of some.events) {
            if (signal.aborted || !mayListen()) return;
            const text = textOf(event);
            await write(response, text, signal);
            await sent(text.length);
          }
          if (some.events.length > 0) {
            reportedAtMs = this.#clock.nowMs();
            continue;
          }
          if (some.isOver) break;
        }
        if (this.#clock.nowMs() - reportedAtMs >= beatMs) {
          await write(response, ':\n\n', signal);
          reportedAtMs = this.#clock.nowMs();
        }
        await this.#clock.sleepUntil(this.#clock.nowMs() + lookMs, signal);
      }
    } finally {
      this.#count(owner, -1);
      response.end();
    }
  }

  close(): void {
    this.#closing.abort();
  }

  #count(owner: string, by: number): void {
    this.#all += by;
    const left = (this.#open.get(owner) ?? 0) + by;
    if (left === 0) this.#open.delete(owner);
    else this.#open.set(owner, left);
  }
}

/** Formats one event for the stream. The JSON has no line breaks. */
function textOf(event: CrawlEvent): string {
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

async function write(response: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
  if (signal.aborted || response.write(text)) return;
  await once(response, 'drain', { signal }).catch(() => {});
}
