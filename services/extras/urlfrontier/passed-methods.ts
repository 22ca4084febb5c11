/** The methods that are passed on to other processes, and the merging of their answers. */

import type { Method } from '../../runtime/grpc/grpc-server.ts';
import { checkUrl } from './check-url.ts';
import { crawlOfGet, type GetParams } from './get-urls.ts';
import { getFromAll, type Peers, streamFromAll, toAll, toOwner } from './pass-on.ts';
import { type ListUrlParams, listedDefault, type OfQueue, type Pagination } from './queue-methods.ts';
import { crawlIdOf } from './served-crawl.ts';
import { numberOf, type Whole } from './wire.ts';

type Unary = Method & { readonly kind: 'unary' };
type Stream = Method & { readonly kind: 'stream' };

interface Methods {
  readonly GetURLs: Stream;
  readonly ListURLs: Stream;
  readonly [unary: string]: Method;
}

export function passedOn(peers: Peers, methods: Methods): Record<string, Method> {
  const one = (name: string) => methods[name] as Unary;
  const toQueue = (name: string, queueOf: (request: never) => ReturnType<typeof queue> = queue as never) =>
    ({ [name]: toOwner(peers, name, one(name), queueOf) }) as Record<string, Method>;
  const sum = (name: string, crawlOf: (request: never) => string) =>
    ({
      [name]: toAll<never, { value: Whole }>(peers, name, one(name), crawlOf, (answers) => ({
        value: answers.reduce((total, { value }) => total + numberOf(value), 0),
      })),
    }) as Record<string, Method>;
  return {
    ...toQueue('SetDelay'),
    ...toQueue('BlockQueueUntil'),
    ...toQueue('SetCrawlLimit'),
    ...toQueue('DeleteQueue'),
    ...toQueue('GetURLStatus', statusQueue as never),
    ...sum('DeleteCrawl', ({ value }: { value: string }) => crawlIdOf(value)),
    ...sum('CountURLs', crawlOf),
    ...sum('PurgeURLs', crawlOf),
    GetStats: toAll<OfQueue, Stats>(peers, 'GetStats', one('GetStats'), crawlOf, sumStats),
    ListCrawls: toAll<object, { values: string[] }>(
      peers,
      'ListCrawls',
      one('ListCrawls'),
      () => undefined,
      (answers) => ({ values: [...new Set(answers.flatMap(({ values }) => values))] }),
    ),
    ListQueues: toAll<Pagination, QueueList>(
      peers,
      'ListQueues',
      one('ListQueues'),
      crawlOf,
      (answers, { start, size, crawlID }) => {
        const values = answers.flatMap((answer) => answer.values).slice(start, start + (size || listedDefault));
        const total = answers.reduce((count, answer) => count + numberOf(answer.total), 0);
        return { values, total, start, size: values.length, crawlID: crawlIdOf(crawlID) };
      },
      (request) => ({ ...request, start: 0, size: request.start + (request.size || listedDefault) }),
    ),
    ListURLs: streamFromAll<ListUrlParams>(peers, 'ListURLs', methods.ListURLs, crawlOf, (request) => {
      const most = request.size || listedDefault;
      return { asked: { ...request, start: 0, size: request.start + most }, skip: request.start, most };
    }),
    GetURLs: getFromAll<GetParams>(
      peers,
      methods.GetURLs,
      (request) => ({ key: request.key, crawlId: crawlOfGet(request) }),
      moreToGet,
    ),
  };
}

function crawlOf({ crawlID }: Pick<OfQueue, 'crawlID'>): string {
  return crawlIdOf(crawlID);
}

/** A default for all queues is policy, which reaches all processes anyway. */
function queue({ key, crawlID }: OfQueue): { crawlId: string; key: string } | null {
  return key === '' ? null : { crawlId: crawlIdOf(crawlID), key };
}

function statusQueue({
  url,
  key,
  crawlID,
}: OfQueue & { readonly url: string }): { crawlId: string; key: string } | null {
  const checked = checkUrl(url, key);
  return checked.ok ? { crawlId: crawlIdOf(crawlID), key: checked.key } : null;
}

interface QueueList {
  readonly values: readonly string[];
  readonly total: Whole;
  readonly start: number;
  readonly size: number;
  readonly crawlID: string;
}

interface Stats {
  readonly size: Whole;
  readonly inProcess: number;
  readonly counts: Readonly<Record<string, Whole>>;
  readonly numberOfQueues: Whole;
  readonly crawlID: string;
}

function sumStats(answers: readonly Stats[]): Stats {
  const counts: Record<string, number> = {};
  let [size, inProcess, numberOfQueues] = [0, 0, 0];
  for (const one of answers) {
    size += numberOf(one.size);
    inProcess += one.inProcess;
    numberOfQueues += numberOf(one.numberOfQueues);
    for (const [name, count] of Object.entries(one.counts)) counts[name] = (counts[name] ?? 0) + numberOf(count);
  }
  return { size, inProcess, counts, numberOfQueues, crawlID: answers[0]!.crawlID };
}

/** URLs of one queue come together, so a change of queue is a queue more. null: the client has all it asked for. */
function moreToGet(params: GetParams, queues: number): GetParams | null {
  if (params.max_queues === 0) return params;
  const left = params.max_queues - queues;
  return left > 0 ? { ...params, max_queues: left } : null;
}
