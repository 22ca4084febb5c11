/**
 * A client with the shape of a StormCrawler topology, by its defaults. A spout gets ten URLs of each of ten queues once
 * its buffer is empty, at least two seconds after its last get. A fetcher has a queue for each host, and a second
 * between the end of a fetch and the next. A status updater puts links and outcomes on one stream; a page is done once
 * all of its acks are there. Pages are imagined (imagined-web.ts).
 *
 * Source: stormcrawler-urlfrontier's Spout and StatusUpdaterBolt, AbstractQueryingSpout, FetcherBolt.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { connectApi } from './api-calls.ts';
import { type ImaginedWeb, pageAt, urlOf } from './imagined-web.ts';

const queuesPerGet = 10;
const urlsPerQueue = 10;
/** topology.message.timeout.secs of StormCrawler's archetype. */
const delayRequestableSec = 300;
/** topology.max.spout.pending of the archetype. */
const pendingMax = 100;
const betweenGetsMs = 2_000;
const betweenGetsMostMs = 20_000;
const hostDelayMs = 1_000;
const ackPatienceMs = 60_000;
const errorAgainSec = 20;
const dayAgainSec = 86_400;

export interface SpoutFigures {
  /** Pages fetched. */
  pages: number;
  /** Pages that were fetched again before they were due. */
  twice: number;
  /** Pages with a FAIL among their acks, or an ack missing after a minute. */
  failed: number;
  /** Calls that ended with an error. */
  errors: number;
  gets: number;
}

interface Tuple {
  readonly url: string;
  readonly key: string;
}

interface Pending {
  left: number;
  isFailed: boolean;
  readonly sinceMs: number;
}

export async function crawlAsStorm(port: number, web: ImaginedWeb, forMs: number): Promise<SpoutFigures> {
  const api = connectApi(port);
  const figures: SpoutFigures = { pages: 0, twice: 0, failed: 0, errors: 0, gets: 0 };
  const buffer: Tuple[] = [];
  const hosts = new Map<string, Tuple[]>();
  const dueAt = new Map<string, number>();
  const waiting = new Map<string, Pending[]>();
  const pending = new Set<Pending>();
  const state = { isOver: false, isInGet: false, sentMs: 0, receivedMs: 0 };

  const puts = api['PutURLs']!();
  puts.on('data', ({ ID, status }: { ID: string; status: string }) => {
    for (const one of waiting.get(ID) ?? []) settle(one, status === 'FAIL');
    waiting.delete(ID);
  });
  puts.on('error', () => {
    if (!state.isOver) figures.errors += 1;
  });

  const settle = (one: Pending, isFailed: boolean) => {
    one.left -= 1;
    one.isFailed ||= isFailed;
    if (one.left > 0) return;
    if (pending.delete(one) && one.isFailed) figures.failed += 1;
  };
  const put = (tuple: Pending, url: string, known?: { readonly againSec: number }) => {
    // A URL that is in flight already is acked at once, as in the updater.
    if (known === undefined && waiting.has(url)) return settle(tuple, false);
    waiting.set(url, [...(waiting.get(url) ?? []), tuple]);
    const info = { url, key: new URL(url).hostname, crawlID: 'storm', metadata: { depth: { values: ['1'] } } };
    const date = known === undefined ? 0 : Math.floor(Date.now() / 1_000) + known.againSec;
    puts.write({
      ID: url,
      ...(known === undefined ? { discovered: { info } } : { known: { info, refetchable_from_date: date } }),
    });
  };

  const get = () => {
    state.isInGet = true;
    state.sentMs = Date.now();
    figures.gets += 1;
    const params = { max_urls_per_queue: urlsPerQueue, max_queues: queuesPerGet };
    const call = api['GetURLs']!({ ...params, delay_requestable: delayRequestableSec, crawlID: 'storm' });
    const ended = () => {
      state.isInGet = false;
      state.receivedMs = Date.now();
    };
    call.on('data', ({ url, key }: Tuple) => buffer.push({ url, key }));
    call.on('end', ended);
    call.on('error', () => {
      if (!state.isOver) figures.errors += 1;
      ended();
    });
  };

  const fetchHost = async (queue: Tuple[], key: string) => {
    for (let tuple = queue.shift(); tuple !== undefined && !state.isOver; tuple = queue.shift()) {
      const { links, tookMs, isError } = pageAt(web, tuple.url);
      await sleep(tookMs);
      figures.pages += 1;
      const due = dueAt.get(tuple.url);
      if (due !== undefined && Date.now() < due) figures.twice += 1;
      const againSec = isError ? errorAgainSec : dayAgainSec;
      dueAt.set(tuple.url, Date.now() + 1_000 * againSec - 1_000);
      const one: Pending = { left: 1 + (isError ? 0 : links.length), isFailed: false, sinceMs: Date.now() };
      pending.add(one);
      if (!isError) for (const link of links) put(one, link);
      put(one, tuple.url, { againSec });
      await sleep(hostDelayMs);
    }
    hosts.delete(key);
  };

  const seeds: Pending = { left: web.hosts, isFailed: false, sinceMs: Date.now() };
  for (let host = 0; host < web.hosts; host++) put(seeds, urlOf(host, 0));
  const endMs = Date.now() + forMs;
  while (Date.now() < endMs) {
    const nowMs = Date.now();
    if (!state.isInGet && state.receivedMs > 0 && nowMs - state.receivedMs > betweenGetsMostMs) get();
    let queued = 0;
    for (const queue of hosts.values()) queued += queue.length + 1;
    while (buffer.length > 0 && queued + pending.size < pendingMax) {
      const tuple = buffer.shift()!;
      queued += 1;
      const queue = hosts.get(tuple.key);
      if (queue !== undefined) queue.push(tuple);
      else {
        const fresh = [tuple];
        hosts.set(tuple.key, fresh);
        void fetchHost(fresh, tuple.key);
      }
    }
    if (buffer.length === 0 && !state.isInGet && nowMs - state.sentMs >= betweenGetsMs) get();
    await sleep(10);
  }
  state.isOver = true;
  // Pending acks.
  for (let left = 200; left > 0 && pending.size > 0; left--) await sleep(10);
  for (const { sinceMs } of pending) if (Date.now() - sinceMs > ackPatienceMs) figures.failed += 1;
  puts.end();
  api.close();
  return figures;
}
