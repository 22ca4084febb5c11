/**
 * The service's event stream, one message a second. A broken connection is retried after a second, then two, four, up
 * to thirty; until then the page shows the age of its numbers.
 */
import type { CrawlStatus } from '../status.ts';
import { readEvents } from './read-events.ts';
import { askEvents, NoToken, Refused } from './requests.ts';

export interface LiveListener {
  onStatus(status: CrawlStatus): void;
  /** The service is there, and the crawl is not up yet. */
  onWaiting(message: string): void;
  /** The service is there, and cannot look at the crawl, or refuses to. */
  onTrouble(message: string): void;
  /** The crawl has ended, and its service with it. */
  onOver(status: CrawlStatus): void;
  onConnected(): void;
  /** Called when the service requires a token, and none was given. */
  onRefused(message: string): void;
  /** `retryMs`: until it is tried again. */
  onLost(retryMs: number): void;
}

const retryMsMin = 1_000;
const retryMsMax = 30_000;
/**
 * Time without an event after which the connection counts as dead, ms. The service sends one a second, or less often if
 * a status takes long.
 */
const silentMs = 20_000;

export function listen(listener: LiveListener): void {
  let retryMs = retryMsMin;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const connect = async () => {
    const cut = new AbortController();
    let isOver = false;
    let refusal: string | undefined;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => cut.abort(), silentMs);
    };
    const take: Readonly<Record<string, (data: string) => void>> = {
      told: (data) => listener.onStatus(JSON.parse(data) as CrawlStatus),
      waiting: (data) => listener.onWaiting((JSON.parse(data) as { readonly message: string }).message),
      trouble: (data) => listener.onTrouble((JSON.parse(data) as { readonly message: string }).message),
      over(data) {
        isOver = true;
        listener.onOver(JSON.parse(data) as CrawlStatus);
      },
    };
    try {
      const stream = await askEvents(cut.signal);
      retryMs = retryMsMin;
      heard();
      listener.onConnected();
      await readEvents(stream, (event, data) => {
        heard();
        take[event]?.(data);
      });
    } catch (error) {
      if (error instanceof NoToken) return listener.onRefused(error.message);
      // Cut off, or never there: it is tried again either way.
      refusal = error instanceof Refused ? error.message : undefined;
    }
    clearTimeout(silence);
    // After an end, the next crawl at this address is found without hurry.
    const waitMs = isOver ? retryMsMax / 6 : retryMs;
    if (refusal !== undefined) listener.onTrouble(refusal);
    else if (!isOver) listener.onLost(waitMs);
    setTimeout(() => void connect(), waitMs);
    retryMs = Math.min(retryMsMax, 2 * retryMs);
  };
  void connect();
}
