/**
 * All present viewers of a crawl: one look a second serves them all, and without viewers there is none.
 *
 * A failed look is reported, and the next one is still tried. A viewer that does not read is skipped, and disconnected
 * after a while: nothing accumulates here for it.
 */
import { CrawlstreamError, hasCode } from '../../../topology/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { CrawlView } from './crawl-view.ts';
import { dashboardLimits } from './limits.ts';
import type { CrawlStatus } from './status.ts';

/** An event of `text/event-stream`. */
export interface ViewEvent {
  readonly event: 'told' | 'waiting' | 'trouble' | 'over';
  readonly data: string;
}

export interface Viewer {
  /** Its address. */
  readonly client: string;
  /** Returns false, and sends nothing, while the viewer has not read the previous event. */
  send(event: ViewEvent): boolean;
  end(): void;
}

export interface ViewersOptions {
  readonly clock: Pick<Clock, 'nowMs' | 'sleepUntil'>;
  /** Undefined while the service is not up yet, or is stopping. */
  readonly view: () => CrawlView | undefined;
}

export class Viewers {
  readonly #options: ViewersOptions;
  /** With the looks in a row that each did not take. */
  readonly #viewers = new Map<Viewer, number>();
  #looking: Promise<CrawlStatus> | undefined;
  #newest: CrawlStatus | undefined;
  #running = false;
  readonly #closing = new AbortController();
  /** True once the crawl has ended: later statuses are ignored. */
  #isOver = false;

  constructor(options: ViewersOptions) {
    this.#options = options;
  }

  /** The reason why there is no place for this client, in words; null: there is one. */
  takenFor(client: string): string | null {
    const { viewersMax, viewersOfClientMax } = dashboardLimits;
    if (this.#viewers.size >= viewersMax) return `${viewersMax} pages`;
    const own = [...this.#viewers.keys()].filter((viewer) => viewer.client === client).length;
    return own >= viewersOfClientMax ? `${viewersOfClientMax} pages of ${client}` : null;
  }

  add(viewer: Viewer): void {
    this.#viewers.set(viewer, 0);
    if (this.#newest !== undefined && this.#running) viewer.send({ event: 'told', data: JSON.stringify(this.#newest) });
    void this.#run();
  }

  remove(viewer: Viewer): void {
    this.#viewers.delete(viewer);
  }

  /** Returns the status, at most a moment old. Simultaneous callers share one read. */
  now(): Promise<CrawlStatus> {
    const { clock, view } = this.#options;
    const newest = this.#newest;
    if (newest !== undefined && clock.nowMs() - newest.atMs < dashboardLimits.everyMs) return Promise.resolve(newest);
    this.#looking ??= (async () => {
      const status = await view()?.look();
      if (status === undefined)
        throw new CrawlstreamError('NOT_READY', 'this crawl is starting or stopping: retry in a moment');
      return (this.#newest = status);
    })().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  /** The last word: `phase` is how the crawl ended. */
  async over(phase: CrawlStatus['phase']): Promise<void> {
    this.#isOver = true;
    if (this.#viewers.size === 0) return;
    const before = this.#newest;
    this.#newest = undefined;
    const late = this.#options.clock.sleepUntil(
      this.#options.clock.nowMs() + dashboardLimits.overMs,
      this.#closing.signal,
    );
    const last = await Promise.race([this.now().catch(() => undefined), late.then(() => undefined)]);
    // On a busy machine the last status may come too late; the end is sent anyway.
    const status = last ?? before;
    if (status !== undefined) this.#send({ event: 'over', data: JSON.stringify({ ...status, phase }) });
  }

  close(): void {
    this.#closing.abort();
    for (const viewer of this.#viewers.keys()) viewer.end();
    this.#viewers.clear();
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    const { clock } = this.#options;
    const { signal } = this.#closing;
    while (this.#viewers.size > 0 && !signal.aborted && !this.#isOver) {
      const beganMs = clock.nowMs();
      await this.#sendNow(signal);
      const tookMs = clock.nowMs() - beganMs;
      await clock.sleepUntil(clock.nowMs() + Math.max(dashboardLimits.everyMs - tookMs, tookMs), signal);
    }
    this.#running = false;
  }

  /** An endless look is reported repeatedly, and waited for. */
  async #sendNow(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const beganMs = clock.nowMs();
    const event = this.#event();
    for (;;) {
      const patience = new AbortController();
      const late = clock.sleepUntil(clock.nowMs() + dashboardLimits.patienceMs, patience.signal).then(() => undefined);
      const status = await Promise.race([event, late]);
      patience.abort();
      if (status !== undefined) return this.#send_(status);
      if (signal.aborted) return;
      const seconds = Math.round((clock.nowMs() - beganMs) / 1_000);
      const message = `The crawl’s log has not answered for ${seconds} s: a broker may be down`;
      this.#send_({ event: 'trouble', data: JSON.stringify({ message }) });
    }
  }

  async #event(): Promise<ViewEvent> {
    try {
      return { event: 'told', data: JSON.stringify(await this.now()) };
    } catch (error) {
      // A starting crawl, or partitions that change owners, need no action.
      const isAway = hasCode(error, 'NOT_READY', 'OWNERSHIP_LOST');
      const data = JSON.stringify({ message: (error as Error).message });
      return { event: isAway ? 'waiting' : 'trouble', data };
    }
  }

  #send_(event: ViewEvent): void {
    if (!this.#isOver) this.#send(event);
  }

  #send(event: ViewEvent): void {
    for (const [viewer, unread] of this.#viewers) {
      if (viewer.send(event)) this.#viewers.set(viewer, 0);
      else if (unread + 1 < dashboardLimits.unreadMax) this.#viewers.set(viewer, unread + 1);
      else {
        this.#viewers.delete(viewer);
        viewer.end();
      }
    }
  }
}
