/** What crawls of a fleet have, and what a receiver of its webhooks was told of them. */
import assert from 'node:assert/strict';
import type { FleetClient } from '../services/extras/fleet/running-fleet.ts';
import type { Post } from '../services/extras/fleet/webhooks/receiver.ts';
import { until } from '../services/until.ts';

export interface Report {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly url?: string };
}

const eventsOf = ({ body }: Post) => (JSON.parse(body) as { readonly data: { readonly events: Report[] } }).data.events;

/** Events of a crawl as they were taken, each once: none is missing, and none came before its turn. */
export function wholeOf(posts: readonly Post[], crawl: string): Report[] {
  const all = posts
    .filter(({ body }) => (JSON.parse(body) as { data: { crawl: string } }).data.crawl === crawl)
    .flatMap(eventsOf);
  const once = [...new Map([...all].reverse().map((one) => [one.id, one] as const)).values()].reverse();
  let [pages, changes] = [0, 0];
  // Which crawl of the name they are of.
  const incarnation = once[0]?.id.split('-')[2];
  for (const { id, type } of once) {
    if (type.startsWith('crawl.')) changes++;
    else pages++;
    assert.equal(id, `${pages}-${changes}-${incarnation}`, once.map((one) => `${one.id} ${one.type}`).join('\n'));
  }
  return once;
}

/** All of these crawls, which have ended, have the same pages, and each page and end was told. Gives their URLs. */
export async function sameAndReported(
  client: FleetClient,
  posts: readonly Post[],
  names: readonly string[],
): Promise<string[]> {
  const pagesOf = async (name: string) => [...new Set((await client.pages(name)).map(({ url }) => url))].sort();
  const wanted = await pagesOf(names[0]!);
  for (const name of names) {
    assert.deepEqual(await pagesOf(name), wanted, name);
    await until(async () => {
      const { body } = await client.call('GET', `/v1/crawls/${name}`);
      return wholeOf(posts, name).at(-1)?.type === 'crawl.ended' && JSON.stringify(body).includes('"failures":0');
    });
    const reported = wholeOf(posts, name).filter(({ type }) => type === 'page');
    assert.deepEqual([...new Set(reported.map(({ data }) => data.url))].sort(), wanted, `events of ${name}`);
  }
  return wanted;
}
