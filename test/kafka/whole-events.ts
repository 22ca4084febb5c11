/** What a receiver of a fleet's webhooks was told of a crawl. */
import assert from 'node:assert/strict';
import type { Post } from '../services/fleet/webhooks/receiver.ts';

export interface Told {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly url?: string };
}

const eventsOf = ({ body }: Post) => (JSON.parse(body) as { readonly data: { readonly events: Told[] } }).data.events;

/** Events of a crawl as they were taken, each once: none is missing, and none came before its turn. */
export function wholeOf(posts: readonly Post[], crawl: string): Told[] {
  const all = posts
    .filter(({ body }) => (JSON.parse(body) as { data: { crawl: string } }).data.crawl === crawl)
    .flatMap(eventsOf);
  const once = [...new Map([...all].reverse().map((one) => [one.id, one] as const)).values()].reverse();
  let [pages, changes] = [0, 0];
  for (const { id, type } of once) {
    if (type.startsWith('crawl.')) changes++;
    else pages++;
    assert.equal(id, `${pages}-${changes}`, once.map((one) => `${one.id} ${one.type}`).join('\n'));
  }
  return once;
}
