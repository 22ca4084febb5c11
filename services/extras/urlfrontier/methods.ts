/** The methods of the API, by name. */

import { counted } from '../../runtime/counted.ts';
import { type Answers, CallFailed, type Method } from '../../runtime/grpc/grpc-server.ts';
import { order } from './ask.ts';
import { type GetParams, getUrls } from './get-urls.ts';
import type { Peers } from './pass-on.ts';
import { passedOn } from './passed-methods.ts';
import { putMethods } from './put-streams.ts';
import {
  countUrls,
  type Filter,
  type ListUrlParams,
  listQueues,
  listUrls,
  type OfQueue,
  type Pagination,
  purgeUrls,
  urlStatus,
} from './queue-methods.ts';
import { msOf } from './refetch-date.ts';
import type { RequestLog } from './request-log.ts';
import { createRouter, ownPartitions, partitionFor } from './router.ts';
import type { ServedCrawls } from './served-crawl.ts';
import { crawlIdOf } from './served-crawl.ts';
import { stats } from './stats.ts';
import { numberOf, type Whole } from './wire.ts';

export interface ServedApi {
  readonly crawls: ServedCrawls;
  readonly log: RequestLog;
  /** The other processes that serve these crawls. */
  readonly peers: Peers;
  /** `host:port` of every process that serves these crawls. */
  nodes(): Promise<readonly string[]>;
  /** Are URLs given out at all? */
  isActive(): boolean;
  /** Sets it for all crawls, also for those made later; resolves once it is in force. */
  configure(settings: { readonly delayMs?: number; readonly paused?: boolean }): Promise<void>;
}

export function methodsOf(api: ServedApi): Readonly<Record<string, Method>> {
  const { crawls, log, peers } = api;
  const methods = {
    ...putMethods(createRouter(crawls, peers)),
    ...urlMethods(crawls, log),
    ...crawlMethods(api),
    ...queueMethods(crawls, log, (delayMs) => api.configure({ delayMs })),
    ...processMethods(api),
  };
  const passed: Record<string, Method> = { ...methods, ...passedOn(peers, methods) };
  passed['DeleteCrawl'] = freesItsId(crawls, passed['DeleteCrawl'] as Unary);
  return Object.fromEntries(Object.entries(passed).map(([name, method]) => [name, logged(name, method, log)]));
}

/** Reads and purges URLs. */
function urlMethods(crawls: ServedCrawls, log: RequestLog) {
  return {
    GetURLs: stream('GetParams', (params: GetParams, answers) => getUrls(crawls, params, answers)),
    CountURLs: unary('CountUrlParams', 'Long', async (filter: Filter) => ({ value: await countUrls(crawls, filter) })),
    PurgeURLs: unary('PurgeUrlParams', 'Long', async (params: OfQueue & { days: number }) => {
      const value = await purgeUrls(crawls, params);
      log.write(
        'INFO',
        () => `crawl ${crawlIdOf(params.crawlID)}: ${counted(value, 'URL')} of more than ${params.days} days purged`,
      );
      return { value };
    }),
    GetURLStatus: unary('URLStatusRequest', 'URLItem', (request: OfQueue & { url: string }) =>
      urlStatus(crawls, request),
    ),
    ListURLs: stream('ListUrlParams', (params: ListUrlParams, answers) => listUrls(crawls, params, answers)),
  };
}

function crawlMethods({ crawls, log }: Pick<ServedApi, 'crawls' | 'log'>) {
  return {
    ListCrawls: unary('Local', 'StringList', () => ({
      values: crawls.ids().filter((id) => {
        const open = crawls.list().find((crawl) => crawl.id === id);
        // A crawl that is not open here has no deleted URLs.
        return open === undefined || open.partitions.some((one) => (one?.core?.state.counters.admitted ?? 0) > 0);
      }),
    })),
    DeleteCrawl: unary('DeleteCrawlMessage', 'Long', async ({ value: given }: { value: string }) => {
      const id = crawlIdOf(given);
      log.write('INFO', () => `crawl ${id}: deleted`);
      let value = 0;
      for (const crawl of crawls.list().filter((one) => one.id === id))
        for (const partition of ownPartitions(crawl)) value += await order(partition, { kind: 'dropAll' });
      await crawls.close(id);
      return { value };
    }),
  };
}

/** `setDelay`: sets the delay of all queues. */
function queueMethods(crawls: ServedCrawls, log: RequestLog, setDelay: (delayMs: number) => Promise<void>) {
  /** Does something to one queue, whether it exists or not. */
  const toQueue = async ({ key, crawlID: given }: OfQueue, text: string, change: OrderOf): Promise<number> => {
    if (key === '') throw new CallFailed('INVALID_ARGUMENT', 'key: it is empty; send the key of the queue');
    log.write('INFO', () => `queue ${JSON.stringify(key)} of crawl ${crawlIdOf(given)}: ${text}`);
    return order(partitionFor(await crawls.open(crawlIdOf(given)), key), { ...change, key } as never);
  };
  return {
    ListQueues: unary('Pagination', 'QueueList', (page: Pagination) => listQueues(crawls, page)),
    GetStats: unary('QueueWithinCrawlParams', 'Stats', (queue: OfQueue) => stats(crawls, queue)),
    DeleteQueue: unary('QueueWithinCrawlParams', 'Long', async (queue: OfQueue) => {
      if (queue.key === '' || (await crawls.find(crawlIdOf(queue.crawlID))) === undefined) return { value: 0 };
      return { value: await toQueue(queue, 'deleted', { kind: 'drop' }) };
    }),
    BlockQueueUntil: empty('BlockQueueParams', async (queue: OfQueue & { time: Whole }) => {
      if (queue.key === '') return;
      await toQueue(queue, `blocked until ${numberOf(queue.time)}`, { kind: 'block', untilMs: msOf(queue.time) });
    }),
    SetDelay: empty('QueueDelayParams', async (queue: OfQueue & { delay_requestable: number }) => {
      const delayMs = 1000 * queue.delay_requestable;
      if (queue.key !== '') return toQueue(queue, `delay ${delayMs} ms`, { kind: 'delay', delayMs });
      log.write('INFO', () => `delay of all queues: ${delayMs} ms`);
      return setDelay(delayMs);
    }),
    SetCrawlLimit: empty('CrawlLimitParams', async (queue: OfQueue & { limit: number }) =>
      toQueue(queue, `limit ${queue.limit}`, { kind: 'limit', done: queue.limit }),
    ),
  };
}

/** The processes that serve the crawls, and their settings. */
function processMethods(api: Pick<ServedApi, 'nodes' | 'isActive' | 'configure' | 'log'>) {
  const { log } = api;
  return {
    ListNodes: unary('Empty', 'StringList', async () => ({ values: await api.nodes() })),
    GetActive: unary('Local', 'Boolean', () => ({ state: api.isActive() })),
    SetActive: empty('Active', async ({ state }: { state: boolean }) => {
      log.write('INFO', () => (state ? 'active' : 'inactive: GetURLs gives nothing'));
      await api.configure({ paused: !state });
    }),
    SetLogLevel: empty('LogLevelParams', async ({ package: name, level }: { package: string; level: number }) =>
      log.setLevel(name, level),
    ),
  };
}

type Unary = Method & { readonly kind: 'unary' };
type Stream = Method & { readonly kind: 'stream' };

function unary(request: string, answer: string, act: (request: never) => unknown): Unary {
  return { kind: 'unary', request, answer, act: async (given) => act(given) };
}

function empty(request: string, act: (request: never) => Promise<unknown>): Unary {
  return unary(request, 'Empty', async (given) => {
    await act(given);
    return {};
  });
}

function stream(request: string, act: (request: never, answers: Answers) => Promise<void>): Stream {
  return { kind: 'stream', request, act };
}

/** Frees the id first, for all processes; then each process deletes and ends its part of the crawl. */
function freesItsId(crawls: ServedCrawls, method: Unary): Unary {
  return {
    ...method,
    act: async (request, caller) => {
      const id = crawlIdOf((request as { readonly value: string }).value);
      if (!caller.isLocal && (await crawls.find(id)) !== undefined) await crawls.free(id);
      return method.act(request, caller);
    },
  };
}

type OrderOf =
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'block'; readonly untilMs: number }
  | { readonly kind: 'limit'; readonly done: number }
  | { readonly kind: 'drop' };

/** DEBUG logs each call with its duration. */
function logged(name: string, method: Method, log: RequestLog): Method {
  const act = method.act as (...args: unknown[]) => Promise<unknown>;
  return {
    ...method,
    act: async (...args: unknown[]) => {
      const beganMs = performance.now();
      try {
        return await act(...args);
      } finally {
        log.write('DEBUG', () => `${name}: ${(performance.now() - beganMs).toFixed(1)} ms`);
      }
    },
  } as Method;
}
