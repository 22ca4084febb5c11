/**
 * `GET /hosts`, `GET /hosts/:key`, `GET /urls?url=` and `GET /partitions`, on any frontier of a crawl: each answers
 * for all.
 *
 * An answer names its source: the partition's owner, or a standby with the possible age of the answer. If another
 * member asks for partitions, a member reports only its own.
 */
import { CrawlstreamError, invalid } from '../../../topology/errors.ts';
import { answerHost, answerUrl, type HostAnswer } from '../../../topology/frontier/ask/queries.ts';
import { frontierLimits } from '../../../topology/frontier/frontier-limits.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { hostKeyOf, type KeyMode, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { withScheme } from '../../../topology/url/seed.ts';
import type { HttpApp, Routes } from '../../runtime/http/http-server.ts';
import { askPartition, hostsWanted, type ListQuery, listHosts } from './host-lists.ts';
import type { OwnPartition } from './own-partitions.ts';
import { type Answer, passedOnHeader, type Queries, type Source } from './queries.ts';
import { cursorOf, cursorText } from './queue-cursor.ts';

export interface Queried {
  readonly partitions: number;
  readonly keyMode: KeyMode;
  readonly queries: Pick<Queries, 'ask'>;
  /** The status of each partition, and how old that is. */
  places(): Promise<{ readonly partitions: readonly object[]; readonly ageMs: number | null }>;
  /** The partitions of this member, from memory. */
  own(): readonly OwnPartition[];
}

/** URLs of a page of a host's queue, if the request does not say. */
const pageDefault = 20;
const normalize = compileNormalizer();

/** `queried`: undefined while this process is not up yet, or is stopping. */
export function queryRoutes(queried: () => Queried | undefined): Routes {
  const now = () => {
    const one = queried();
    if (one !== undefined) return one;
    throw new CrawlstreamError('NOT_READY', 'this frontier has not joined its group yet: retry in a moment');
  };
  return (app: HttpApp) => {
    app.get('/partitions', async ({ headers }) =>
      headers[passedOnHeader] === undefined ? await now().places() : { own: now().own() },
    );
    app.get('/hosts', async (request, reply) => {
      const { partition, ...query } = request.query as ListQuery & { readonly partition?: string };
      const passedOn = request.headers[passedOnHeader] !== undefined;
      const wanted = hostsWanted(query);
      if (partition === undefined) return listHosts(now(), wanted, passedOn);
      const { status, body } = await askPartition(now(), partitionNumber(partition, now()), wanted, passedOn);
      return reply.code(status).send(body);
    });
    app.get('/hosts/:key', async (request, reply) => {
      const { key } = request.params as { readonly key: string };
      const { limit, from } = request.query as { readonly limit?: string; readonly from?: string };
      const hostKey = hostKeyOf(normalOf(withScheme(key), 'host', key));
      const [count, cursor] = [pageSize(limit), cursorOf(from)];
      const { status, body } = await now().queries.ask({
        partition: placeOf(now(), hostKey),
        target: request.url,
        passedOn: request.headers[passedOnHeader] !== undefined,
        job: (state) => answerHost(state, hostKey, count, cursor),
        answer: (found, source) => {
          if (found === null) return unknown(`the crawl does not know host ${hostKey}`, source);
          return { status: 200, body: { ...found, next: cursorText(found.next), from: source } };
        },
      });
      return reply.code(status).send(body);
    });
    app.get('/urls', async (request, reply) => {
      const { url: given } = request.query as { readonly url?: string };
      if (given === undefined) throw invalid('url is missing: ask as in /urls?url=https%3A%2F%2Fexample.org%2F');
      const hostKey = hostKeyOf(normalOf(withScheme(given), 'url', given));
      const { status, body } = await now().queries.ask({
        partition: placeOf(now(), hostKey),
        target: request.url,
        passedOn: request.headers[passedOnHeader] !== undefined,
        job: (state) => answerUrl(state, spelling(state, withScheme(given))),
        answer: (found, source): Answer => ({ status: 200, body: { ...found, from: source } }),
      });
      return reply.code(status).send(body);
    });
  };
}

/**
 * Returns one host and a page of its queue, from a process that has its partition. Throws INVALID_ARGUMENT for an
 * unknown host.
 */
export async function askHost(
  queried: Pick<Queried, 'partitions' | 'keyMode' | 'queries'>,
  hostKey: string,
  count: number,
  from: string | undefined,
): Promise<Omit<HostAnswer, 'next'> & { readonly next: string | null }> {
  const cursor = cursorOf(from);
  const query = new URLSearchParams({ limit: String(count), ...(from !== undefined && { from }) });
  const { status, body } = await queried.queries.ask({
    partition: placeOf(queried, hostKey),
    target: `/hosts/${encodeURIComponent(hostKey)}?${query}`,
    passedOn: false,
    job: (state) => answerHost(state, hostKey, count, cursor),
    answer: (found, source) => {
      if (found === null) return unknown(`the crawl does not know host ${hostKey}`, source);
      return { status: 200, body: { ...found, next: cursorText(found.next) } };
    },
  });
  if (status !== 200) throw invalid(`the crawl does not know host ${hostKey}: see the list of hosts`);
  return body as Awaited<ReturnType<typeof askHost>>;
}

function partitionNumber(given: string, { partitions }: Queried): number {
  if (/^\d{1,5}$/.test(given) && Number(given) < partitions) return Number(given);
  throw invalid(`partition ${JSON.stringify(given)}: the crawl has partitions 0 to ${partitions - 1}`);
}

function placeOf({ partitions, keyMode }: Pick<Queried, 'partitions' | 'keyMode'>, hostKey: string): number {
  return partitionOf(partitionKeyOf(hostKey, keyMode), partitions);
}

function normalOf(url: string, what: string, given: string): string {
  const normal = normalize(url);
  if (normal === null)
    throw invalid(`${what} ${JSON.stringify(given)} cannot be crawled: give a ${what}, as in example.org`);
  return normal;
}

/** The URL in the spelling of the policy in force. */
function spelling({ policyJson }: FrontierState, url: string): string {
  const own = policyJson === '' ? normalize : compileNormalizer(parsePolicy(policyJson).normalize);
  return own(url) ?? url;
}

function pageSize(limit: string | undefined): number {
  if (limit === undefined) return pageDefault;
  const { queryPageMax } = frontierLimits;
  if (/^\d{1,6}$/.test(limit) && Number(limit) <= queryPageMax) return Number(limit);
  throw invalid(`limit ${JSON.stringify(limit)}: give a number from 0 to ${queryPageMax}`);
}

function unknown(message: string, source: Source): Answer {
  return { status: 404, body: { error: 'NOT_FOUND', message, from: source } };
}
