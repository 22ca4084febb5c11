/** Keeps a crawl open for somebody who has blocked its last hosts on the dashboard, and may unblock them. */
import type { QueryService } from '../roles/query-service.ts';

interface Blockable {
  readonly queries: Pick<QueryService, 'awaitsRelease'>;
  say(text: string): void;
}

/** The returned function says so when the wait begins. */
export function awaitRelease({ queries, say }: Blockable): () => Promise<boolean> {
  let waits = false;
  return async () => {
    const before = waits;
    waits = await queries.awaitsRelease();
    if (waits && !before)
      say(
        'all that is left are URLs of blocked hosts: unblock a host on the dashboard, or press Ctrl-C to end the crawl',
      );
    return waits;
  };
}
